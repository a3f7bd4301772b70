"""Tree rows: sections hang under their parents, paragraphs never cross a section, R_d follows its rule, ids do not wander."""

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from assets_store.settings import ParagraphSettings
from docnav_pipeline.hierarchy.heading import Heading
from docnav_pipeline.hierarchy.recover import RecoveredHierarchy
from docnav_pipeline.parsing.block import Block, BlockType
from docnav_pipeline.transforms.tree import build_tree

SIZES = ParagraphSettings(min_tokens=10, max_tokens=20)
Section = tuple[int, list[str]]
WORD = st.sampled_from(["pump", "valve", "sensor", "zone", "filter", "schedule", "moisture"])
PARAGRAPH = st.lists(WORD, min_size=1, max_size=30).map(lambda words: " ".join(words) + ".")
SECTIONS = st.lists(st.tuples(st.integers(1, 4), st.lists(PARAGRAPH, max_size=4)), max_size=10)


def recovered(preface: list[str], sections: list[Section]) -> RecoveredHierarchy:
    """A document with text before its first heading and sections of given levels; titles are numbered by place."""
    blocks = [Block(BlockType.TEXT, text, position=n) for n, text in enumerate(preface)]
    headings = []
    for n, (level, texts) in enumerate(sections):
        headings.append(Heading(len(blocks), 1, level, f"Part {n}", "", None, ("source_level",), 0.9))
        blocks.append(Block(BlockType.TITLE, f"Part {n}", position=len(blocks)))
        for text in texts:
            blocks.append(Block(BlockType.TEXT, f"In {n}: {text}", position=len(blocks)))
    return RecoveredHierarchy(tuple(blocks), tuple(headings), None)


def build(preface: list[str], sections: list[Section]) -> tuple[pl.DataFrame, pl.DataFrame]:
    return build_tree("doc-1", "A title", recovered(preface, sections), SIZES)


@given(st.lists(PARAGRAPH, max_size=3), SECTIONS)
@settings(max_examples=150)
def test_a_paragraph_never_crosses_a_section_and_no_word_is_lost(preface: list[str], sections: list[Section]) -> None:
    tree, paragraphs = build(preface, sections)
    titles = dict(tree.select("node_id", "title").iter_rows())
    for row in paragraphs.to_dicts():
        marks = {word for word in row["text"].replace(":", " ").split() if word.isdigit()}
        assert marks <= {titles[row["parent_id"]].removeprefix("Part ")}
    got = sorted(word for text in paragraphs["text"] for word in text.split())
    blocks = recovered(preface, sections).blocks
    text = [b for b in blocks if b.type is BlockType.TEXT]
    assert got == sorted(word for b in text or blocks for word in b.text.split())


@given(st.lists(PARAGRAPH, max_size=3), SECTIONS)
@settings(max_examples=150)
def test_measures_agree_with_brute_force(preface: list[str], sections: list[Section]) -> None:
    tree, _ = build(preface, sections)
    rows = {row["node_id"]: row for row in tree.to_dicts()}
    children: dict[str | None, list[str]] = {}
    for row in rows.values():
        children.setdefault(row["parent_id"], []).append(row["node_id"])

    def height(node: str) -> int:
        return max((height(child) + 1 for child in children.get(node, [])), default=0)

    def size(node: str) -> int:
        return int(rows[node]["n_tokens"]) if rows[node]["kind"] == "paragraph" else sum(size(child) for child in children.get(node, []))

    for node, row in rows.items():
        assert row["height"] == height(node)
        assert row["n_tokens"] == size(node)
        if row["parent_id"] is not None:
            parent = rows[row["parent_id"]]
            assert parent["preorder"] < row["preorder"]
            assert parent["depth"] == row["depth"] - 1
            assert parent["token_start"] <= row["token_start"] <= parent["token_start"] + parent["n_tokens"]
    assert sorted(rows[c]["position"] for c in children.get("doc-1", [])) == list(range(len(children.get("doc-1", []))))


@given(st.lists(PARAGRAPH, max_size=3), SECTIONS)
@settings(max_examples=50)
def test_building_twice_gives_the_same_rows(preface: list[str], sections: list[Section]) -> None:
    assert all(a.equals(b) for a, b in zip(build(preface, sections), build(preface, sections), strict=True))


def test_an_inserted_section_renames_nothing_else() -> None:
    sections: list[Section] = [(1, ["One two three."]), (2, ["Four five six."]), (1, ["Seven eight nine."])]
    before, _ = build([], sections)
    source = recovered([], sections)
    new = Heading(len(source.blocks), 0, 1, "Appendix", "", None, ("override",), 1.0)
    after, _ = build_tree("doc-1", "A title", RecoveredHierarchy(source.blocks, (*source.headings, new), None), SIZES)
    assert set(before["node_id"]) < set(after["node_id"])


def test_sections_of_one_title_are_twins_and_a_bare_heading_keeps_its_node() -> None:
    headings = tuple(Heading(0, 0, 1, "Notes", "", None, ("source_level",), 0.9) for _ in range(2))
    tree, paragraphs = build_tree("doc-1", "A title", RecoveredHierarchy((), headings, None), SIZES)
    assert tree.filter(kind="section")["node_id"].n_unique() == 2
    assert paragraphs.height == 0
