"""Printed tables of contents are found, read and matched with the headings they name."""

from __future__ import annotations

from docnav_pipeline.hierarchy.contents import Contents, find_contents
from docnav_pipeline.hierarchy.matching import match_contents
from docnav_pipeline.hierarchy.rows import measure_body, rows_of
from docnav_pipeline.parsing.block import BlockType
from tests.hierarchy.press import Press


def matched(press: Press) -> tuple[Contents, list[str]]:
    rows = rows_of(press.blocks)
    contents = match_contents(find_contents(press.blocks, rows), rows, measure_body(rows))
    return contents, [rows[e.row].text if e.row is not None else "" for e in contents.entries]


def book() -> Press:
    press = Press().title("Contents", 18)
    press.lines(["1 Wells ........ 1", "1.1 Digging ........ 1", "1.2 Lining a well with stones so that it keeps its", "shape ........ 2"])
    press.lines(["2 Pumps ........ 3"])
    press.turn().title("1 Wells", 16).prose().title("1.1 Digging").prose()
    press.turn().prose().title("1.2 Lining a well with stones so that it keeps its shape").prose()
    return press.turn().title("2 Pumps", 16).prose()


def test_entries_lose_leaders_and_page_numbers() -> None:
    contents, _ = matched(book())
    assert [(e.title, e.printed_page) for e in contents.entries] == [
        ("1 Wells", 1),
        ("1.1 Digging", 1),
        ("1.2 Lining a well with stones so that it keeps its shape", 2),
        ("2 Pumps", 3),
    ]


def test_entries_find_their_headings_and_the_page_offset() -> None:
    contents, texts = matched(book())
    assert contents.offset == 1
    assert texts == ["1 Wells", "1.1 Digging", "1.2 Lining a well with stones so that it keeps its shape", "2 Pumps"]


def test_title_that_occurs_twice_is_taken_on_its_page() -> None:
    press = Press().title("Contents", 18).lines(["Wells ..... 1", "Repair ..... 1", "Pumps ..... 2", "Repair ..... 2"])
    press.turn().title("Wells", 16).prose().title("Repair").prose()
    press.turn().title("Pumps", 16).prose().title("Repair").prose()
    contents, _ = matched(press)
    rows = rows_of(press.blocks)
    assert [rows[e.row].page for e in contents.entries if e.row is not None] == [2, 2, 3, 3]


def test_index_at_the_end_is_no_table_of_contents() -> None:
    press = Press().title("1 Wells", 16).prose()
    press.turn().title("Index", 16)
    press.lines(["anchor ..... 40", "bell ..... 12", "cable ..... 31", "drum ..... 7", "engine ..... 22", "float ..... 3"])
    contents, _ = matched(press)
    assert contents.entries == ()


def test_lists_of_figures_name_no_headings() -> None:
    press = Press().title("List of Figures", 18).lines(["Figure 1: A well ..... 3", "Figure 2: A pump ..... 5", "Figure 3: A bell ..... 9"])
    contents, _ = matched(press)
    assert contents.entries == ()


def test_lines_shared_by_one_block_are_handed_out_to_the_entries() -> None:
    press = Press().title("Contents", 18)
    press.lines(["Wells", "1", "Digging", "1", "Pumps", "2"], BlockType.CONTENTS)
    first = press.blocks.pop()
    from dataclasses import replace

    for i, text in enumerate(["Wells 1", "Digging 1", "Pumps 2"]):
        press.blocks.append(replace(first, text=text, lines=first.lines if i == 0 else ()))
    rows = [row for row in rows_of(press.blocks) if row.type == BlockType.CONTENTS]
    assert [row.text for row in rows] == ["Wells 1", "Digging 1", "Pumps 2"]
    assert all(row.line == 0 for row in rows)


def test_lists_that_the_contents_name_do_not_begin_one() -> None:
    press = Press().title("Contents", 18)
    press.lines(["1 Wells ........ 3", "2 Pumps ........ 4", "3 Bells ........ 5", "4 Tanks ........ 6"])
    press.turn().lines(["5 Pipes ........ 7", "6 Taps ........ 8", "List of Figures ........ 9", "Index ........ 10"])
    assert [entry.title for entry in matched(press)[0].entries] == [
        "1 Wells",
        "2 Pumps",
        "3 Bells",
        "4 Tanks",
        "5 Pipes",
        "6 Taps",
        "Index",
    ]
