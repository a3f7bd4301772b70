"""Tests of the plain text reader."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docnav_pipeline.parsing.block import Block, BlockType
from docnav_pipeline.parsing.text import parse_text

WRAPPED = (
    "The pump moves water from the lower tank to the upper one, and it does so\n"
    "without any noise as long as the filter is clean. Check the filter every\n"
    "week.\n"
)


def of_type(text: str, kind: BlockType) -> list[Block]:
    return [block for block in parse_text(text).blocks if block.type is kind]


def test_wrapped_lines_become_one_paragraph() -> None:
    (block,) = parse_text(WRAPPED).blocks
    assert block.text == " ".join(WRAPPED.split())


def test_a_very_long_line_stays_whole() -> None:
    line = "word " * 3000 + "end."
    blocks = parse_text(f"{line}\n{line}\n").blocks
    assert [block.text for block in blocks] == [line, line]


def test_numbered_capital_and_underlined_lines_are_headings() -> None:
    text = f"Guide\n=====\n\n1.  Scope\n\n{WRAPPED}\n1.2.  Limits of Use\n\n{WRAPPED}\nAPPENDIX A\n\n{WRAPPED}"
    assert [(block.level, block.text) for block in of_type(text, BlockType.TITLE)] == [
        (1, "Guide"),
        (None, "1. Scope"),
        (None, "1.2. Limits of Use"),
        (None, "APPENDIX A"),
    ]


def test_underlines_give_levels_in_the_order_of_their_first_use() -> None:
    text = "====\nBook\n====\n\nPart\n----\n\nsome text here.\n\nNext\n----\n\nsome text here.\n"
    assert [(block.level, block.text) for block in of_type(text, BlockType.TITLE)] == [(1, "Book"), (2, "Part"), (2, "Next")]


def test_steps_of_a_list_are_no_headings() -> None:
    text = "Do this:\n\n1. Open the lid\n2. Fill the tank\n3. Close the lid\n\nThen wait.\n\n1. Start\n\n2. Stop\n\n3. Leave\n\nDone here."
    assert of_type(text, BlockType.TITLE) == []
    assert [block.text for block in of_type(text, BlockType.LIST)] == [
        "1. Open the lid\n2. Fill the tank\n3. Close the lid",
        "1. Start\n2. Stop\n3. Leave",
    ]


def test_contents_entries_are_told_from_headings() -> None:
    text = f"Contents\n\n1 Scope ........ 3\n  1.1 Limits ........ 4\n2 Use ........ 9\n\n1 Scope\n\n{WRAPPED}"
    assert [(block.text, block.level, block.target) for block in of_type(text, BlockType.CONTENTS)] == [
        ("1 Scope ........ 3", 1, "3"),
        ("1.1 Limits ........ 4", 2, "4"),
        ("2 Use ........ 9", 1, "9"),
    ]
    assert "1 Scope" in [block.text for block in of_type(text, BlockType.TITLE)]


def test_drawn_tables_and_code_keep_their_lines() -> None:
    drawn = "+-----+-----+\n| a   | b   |\n+-----+-----+"
    code = "    if (a < b) {\n        run(a[0]);\n    }"
    assert [block.text for block in of_type(f"{WRAPPED}\n{drawn}\n\n{WRAPPED}\n{code}\n", BlockType.CODE)] == [
        drawn,
        "if (a < b) {\n    run(a[0]);\n}",
    ]


def test_form_feeds_number_pages_and_running_lines_are_furniture() -> None:
    pages = [
        f"Pump Manual                 Draft\n\nSome text of page {number} that says a thing.\n\nPage {number}\n" for number in range(1, 7)
    ]
    document = parse_text("\f".join(pages))
    assert document.n_pages == 6
    assert [block.page for block in document.blocks if block.type is BlockType.TEXT] == [1, 2, 3, 4, 5, 6]
    assert sum(block.type is BlockType.FURNITURE for block in document.blocks) == 12


def test_without_form_feeds_there_are_no_pages_but_running_lines_are_found() -> None:
    page = (
        "Some words of the text that run on over\nthe page.\n\nDoe              Standards Track              [Page {}]\n\n"
        "RFC 1      Title      May 2020\n\n"
    )
    document = parse_text("".join(page.format(number) for number in range(1, 6)))
    assert document.n_pages is None
    assert sum(block.type is BlockType.FURNITURE for block in document.blocks) == 10
    assert all(block.page is None for block in document.blocks)


def test_text_over_a_page_break_is_marked_as_continued() -> None:
    document = parse_text("The pump is\nvery\f quiet and small.")
    assert [block.continues_previous for block in document.blocks] == [False, True]


def test_empty_pages_are_listed() -> None:
    assert parse_text("one page.\f\n\fthird page.").pages_without_text == (2,)


def test_the_first_line_alone_titles_the_text() -> None:
    document = parse_text(f"On the Use of Pumps\n\n{WRAPPED}")
    assert document.title == "On the Use of Pumps"
    assert parse_text(WRAPPED).title is None


@given(st.text(alphabet=st.sampled_from("ab AB1.-\n\f\t|=•"), max_size=300))
def test_no_printed_character_is_lost_or_made_up(text: str) -> None:
    def printed(value: str) -> str:
        # Hyphens at line ends may go, and adornment lines are marks of a title.
        return "".join(sorted(character for character in value if character.isalnum()))

    assert printed("".join(block.text for block in parse_text(text).blocks)) == printed(text)


@pytest.mark.parametrize(
    "labels", [["§ 1 Aim", "§ 2 Scope"], ["Chapter One", "Chapter Two"], ["I. Aim", "II. Scope"], ["1 Aim", "2 Scope"]]
)
def test_labels_of_every_kind_head_sections(labels: list[str]) -> None:
    text = "\n\n".join(
        f"{label}\n\nThe pump moves water from the tank to the valves and stops\nwhen the float rises to the mark." for label in labels
    )
    assert [block.text for block in parse_text(text).blocks if block.type is BlockType.TITLE] == labels


def test_running_lines_of_a_short_paged_text_are_no_text() -> None:
    pages = [
        f"{head}\n\nThe pump moves water, part {n}.\n\nDoe          Informational          [Page {n}]\n"
        for n, head in enumerate(["Frob", "RFC 9999  Frob", "RFC 9999  Frob"], 1)
    ]
    text = " ".join(block.text for block in parse_text("\f".join(pages)).blocks if block.type is not BlockType.FURNITURE)
    assert "Page" not in text
    assert "RFC 9999" not in text
    assert "part 3" in text
