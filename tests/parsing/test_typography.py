"""Tests of printed lines and their typography."""

from __future__ import annotations

from pathlib import Path

import pytest

from docnav_pipeline.parsing.block import Block, BlockType, Line
from docnav_pipeline.parsing.pdf import open_pdf, read_info
from docnav_pipeline.parsing.pdf_lines import join_typography
from docnav_pipeline.parsing.typography import PageText, PrintedLine, read_page, summary
from tests.parsing.samples import write_manual, write_scan, write_styles


@pytest.fixture
def styled(tmp_path: Path) -> dict[str, PrintedLine]:
    document = open_pdf(write_styles(tmp_path / "styles.pdf"))
    page = read_page(document, 0)
    document.close()
    assert page is not None
    return {line.line.text: line for line in page.lines}


def test_size_weight_and_slant_are_read_from_the_print(styled: dict[str, PrintedLine]) -> None:
    bold, italic = styled["Bold heading"].line, styled["Italic remark"].line
    assert (bold.size_pt, bold.weight, bold.italic) == (16.0, 700, False)
    assert (italic.size_pt, italic.weight, italic.italic) == (12.0, 400, True)
    assert styled["if ready:"].mono


def test_text_printed_twice_is_bold_and_read_once(styled: dict[str, PrintedLine]) -> None:
    assert styled["Printed twice"].line.weight == 700


def test_small_capitals_have_the_size_of_their_large_letters(styled: dict[str, PrintedLine]) -> None:
    assert styled["SMALL"].line.size_pt == 14.0


def test_boxes_are_shares_from_the_top_left(styled: dict[str, PrintedLine]) -> None:
    box = styled["Bold heading"].line.bbox
    assert box[0] == pytest.approx(72 / 595.28, abs=0.01)
    assert box[3] == pytest.approx(1 - 780 / 841.89, abs=0.01)


def test_bookmarks_and_title_of_a_pdf_are_read(tmp_path: Path) -> None:
    info = read_info(write_manual(tmp_path / "manual.pdf"))
    assert (info.n_pages, info.title) == (2, "Pump Manual")
    assert [(block.text, block.level, block.page) for block in info.bookmarks] == [
        ("1 Chapter", 1, 1),
        ("1.1 Section", 2, 1),
        ("2 Chapter", 1, 2),
        ("2.1 Section", 2, 2),
    ]


def test_a_picture_page_has_a_picture_and_no_characters(tmp_path: Path) -> None:
    document = open_pdf(write_scan(tmp_path / "scan.pdf"))
    page = read_page(document, 0)
    document.close()
    assert page is not None
    assert (page.has_picture, page.n_characters) == (True, 0)


def printed(text: str, x0: float, y0: float, x1: float, y1: float, mono: bool = False) -> PrintedLine:
    words = tuple((x0 + number * 0.05, x0 + number * 0.05 + 0.04, word) for number, word in enumerate(text.split()))
    return PrintedLine(Line(text, (x0, y0, x1, y1), 10.0, 400, False), words, mono)


def test_each_line_goes_to_the_smallest_block_around_it_and_the_rest_is_recovered() -> None:
    blocks = [
        Block(BlockType.TEXT, "Body text", page=1, bbox=(0.1, 0.1, 0.9, 0.5)),
        Block(BlockType.TITLE, "", page=1, bbox=(0.1, 0.2, 0.5, 0.24)),
    ]
    page = PageText(
        lines=[
            printed("Body text", 0.1, 0.11, 0.5, 0.13),
            printed("A heading", 0.1, 0.21, 0.4, 0.23),
            printed("Left out", 0.1, 0.7, 0.4, 0.72),
            printed("by the parser", 0.1, 0.73, 0.4, 0.75),
        ]
    )
    body, title, recovered = join_typography(blocks, {1: page}, frozenset())
    assert (title.text, title.size_pt) == ("A heading", 10.0)
    assert [line.text for line in body.lines] == ["Body text"]
    assert (recovered.text, recovered.sub_type, recovered.page) == ("Left out by the parser", "recovered", 1)


def test_a_line_through_two_blocks_is_cut_between_them() -> None:
    blocks = [
        Block(BlockType.TEXT, "one two", page=1, bbox=(0.09, 0.1, 0.2, 0.2)),
        Block(BlockType.TEXT, "three", page=1, bbox=(0.2, 0.1, 0.6, 0.2)),
    ]
    left, right = join_typography(blocks, {1: PageText(lines=[printed("one two three", 0.1, 0.11, 0.24, 0.13)])}, frozenset())
    assert [line.text for line in left.lines] == ["one two"]
    assert [line.text for line in right.lines] == ["three"]


def test_typewriter_lines_are_code_with_their_indentation() -> None:
    prose = "Some words in the face of the text, more of them than there is code."
    blocks = [
        Block(BlockType.TEXT, prose, page=1, bbox=(0.1, 0.05, 0.9, 0.08)),
        Block(BlockType.TEXT, "if ready: run(pump)", page=1, bbox=(0.1, 0.1, 0.9, 0.15)),
        Block(BlockType.CODE, "}", page=1, bbox=(0.1, 0.15, 0.9, 0.17)),
    ]
    mono = [printed("if ready:", 0.1, 0.11, 0.19, 0.12, True), printed("run(pump)", 0.12, 0.13, 0.21, 0.14, True)]
    mono.append(printed("}", 0.1, 0.15, 0.11, 0.16, True))
    _, code = join_typography(blocks, {1: PageText(lines=[printed(prose, 0.1, 0.06, 0.8, 0.07), *mono])}, frozenset())
    assert (code.type, code.text) == (BlockType.CODE, "if ready:\n\n  run(pump)\n\n}")


def test_a_document_typed_on_a_typewriter_is_no_code() -> None:
    blocks = [Block(BlockType.TEXT, "one two", page=1, bbox=(0.1, 0.1, 0.9, 0.2))]
    page = PageText(lines=[printed("one", 0.1, 0.11, 0.19, 0.12, True), printed("two", 0.12, 0.13, 0.21, 0.14, True)])
    assert [block.type for block in join_typography(blocks, {1: page}, frozenset())] == [BlockType.TEXT]


def test_a_table_without_columns_gets_them_from_the_print() -> None:
    blocks = [Block(BlockType.TABLE, "Part Size Bolt 5 Nut 6", page=1, bbox=(0.1, 0.1, 0.9, 0.3))]
    cells = [
        printed(text, x, y, x + 0.1, y + 0.01)
        for text, x, y in (("Part", 0.1, 0.1), ("Size", 0.5, 0.1), ("Bolt", 0.1, 0.15), ("5", 0.5, 0.15))
    ]
    (table,) = join_typography(blocks, {1: PageText(lines=cells)}, frozenset())
    assert table.text == "Part | Size\nBolt | 5"


def test_a_text_layer_over_a_scanned_page_is_text_not_a_picture() -> None:
    scan = Block(BlockType.IMAGE, "", page=1, bbox=(0.0, 0.0, 1.0, 1.0))
    lines = [printed("words that the scanner has recognised on this page", 0.1, 0.1 + 0.03 * at, 0.8, 0.12 + 0.03 * at) for at in range(6)]
    blocks = join_typography([scan], {1: PageText(lines=lines)}, frozenset())
    assert [block.type for block in blocks] == [BlockType.IMAGE, BlockType.TEXT]


def test_the_summary_is_that_of_most_characters() -> None:
    lines = [Line("x" * 30, (0, 0, 1, 1), 10.0, 400, False), Line("y" * 5, (0, 0, 1, 1), 20.0, 700, True)]
    assert summary(lines) == (10.0, 400, False)
    assert summary([]) == (None, None, None)
