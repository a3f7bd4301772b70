"""Paragraphs: nothing is lost or repeated, sizes hold, tables stay with their caption."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from assets_store.sentences import split_sentences
from assets_store.settings import ParagraphSettings
from assets_store.tokens import count_tokens
from docnav_pipeline.parsing.block import Block, BlockType
from docnav_pipeline.transforms.paragraphs import Unit, build_units
from docnav_pipeline.transforms.pieces import join_over_break

SIZES = ParagraphSettings(min_tokens=20, max_tokens=40)
WORDS = st.sampled_from(
    ["pump", "valve", "opens.", "closes!", "The", "zone", "12", "of", "moisture?", "sensor,", "Unternehmen", "土壤", "湿度。", "E-12"]
)
TEXTS = st.lists(WORDS, min_size=1, max_size=90).map(" ".join)
KINDS = st.sampled_from([BlockType.TEXT, BlockType.TEXT, BlockType.LIST, BlockType.CODE, BlockType.FOOTNOTE, BlockType.REFERENCE])
BLOCKS = st.lists(st.builds(lambda kind, text: Block(kind, text), KINDS, TEXTS), max_size=12)


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def in_order(blocks: list[Block]) -> list[Block]:
    return [b for b in blocks if b.type is not BlockType.FOOTNOTE] + [b for b in blocks if b.type is BlockType.FOOTNOTE]


@given(BLOCKS)
@settings(max_examples=300)
def test_cutting_neither_loses_nor_repeats_text(blocks: list[Block]) -> None:
    units = build_units(blocks, SIZES)
    assert squeezed("".join(u.text for u in units)) == squeezed("".join(b.text for b in in_order(blocks)))


@given(BLOCKS)
@settings(max_examples=300)
def test_no_unit_is_longer_than_the_limit_and_counts_are_true(blocks: list[Block]) -> None:
    for unit in build_units(blocks, SIZES):
        assert 0 < unit.n_tokens <= SIZES.max_tokens
        assert unit.n_tokens == count_tokens(unit.text)


@given(st.lists(TEXTS, min_size=2, max_size=12))
@settings(max_examples=300)
def test_short_units_of_running_text_merge_with_their_neighbours(texts: list[str]) -> None:
    units = build_units([Block(BlockType.TEXT, text) for text in texts], SIZES)
    # Text that is a little longer than one unit is cut in the middle, which a sentence may miss by its own length.
    slack = max(count_tokens(sentence.text) for text in texts for sentence in split_sentences(text))
    if len(units) > 1:
        assert all(u.n_tokens >= SIZES.min_tokens - slack for u in units)


def test_a_short_section_stays_one_short_unit() -> None:
    assert [u.n_tokens for u in build_units([Block(BlockType.TEXT, "Turn it off.")], SIZES)] == [4]


def test_furniture_contents_and_bookmarks_are_no_text() -> None:
    blocks = [Block(kind, "Page 3") for kind in (BlockType.FURNITURE, BlockType.CONTENTS, BlockType.OUTLINE)]
    assert build_units([*blocks, Block(BlockType.IMAGE, "")], SIZES) == []


def rows(n: int) -> str:
    return "\n".join(["code | meaning", *(f"E{i} | valve {i} is stuck" for i in range(n))])


def test_a_table_stays_whole_with_its_caption() -> None:
    caption, table = Block(BlockType.CAPTION, "Table 2: Codes"), Block(BlockType.TABLE, rows(3))
    units = build_units([Block(BlockType.TEXT, "word " * 30), caption, table], SIZES)
    assert [u.text for u in units if "E0" in u.text] == [f"Table 2: Codes\n{rows(3)}"]


def test_a_long_table_is_cut_by_rows_and_repeats_caption_and_head() -> None:
    units = build_units([Block(BlockType.CAPTION, "Table 2"), Block(BlockType.TABLE, rows(30))], SIZES)
    assert len(units) > 3
    assert all(u.text.startswith("Table 2\ncode | meaning\nE") for u in units)
    assert [line for u in units for line in u.text.split("\n")[2:]] == rows(30).split("\n")[1:]


def test_every_part_of_a_table_repeats_all_rows_of_its_head() -> None:
    head = "|  | Years Ended\n| 2015 | 2016"
    (first, *others) = build_units([Block(BlockType.TABLE, f"{head}\n{rows(30)}")], SIZES)
    assert others
    assert all(u.text.startswith(f"{head}\n") for u in (first, *others))
    # Rows that are filled in below an empty label are no head.
    (first, *others) = build_units([Block(BlockType.TABLE, f"code | meaning\n| 2015\n{rows(30)}")], SIZES)
    assert first.text.startswith("code | meaning\n| 2015\n")
    assert all(u.text.startswith("code | meaning\nE") for u in others)


def test_a_paragraph_over_a_page_break_is_one_text_with_both_boxes() -> None:
    first = Block(BlockType.TEXT, "The pump is irri-", page=1, bbox=(0.1, 0.8, 0.9, 0.9))
    second = Block(BlockType.TEXT, "gated daily.", page=2, bbox=(0.1, 0.1, 0.9, 0.2), continues_previous=True)
    (unit,) = build_units([first, second], SIZES)
    assert unit.text == "The pump is irrigated daily."
    assert [box["page"] for box in unit.boxes] == [1, 2]
    assert unit.pages == [1, 2]


def test_halves_are_joined_as_their_script_asks() -> None:
    assert join_over_break("north-", "South") == "north- South"
    assert join_over_break("土壤", "湿度") == "土壤湿度"
    assert join_over_break("one", "two") == "one two"


def test_a_text_without_any_end_is_still_bounded() -> None:
    for text in ("x" * 5000, "土" * 500, "word " * 500):
        units: list[Unit] = build_units([Block(BlockType.TEXT, text)], SIZES)
        assert all(u.n_tokens <= SIZES.max_tokens for u in units)
        assert squeezed("".join(u.text for u in units)) == squeezed(text)


@given(st.lists(TEXTS, min_size=1, max_size=6), st.integers(1, 12))
def test_a_table_whose_rows_are_longer_than_a_unit_is_cut_within_the_limit_under_its_head(rows: list[str], head_words: int) -> None:
    table = Block(BlockType.TABLE, "\n".join([" ".join(["head"] * head_words), *rows]))
    units = build_units([table], SIZES)
    assert max(count_tokens(unit.text) for unit in units) <= SIZES.max_tokens
    assert squeezed("".join(rows)) in squeezed("".join(u.text for u in units)).replace("head" * head_words, "")


@given(st.text(alphabet="abcXYZ019+/=", min_size=1, max_size=900))
def test_a_word_without_end_is_cut_within_the_limit(word: str) -> None:
    units = build_units([Block(BlockType.TEXT, word)], SIZES)
    assert max(count_tokens(unit.text) for unit in units) <= SIZES.max_tokens
    assert "".join(unit.text for unit in units) == word
