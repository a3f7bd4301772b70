"""Numbers of a DOCX as Word shows them, and nothing that breaks on odd numbering."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest
from lxml import etree

from docnav_pipeline.parsing.docx_number_format import format_number
from docnav_pipeline.parsing.docx_numbering import with_literal_numbers
from tests.parsing.made_docx import (
    NORMAL,
    STRICT,
    W,
    abstract,
    docx,
    level,
    num,
    p,
)


def shown(path: Path, namespace: str = W) -> list[str]:
    """Paragraphs of the copy with literal numbers; a list item has its level and ":" before its number."""
    folder = path.parent / "copy"
    folder.mkdir(exist_ok=True)
    copy, mark = with_literal_numbers(path, folder)
    with zipfile.ZipFile(copy) as archive:
        root = etree.fromstring(archive.read("word/document.xml"))
        names = [name for name in archive.namelist() if name.endswith(".xml")]
        assert mark == "" or not any(b"numPr" in archive.read(name) or b"<w:lvl" in archive.read(name) for name in names)
    lines = []
    for paragraph in root.iter(f"{{{namespace}}}p"):
        runs = paragraph.findall(f"{{{namespace}}}r/{{{namespace}}}t")
        text = "".join(run.text or "" for run in runs)
        lines.append(re.sub(f"^{mark}([0-8])", r"\1:", text) if mark else text)
    return lines


@pytest.mark.parametrize(
    ("value", "number_format", "text"),
    [
        (7, "decimal", "7"),
        (7, "decimalZero", "07"),
        (123, "decimalZero", "123"),
        (1994, "upperRoman", "MCMXCIV"),
        (4, "lowerRoman", "iv"),
        (5000, "upperRoman", "5000"),
        (26, "lowerLetter", "z"),
        (28, "lowerLetter", "bb"),
        (53, "upperLetter", "AAA"),
        (100_000, "lowerLetter", "100000"),
        (0, "lowerLetter", "0"),
        (1, "ordinal", "1st"),
        (12, "ordinal", "12th"),
        (23, "ordinal", "23rd"),
        (3, "none", ""),
        (10, "chineseCounting", "十"),
        (11, "chineseCounting", "十一"),
        (20, "chineseCounting", "二十"),
        (101, "chineseCountingThousand", "一百零一"),
        (110, "chineseCountingThousand", "一百一十"),
        (2001, "chineseCountingThousand", "二千零一"),
        (111, "japaneseCounting", "百十一"),
        (105, "ideographDigital", "一〇五"),
        (3, "ideographTraditional", "丙"),
        (12, "decimalEnclosedCircle", "⑫"),
        (21, "decimalEnclosedCircle", "21"),
        (5, "001, 002, 003, ...", "005"),
        (5, "hebrew2", "5"),
    ],
)
def test_numbers_are_written_in_the_format_of_their_level(value: int, number_format: str, text: str) -> None:
    assert format_number(value, number_format) == text


def test_level_texts_starts_and_restarts_are_those_of_word(tmp_path: Path) -> None:
    numbering = abstract(level(0, "Article %1.", start=3), level(1, "%1.%2"), level(2, "(%3)", "lowerLetter")) + num(1)
    body = [p("a", 0), p("b", 1), p("c", 2), p("d", 2), p("e", 1), p("f", 2), p("g", 0), p("h", 1)]
    assert shown(docx(tmp_path, *body, numbering=numbering)) == [
        *("0:Article 3. a", "1:3.1 b", "2:(a) c", "2:(b) d", "1:3.2 e", "2:(a) f", "0:Article 4. g", "1:4.1 h"),
    ]


def test_legal_numbering_shows_all_levels_as_decimal(tmp_path: Path) -> None:
    numbering = abstract(level(0, "%1.", "upperRoman"), level(1, "%1.%2", more="<w:isLgl/>"), level(2, "%1-%3")) + num(1)
    assert shown(docx(tmp_path, p("a", 0), p("b", 1), p("c", 2), numbering=numbering)) == ["0:I. a", "1:1.1 b", "2:I-1 c"]


def test_a_level_that_was_never_used_shows_its_start(tmp_path: Path) -> None:
    numbering = abstract(level(0, "%1", start=4), level(1, "%1.%2")) + num(1)
    assert shown(docx(tmp_path, p("a", 1), p("b", 1), p("c", 0), numbering=numbering)) == ["1:4.1 a", "1:4.2 b", "0:4 c"]


def test_a_level_without_start_counts_from_zero(tmp_path: Path) -> None:
    assert shown(docx(tmp_path, p("a", 0), p("b", 0), numbering=abstract(level(0, "%1", start=None)) + num(1))) == ["0:0 a", "0:1 b"]


def test_lists_of_one_definition_go_on_from_each_other_unless_a_start_is_overridden(tmp_path: Path) -> None:
    again = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
    numbering = abstract(level(0, "%1.")) + num(1) + num(2) + num(3, more=again)
    body = [p("a", 0, 1), p("b", 0, 2), p("c", 0, 3), p("d", 0, 3), p("e", 0, 1)]
    assert shown(docx(tmp_path, *body, numbering=numbering)) == ["0:1. a", "0:2. b", "0:1. c", "0:2. d", "0:3. e"]


def test_an_overriding_level_replaces_format_and_text(tmp_path: Path) -> None:
    other = f'<w:lvlOverride w:ilvl="0">{level(0, "§ %1", "upperLetter", start=2)}</w:lvlOverride>'
    assert shown(docx(tmp_path, p("a", 0, 2), numbering=abstract(level(0, "%1.")) + num(2, more=other))) == ["0:§ B a"]


@pytest.mark.parametrize(("restart", "last"), [("0", "c"), ("1", "a"), ("2", "a"), ("99", "a")])
def test_a_level_restarts_as_it_says(tmp_path: Path, restart: str, last: str) -> None:
    numbering = abstract(level(0, "%1"), level(1, "%2"), level(2, "%3", "lowerLetter", more=f'<w:lvlRestart w:val="{restart}"/>')) + num(1)
    body = [p("x", 0), p("x", 1), p("x", 2), p("x", 2), p("x", 0), p("x", 2)]
    assert shown(docx(tmp_path, *body, numbering=numbering))[-1] == f"2:{last} x"


def test_a_level_may_restart_only_after_the_topmost(tmp_path: Path) -> None:
    numbering = abstract(level(0, "%1"), level(1, "%2"), level(2, "%3", more='<w:lvlRestart w:val="1"/>')) + num(1)
    body = [p("x", 0), p("x", 1), p("x", 2), p("x", 1), p("x", 2), p("x", 0), p("x", 2)]
    assert shown(docx(tmp_path, *body, numbering=numbering)) == ["0:1 x", "1:1 x", "2:1 x", "1:2 x", "2:2 x", "0:2 x", "2:1 x"]


def test_bullets_are_dashes_and_the_space_after_a_number_is_that_of_its_level(tmp_path: Path) -> None:
    numbering = abstract(
        level(0, "\uf0b7", "bullet"), level(1, "第%2章", "chineseCounting", more='<w:suff w:val="nothing"/>'), level(2, "")
    ) + num(1)
    assert shown(docx(tmp_path, p("a", 0), p("b", 1), p("c", 2), numbering=numbering)) == ["0:- a", "1:第一章b", "c"]


def test_styles_number_by_inheritance_and_a_paragraph_can_cancel_it(tmp_path: Path) -> None:
    numbering = (
        abstract(level(0, "%1", more='<w:pStyle w:val="Top"/>'), level(1, "%1.%2", more='<w:pStyle w:val="Clause"/>'), level(2, "%3)"))
        + num(1)
        + num(2, of=2)
        + abstract(level(0, "§%1"), of=2)
    )
    of_list = '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>'
    styles = NORMAL + "".join(
        f'<w:style w:type="paragraph" w:styleId="{name}"><w:name w:val="{name}"/><w:basedOn w:val="{base}"/>{properties}</w:style>'
        for name, base, properties in [
            ("Top", "Normal", of_list),
            ("Clause", "Normal", of_list),
            ("Derived", "Clause", ""),
            ("Deep", "Clause", '<w:pPr><w:numPr><w:ilvl w:val="2"/></w:numPr></w:pPr>'),
            ("Off", "Clause", '<w:pPr><w:numPr><w:numId w:val="0"/></w:numPr></w:pPr>'),
        ]
    )
    body = [p(name, style=name) for name in ("Top", "Clause", "Derived", "Deep", "Off")]
    body += [p("own", 0, 2, style="Clause"), p("cancelled", 0, 0, style="Clause"), p("unknown", style="Missing"), p("last", style="Clause")]
    assert shown(docx(tmp_path, *body, numbering=numbering, styles=styles)) == [
        *("0:1 Top", "1:1.1 Clause", "1:1.2 Derived", "2:1) Deep", "Off"),
        *("0:§1 own", "cancelled", "unknown", "1:1.3 last"),
    ]


def test_a_list_style_lends_its_levels(tmp_path: Path) -> None:
    styles = (
        NORMAL + '<w:style w:type="numbering" w:styleId="L"><w:pPr><w:numPr><w:numId w:val="9"/></w:numPr></w:pPr></w:style>'
        '<w:style w:type="numbering" w:styleId="Lost"/>'
    )
    numbering = (
        abstract('<w:styleLink w:val="L"/>', level(0, "%1)"), of=5)
        + abstract('<w:numStyleLink w:val="L"/>', of=1)
        + abstract('<w:styleLink w:val="Lost"/>', level(0, "<%1>".replace("<", "&lt;").replace(">", "&gt;")), of=6)
        + abstract('<w:numStyleLink w:val="Lost"/>', of=7)
        + num(9, of=5)
        + num(1)
        + num(2, of=7)
    )
    assert shown(docx(tmp_path, p("a", 0, 1), p("b", 0, 9), p("c", 0, 2), numbering=numbering, styles=styles)) == [
        "0:1) a",
        "0:2) b",
        "0:<1> c",
    ]


def test_deleted_and_hidden_paragraphs_do_not_count_but_empty_ones_do(tmp_path: Path) -> None:
    deleted = (
        '<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr><w:rPr><w:del w:id="1" w:author="x"/></w:rPr></w:pPr>'
        '<w:del w:id="2" w:author="x"><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>'
    )
    hidden = p("hidden", 0, properties="<w:rPr><w:vanish/></w:rPr>", looks="<w:vanish/>")
    assert shown(docx(tmp_path, p("a", 0), deleted, hidden, p("b", 0), p("", 0), p("c", 0))) == [
        "0:1 a",
        "",
        "hidden",
        "0:2 b",
        "",
        "0:4 c",
    ]


def test_headings_and_cells_hold_their_number_alone_and_count_in_document_order(tmp_path: Path) -> None:
    table = f"<w:tbl><w:tr><w:tc>{p('cell', 0)}</w:tc></w:tr></w:tbl>"
    body = [p("One", 0, style="Heading1"), table, p("Direct", 0, properties='<w:outlineLvl w:val="2"/>')]
    body += [p("Body text", 0, properties='<w:outlineLvl w:val="9"/>')]
    assert shown(docx(tmp_path, *body)) == ["1 One", "2 cell", "3 Direct", "0:4 Body text"]


def test_a_text_box_kept_twice_counts_once(tmp_path: Path) -> None:
    box = f"<w:txbxContent>{p('in a box', 0)}</w:txbxContent>"
    both = f"<mc:AlternateContent><mc:Choice Requires='wps'>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent>"
    picture = f"<mc:AlternateContent><mc:Choice Requires='wps'>{box}</mc:Choice><mc:Fallback><w:pict/></mc:Fallback></mc:AlternateContent>"
    body = [p("a", 0), f"<w:p><w:r>{both}</w:r></w:p>", p("b", 0), f"<w:p><w:r>{picture}</w:r></w:p>", p("c", 0)]
    assert shown(docx(tmp_path, *body)) == ["0:1 a", "", *["0:2 in a box"] * 2, "0:3 b", "", "0:4 in a box", "0:5 c"]


def test_the_strict_spelling_is_read_too(tmp_path: Path) -> None:
    assert shown(docx(tmp_path, p("a", 0), p("b", 1), namespace=STRICT), STRICT) == ["0:1 a", "1:1.1 b"]


ODD_NUMBERINGS = {
    "no list of that number": (num(7), "a"),
    "no definition": ('<w:num w:numId="1"/>', "a"),
    "missing definition": (num(1, of=8), "a"),
    "no levels": (abstract() + num(1), "a"),
    "a level that is no number": (abstract(level("x", "%1")) + num(1), "a"),
    "a level too many": (abstract(level(11, "%1")) + num(1), "a"),
    "no text": (abstract('<w:lvl w:ilvl="0"><w:start w:val="1"/></w:lvl>') + num(1), "a"),
    "a start that is no number": (abstract(level(0, "%1", start="many")) + num(1), "0:1 a"),
    "an absurd start": (abstract(level(0, "%1", start="99999999999999999999")) + num(1), "0:1 a"),
    "a negative start": (abstract(level(0, "%1", start=-5)) + num(1), "0:1 a"),
    "an unknown format": (abstract(level(0, "%1", "runes")) + num(1), "0:1 a"),
    "a huge letter": (abstract(level(0, "%1", "lowerLetter", start=1_000_000)) + num(1), "0:1000000 a"),
    "a list style of nowhere": (abstract('<w:numStyleLink w:val="Nowhere"/>') + num(1), "a"),
    "no elements": ("plain words", "a"),
    "none": ("", "a"),
    "broken XML": ("</w:numbering><w:num", "a"),
}


@pytest.mark.parametrize(("numbering", "text"), ODD_NUMBERINGS.values(), ids=ODD_NUMBERINGS.keys())
def test_what_cannot_be_read_is_left_out(tmp_path: Path, numbering: str, text: str) -> None:
    assert shown(docx(tmp_path, p("a", 0), numbering=numbering)) == [text]


@pytest.mark.parametrize("place", ["9", "-1", "x", "99999999999999999999"])
def test_a_paragraph_of_no_possible_level_keeps_its_text(tmp_path: Path, place: str) -> None:
    assert shown(docx(tmp_path, p("a", place), p("b", 0)))[1][:2] == "0:"
    assert shown(docx(tmp_path, p("a", place), p("b", 0)))[0].endswith("a")


def test_styles_in_a_circle_and_lists_in_a_circle_end(tmp_path: Path) -> None:
    circle = "".join(
        f'<w:style w:type="paragraph" w:styleId="{a}"><w:basedOn w:val="{b}"/></w:style>' for a, b in (("A", "B"), ("B", "A"), ("C", "C"))
    )
    loop = '<w:style w:type="numbering" w:styleId="L"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    numbering = abstract('<w:numStyleLink w:val="L"/>') + num(1) + abstract(level(0, "%1"), of=2) + num(2, of=2)
    body = [p("a", 0, 1, style="A"), p("b", 0, 2, style="B"), p("c", style="C")]
    assert shown(docx(tmp_path, *body, numbering=numbering, styles=circle + loop)) == ["a", "0:1 b", "c"]


def test_a_file_without_numbers_or_of_another_kind_is_returned_as_it_is(tmp_path: Path) -> None:
    plain = docx(tmp_path, p("a"), p("b", 0, 0))
    words = tmp_path / "words.docx"
    words.write_text("no archive")
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("word/document.xml", "<document/>")
    for path in (plain, words, other):
        assert with_literal_numbers(path, tmp_path / "copy") == (path, "")


@pytest.mark.parametrize("part", ["document", "styles", "numbering"])
def test_parts_with_entities_are_not_read(tmp_path: Path, part: str) -> None:
    path = docx(tmp_path, p("words", 0))
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = f"word/{part}.xml"
    with zipfile.ZipFile(path, "w") as archive:
        for member, data in members.items():
            archive.writestr(member, b'<!DOCTYPE d [<!ENTITY e SYSTEM "file:///etc/hostname">]>' + data if member == name else data)
    assert shown(path) == ["words" if part != "styles" else "0:1 words"]
