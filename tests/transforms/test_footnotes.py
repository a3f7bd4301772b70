"""Footnotes: units of their own, joined with the paragraph that holds their mark."""

from __future__ import annotations

import polars as pl
import pytest

from assets_store.settings import HierarchySettings, ParagraphSettings
from docnav_pipeline.hierarchy.recover import recover
from docnav_pipeline.parsing.block import Block, BlockType, ParsedDocument
from docnav_pipeline.transforms.footnotes import footnote_edges
from docnav_pipeline.transforms.layout import build_layout, read_blocks
from docnav_pipeline.transforms.paragraphs import build_units
from docnav_pipeline.transforms.tree import build_tree

SIZES = ParagraphSettings(min_tokens=10, max_tokens=30)


def text(words: str, page: int = 1) -> Block:
    return Block(BlockType.TEXT, words, page=page)


def note(words: str, page: int = 1, sub_type: str | None = None) -> Block:
    return Block(BlockType.FOOTNOTE, words, page=page, sub_type=sub_type)


def linked(blocks: list[Block]) -> list[tuple[str, str, float]]:
    """(text of the paragraph, text of the note, weight) of each edge."""
    layout = build_layout([("d", ParsedDocument(tuple(blocks), "made"))])
    recovered = recover(read_blocks(layout), HierarchySettings())
    _, paragraphs = build_tree("d", "D", recovered, SIZES)
    texts = dict(paragraphs.select("paragraph_id", "text").iter_rows())
    edges = footnote_edges(paragraphs, layout)
    assert edges.filter(pl.col("kind") != "cross_reference").is_empty()
    return [
        (texts[source], texts[target], round(weight, 1))
        for source, target, weight in edges.select("source_id", "target_id", "weight").iter_rows()
    ]


BLOCKS = [
    Block(BlockType.TITLE, "Wells", level=1, page=1),
    text("Most wells of the valley are less than nine metres deep.3 They were dug by hand, in winter."),
    text("Some run dry in August, as the farmers told us, and then the water comes by cart from the river."),
    note("3 Measured from the rim."),
    text("The deepest well has 31 metres* and was drilled by the county.", page=2),
    note("* Without the pit below the pump.", page=2),
]


def test_a_mark_leads_to_the_note_of_its_page() -> None:
    found = linked(BLOCKS)
    assert [weight for *_, weight in found] == [1.0, 1.0]
    assert all("Measured from the rim" in notes for _, notes, _ in found[:1])
    assert "deep.3" in found[0][0]
    assert "31 metres*" in found[1][0]


def test_notes_are_units_of_their_own_behind_the_text() -> None:
    units = build_units(BLOCKS[1:], SIZES)
    assert [unit.kind for unit in units][-1] == "footnote"
    assert all("Measured" not in unit.text for unit in units if unit.kind == "text")
    assert "Measured" in units[-1].text


def test_the_note_of_a_table_stays_with_it() -> None:
    table = Block(BlockType.TABLE, "well | depth\nold | 9 m", page=1)
    units = build_units([table, note("a Below the rim.", sub_type="table")], SIZES)
    assert [(unit.kind, unit.text) for unit in units] == [("table", "well | depth\nold | 9 m\na Below the rim.")]


@pytest.mark.parametrize(
    "words",
    ["There are 3 wells in it.", "The pump of well3b is new.", "It costs 1.3 crowns a day.", "See section 3."],
)
def test_a_number_that_is_no_mark_leads_nowhere(words: str) -> None:
    assert linked([text(words), note("3 Measured from the rim.")]) == []
