"""DOCX: lists in their place, clauses under their headings, headings as Word numbers them."""

from __future__ import annotations

from pathlib import Path

from docnav_pipeline.parsing.block import Block, BlockType
from docnav_pipeline.parsing.docx_numbering import lists_from_marked
from docnav_pipeline.parsing.mineru_call import parse_office
from tests.parsing.made_docx import (
    NUMBERED_HEADINGS,
    abstract,
    docx,
    level,
    num,
    p,
)

MARK = chr(0xF0000)


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
