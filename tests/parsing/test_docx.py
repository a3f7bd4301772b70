"""DOCX: numbers as Word shows them, lists in their place, and nothing that breaks on odd numbering."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest
from lxml import etree

from docnav_pipeline.parsing.block import Block, BlockType
from docnav_pipeline.parsing.docx_number_format import format_number
from docnav_pipeline.parsing.docx_numbering import lists_from_marked, with_literal_numbers
from docnav_pipeline.parsing.mineru_call import parse_office

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MAIN_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml"
MARK = chr(0xF0000)
MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"

HEADINGS = "".join(
    f'<w:style w:type="paragraph" w:styleId="Heading{n}"><w:name w:val="heading {n}"/>'
    f'<w:pPr>{{}}<w:outlineLvl w:val="{n - 1}"/></w:pPr></w:style>'
    for n in (1, 2, 3)
)
NORMAL = '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>'
NUMBERED_HEADINGS = NORMAL + HEADINGS.format(
    *(f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="1"/></w:numPr>' for level in range(3)),
)
PLAIN_HEADINGS = NORMAL + HEADINGS.format("", "", "")


def level(place: int | str, text: str, number_format: str = "decimal", start: int | str | None = 1, more: str = "") -> str:
    first = "" if start is None else f'<w:start w:val="{start}"/>'
    return f'<w:lvl w:ilvl="{place}">{first}<w:numFmt w:val="{number_format}"/>{more}<w:lvlText w:val="{text}"/></w:lvl>'


def abstract(*levels: str, of: int = 1) -> str:
    return f'<w:abstractNum w:abstractNumId="{of}">{"".join(levels)}</w:abstractNum>'


def num(num_id: int, of: int = 1, more: str = "") -> str:
    return f'<w:num w:numId="{num_id}"><w:abstractNumId w:val="{of}"/>{more}</w:num>'


LEGAL = abstract(level(0, "%1"), level(1, "%1.%2"), level(2, "(%3)", "lowerLetter"), level(3, "(%4)", "lowerRoman")) + num(1)


def p(text: str, place: int | str | None = None, num_id: int | str = 1, style: str = "", properties: str = "", looks: str = "") -> str:
    numbering = "" if place is None else f'<w:numPr><w:ilvl w:val="{place}"/><w:numId w:val="{num_id}"/></w:numPr>'
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    run = f'<w:r><w:rPr>{looks}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>' if text else ""
    return f"<w:p><w:pPr>{named}{numbering}{properties}</w:pPr>{run}</w:p>"


def docx(folder: Path, *body: str, numbering: str = LEGAL, styles: str = PLAIN_HEADINGS, header: str = "", namespace: str = W) -> Path:
    """A small DOCX of raw parts. numbering, styles: content of their parts; "" leaves the part out; header: text of the running header."""
    namespaces = f'xmlns:w="{namespace}" xmlns:r="{OFFICE}" xmlns:mc="{MC}"'
    section = '<w:sectPr><w:headerReference w:type="default" r:id="header"/></w:sectPr>' if header else ""
    parts = {
        "document": f"<w:document {namespaces}><w:body>{''.join(body)}{section}</w:body></w:document>",
        "styles": styles and f"<w:styles {namespaces}>{styles}</w:styles>",
        "numbering": numbering and f"<w:numbering {namespaces}>{numbering}</w:numbering>",
        "header": header and f"<w:hdr {namespaces}>{p(header)}</w:hdr>",
    }
    present = [name for name, content in parts.items() if content]
    overrides = "".join(
        f'<Override PartName="/word/{name}.xml" ContentType="{MAIN_TYPE}.{name}{".main" if name == "document" else ""}+xml"/>'
        for name in present
    )
    relations = "".join(f'<Relationship Id="{name}" Type="{OFFICE}/{name}" Target="{name}.xml"/>' for name in present[1:])
    package = "http://schemas.openxmlformats.org/package/2006"
    files = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="rels" '
        f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>{overrides}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r" Type="{OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{package}/relationships">{relations}</Relationships>',
        **{f"word/{name}.xml": parts[name] for name in present},
    }
    path = folder / "contract.docx"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


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


def test_the_mark_is_a_character_that_the_document_does_not_hold(tmp_path: Path) -> None:
    path = docx(tmp_path, p(f"{MARK}1 old", 0), p(f"{MARK}2 plain"))
    assert [block.text for block in parse_office(path, "flash", "").blocks] == [f"1 {MARK}1 old", f"{MARK}2 plain"]


def test_marked_blocks_become_lists_and_no_mark_is_left() -> None:
    def text(words: str, kind: BlockType = BlockType.TEXT, weight: int | None = None) -> Block:
        return Block(kind, words, weight=weight)

    blocks = [
        text("Before."),
        text(f"{MARK}11.1 The price\nis 3."),
        text(f"{MARK}2(a) monthly"),
        text(f"{MARK}11.2 The place"),
        text("2 Next", BlockType.TITLE),
        text(f"words {MARK}0- joined {MARK}1+ twice", BlockType.TITLE),
        text("End."),
        text(f"{MARK}01. Scope", weight=700),
        text(f"{MARK}01. cell", BlockType.TABLE),
    ]
    assert lists_from_marked(blocks, MARK) == [
        text("Before."),
        text("1.1 The price\nis 3.\n  (a) monthly\n1.2 The place", BlockType.LIST),
        text("2 Next", BlockType.TITLE),
        text("words", BlockType.TITLE),
        text("- joined\n  + twice", BlockType.LIST),
        text("End."),
        text("1. Scope", weight=700),
        text("1. cell", BlockType.TABLE),
    ]
    assert lists_from_marked(blocks, "") == blocks


def outline(path: Path) -> list[tuple[str, int | None, str]]:
    return [(block.type.value, block.level, block.text) for block in parse_office(path, "flash", "").blocks]


def test_a_contract_keeps_its_clauses_under_their_headings(tmp_path: Path) -> None:
    """CASES 9 and 11."""
    table = f"<w:tbl><w:tblGrid><w:gridCol/></w:tblGrid><w:tr><w:tc>{p('by rail', 1)}</w:tc></w:tr></w:tbl>"
    numbering = abstract(level(0, "Article %1.", start=3), level(1, "%1.%2"), level(2, "(%3)", "lowerLetter")) + num(1)
    body = [
        *(p("Definitions", 0, style="Heading1"), p("A pump is a machine", 1), p("of iron or", 2), p("of steel.", 2)),
        *(p("A valve is another.", 1), p("Price", 0, style="Heading1"), p("The price is 3.", 1), p("It is paid", 1)),
        *(p("monthly.", 2), p("Delivery", 0, style="Heading1"), table, p("On time.", 1), p("Signatures", style="Heading1"), p("x")),
    ]
    assert outline(docx(tmp_path, *body, numbering=numbering, header="Draft of May")) == [
        ("title", 1, "Article 3. Definitions"),
        ("list", None, "3.1 A pump is a machine\n  (a) of iron or\n  (b) of steel.\n3.2 A valve is another."),
        ("title", 1, "Article 4. Price"),
        ("list", None, "4.1 The price is 3.\n4.2 It is paid\n  (a) monthly."),
        ("title", 1, "Article 5. Delivery"),
        ("table", None, "5.1 by rail"),
        ("list", None, "5.2 On time."),
        ("title", 1, "Signatures"),
        ("text", None, "x"),
        ("furniture", None, "Draft of May"),
    ]


def test_headings_numbered_by_their_styles_show_the_number_of_word(tmp_path: Path) -> None:
    """CASES 3 and 9."""
    custom = '<w:style w:type="paragraph" w:styleId="Kapitel"><w:name w:val="Kapitel"/><w:basedOn w:val="Heading1"/></w:style>'
    numbering = abstract(level(0, "%1", start=3), level(1, "%1.%2"), level(2, "%1.%2.%3")) + num(1)
    body = [p("Operation", style="Heading1"), p("Start", style="Heading2"), p("Valve", style="Heading3"), p("Care", style="Kapitel")]
    body += [p("Annex", 0, 0, style="Heading1"), p("Oil", style="Heading2"), p("Words.")]
    assert outline(docx(tmp_path, *body, numbering=numbering, styles=NUMBERED_HEADINGS + custom)) == [
        ("title", 1, "3 Operation"),
        ("title", 2, "3.1 Start"),
        ("title", 3, "3.1.1 Valve"),
        ("title", 1, "4 Care"),
        ("title", 1, "Annex"),
        ("title", 2, "4.1 Oil"),
        ("text", None, "Words."),
    ]


def test_bold_lines_are_headings_where_no_style_names_any(tmp_path: Path) -> None:
    body = [p("Scope", 0, looks="<w:b/>"), p("It covers pumps."), p("Terms", 0, looks="<w:b/>"), p("Words."), p("item", 1)]
    blocks = parse_office(docx(tmp_path, *body), "flash", "").blocks
    assert [(block.type.value, block.text, block.weight) for block in blocks] == [
        *(("title", "1 Scope", 700), ("text", "It covers pumps.", None), ("title", "2 Terms", 700), ("text", "Words.", None)),
        ("list", "2.1 item", None),
    ]


def test_bold_lines_are_text_where_styles_name_headings(tmp_path: Path) -> None:
    blocks = parse_office(docx(tmp_path, p("Scope", style="Heading1"), p("Mind the lid", looks="<w:b/>"), p("Words.")), "flash", "").blocks
    assert [(block.type.value, block.text) for block in blocks] == [("title", "Scope"), ("text", "Mind the lid"), ("text", "Words.")]
