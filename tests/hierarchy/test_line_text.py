"""Lines are found again in the repaired text of their block."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from docnav_pipeline.hierarchy.line_text import line_starts, line_texts
from docnav_pipeline.hierarchy.repair import split_block
from docnav_pipeline.parsing.block import Block, BlockType, Line

WORDS = st.lists(st.text(alphabet="abcdefgh", min_size=1, max_size=8), min_size=1, max_size=6).map(" ".join)


def test_hyphens_and_ligatures_do_not_shift_the_cut() -> None:
    text = "Setting the clock The staff of the office is effective and afflicted."
    lines = ["Setting the clock", "The staf of the ofice is efec-", "tive and aflicted."]
    assert line_texts(text, lines)[0] == "Setting the clock"
    assert line_texts(text, lines)[1].startswith("The staff of the office")


def test_opening_bracket_goes_with_its_line() -> None:
    text = "Scope (all of it) is here"
    assert line_texts(text, ["Scope", "(all of it) is here"]) == ["Scope", "(all of it) is here"]


@given(st.lists(WORDS, min_size=1, max_size=5))
def test_starts_ascend_and_cover_the_text(lines: list[str]) -> None:
    text = " ".join(lines)
    starts = line_starts(text, lines)
    assert starts[0] == 0
    assert starts == sorted(starts)
    assert len(starts) == len(lines)


@given(st.lists(WORDS, min_size=2, max_size=5), st.data())
def test_splitting_a_block_neither_loses_nor_repeats_text(lines: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(1, len(lines) - 1))
    printed = tuple(Line(text, (0.1, 0.1 + 0.02 * i, 0.9, 0.11 + 0.02 * i), 10.0) for i, text in enumerate(lines))
    block = Block(BlockType.TEXT, " ".join(lines), page=1, bbox=(0.1, 0.1, 0.9, 0.3), lines=printed)
    pieces = split_block(block, [at])
    assert " ".join(piece.text for piece in pieces).split() == block.text.split()
    assert [line for piece in pieces for line in piece.lines] == list(printed)
