"""Documents whose source states levels keep them."""

from __future__ import annotations

import pytest

from assets_store.settings import HierarchySettings
from docnav_pipeline.hierarchy.recover import recover
from docnav_pipeline.parsing.block import Block, BlockType

SETTINGS = HierarchySettings()


def heading(text: str, level: int) -> Block:
    return Block(BlockType.TITLE, text, level=level)


TEXT = Block(BlockType.TEXT, "Some text about wells.")


def outline(*blocks: Block) -> list[tuple[int, str]]:
    return [(h.level, h.title) for h in recover(blocks, SETTINGS).headings]


def test_source_levels_are_kept() -> None:
    blocks = (heading("Wells", 1), TEXT, heading("Digging", 2), TEXT, heading("Tools", 3), TEXT, heading("Pumps", 1), TEXT)
    assert outline(*blocks) == [(1, "Wells"), (2, "Digging"), (3, "Tools"), (1, "Pumps")]


def test_single_top_heading_is_the_title() -> None:
    blocks = (heading("Handbook", 1), TEXT, heading("Wells", 2), TEXT, heading("Digging", 3), heading("Pumps", 2))
    recovered = recover(blocks, SETTINGS)
    assert recovered.title == "Handbook"
    assert [(h.level, h.title) for h in recovered.headings] == [(1, "Wells"), (2, "Digging"), (1, "Pumps")]


def test_series_name_above_the_title_belongs_to_it() -> None:
    recovered = recover((heading("Series 12", 1), heading("Handbook", 1), TEXT, heading("Wells", 2), heading("Pumps", 2)), SETTINGS)
    assert recovered.title == "Handbook"
    assert [h.title for h in recovered.headings] == ["Wells", "Pumps"]


def test_document_that_starts_at_the_third_level_starts_at_one() -> None:
    assert outline(heading("Wells", 3), TEXT, heading("Digging", 4), TEXT, heading("Pumps", 3)) == [
        (1, "Wells"),
        (2, "Digging"),
        (1, "Pumps"),
    ]


def test_skipped_level_is_one_step() -> None:
    assert outline(heading("Wells", 2), TEXT, heading("Digging", 5), heading("Pumps", 2)) == [(1, "Wells"), (2, "Digging"), (1, "Pumps")]


def test_printed_numbers_correct_a_stray_level() -> None:
    blocks = (
        heading("1 Wells", 1),
        heading("1.1 Dig", 2),
        heading("1.2 Line", 2),
        heading("1.3 Cover", 1),
        heading("1.4 Use", 2),
        heading("2 End", 1),
    )
    recovered = recover(blocks, SETTINGS)
    assert [h.level for h in recovered.headings] == [1, 2, 2, 2, 2, 1]
    assert recovered.headings[3].evidence[0] == "numbering"
    assert recovered.headings[1].evidence == ("source_level",)


def test_marked_title_is_no_heading() -> None:
    title = Block(BlockType.TITLE, "Handbook", level=1, sub_type="document_title")
    recovered = recover((title, heading("Wells", 2), TEXT, heading("Pumps", 2)), SETTINGS)
    assert recovered.title == "Handbook"
    assert [(h.level, h.title) for h in recovered.headings] == [(1, "Wells"), (1, "Pumps")]


def test_slash_and_markup_stay_in_the_title() -> None:
    assert outline(heading("24/7 Support", 1), TEXT, heading("Costs", 1)) == [(1, "24/7 Support"), (1, "Costs")]


def test_sentence_as_heading_is_text() -> None:
    sentence = "This is a sentence that goes on. " * 10
    recovered = recover((heading("Wells", 1), TEXT, heading(sentence, 2), heading("Pumps", 1)), SETTINGS)
    assert [h.title for h in recovered.headings] == ["Wells", "Pumps"]
    assert recovered.blocks[2].type == BlockType.TEXT
    assert recovered.report.rejected == 1


def test_repeated_titles_all_stay() -> None:
    blocks = (heading("Wells", 1), heading("Care", 2), TEXT, heading("Pumps", 1), heading("Care", 2), TEXT)
    assert [h.title for h in recover(blocks, SETTINGS).headings] == ["Wells", "Care", "Pumps", "Care"]


@pytest.mark.parametrize("levels", [(1, 1), (2, 2), (2, 1)])
def test_numbers_order_headings_that_the_source_sets_flat_or_upside_down(levels: tuple[int, int]) -> None:
    titles = ["1 Intro", "1.1 Scope", "1.2 Terms", "2 Install", "2.1 Site", "3 Use"]
    blocks = [Block(BlockType.TITLE, title, level=levels["." in title]) for title in titles]
    assert [h.level for h in recover(blocks, HierarchySettings()).headings] == [1, 2, 2, 1, 2, 1]
