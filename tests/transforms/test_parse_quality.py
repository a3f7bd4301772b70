"""The parse-quality report: counts that a person can check by hand."""

import polars as pl
import pytest

from assets_store.settings import HierarchySettings, ParagraphSettings
from docnav_pipeline.hierarchy.recover import recover
from docnav_pipeline.parsing.block import Block, BlockType
from docnav_pipeline.transforms.parse_quality import build_parse_quality, doubtful_documents, quality_totals
from docnav_pipeline.transforms.tree import build_tree

BLOCKS = [
    Block(BlockType.TEXT, "One two three four."),
    Block(BlockType.TITLE, "Wells", level=1),
    Block(BlockType.TEXT, "Five six seven eight nine ten eleven twelve."),
    Block(BlockType.FURNITURE, "Page 3"),
    Block(BlockType.TITLE, "Depth", level=2),
    Block(BlockType.FOOTNOTE, "1 Measured in spring."),
    Block(BlockType.TITLE, "Pumps", level=1),
]


def quality(blocks: list[Block]) -> pl.DataFrame:
    recovered = recover(blocks, HierarchySettings())
    tree, _ = build_tree("doc-1", "A title", recovered, ParagraphSettings())
    return build_parse_quality({"doc_id": "doc-1", "n_pages": 4, "pages_without_text": [2, 3]}, recovered, tree)


def test_the_report_counts_what_was_read() -> None:
    row = quality(BLOCKS).to_dicts()[0]
    assert (row["n_headings"], row["n_levels"], row["evidence"]) == (3, 2, [{"kind": "source_level", "count": 3}])
    assert (row["n_furniture"], row["n_footnotes"], row["n_empty_sections"]) == (1, 1, 1)
    assert (row["n_pages"], row["pages_without_text"]) == (4, 2)
    assert row["orphan_share"] == pytest.approx(5 / 20, abs=0.05)
    assert 0 < row["confidence"] <= 1


def test_a_document_without_headings_has_no_confidence_and_only_orphans() -> None:
    row = quality([Block(BlockType.TEXT, "One two three four.")]).to_dicts()[0]
    assert (row["n_headings"], row["confidence"], row["orphan_share"]) == (0, None, 1.0)


def test_totals_sum_over_documents() -> None:
    totals = quality_totals(pl.concat([quality(BLOCKS), quality(BLOCKS), quality(BLOCKS[:1])]))
    assert (totals["headings"], totals["headings by source_level"], totals["documents without headings"]) == (6, 6, 1)
    assert totals["pages without text"] == 6


def test_the_most_doubtful_documents_come_first_without_any_text() -> None:
    shown = doubtful_documents(pl.concat([quality(BLOCKS), quality(BLOCKS[:1])]))
    assert shown.splitlines()[2] == "| doc-1 | 0 |  | 100% | 2 |"
    assert "Wells" not in shown
