"""The node index: subtrees are ranges of rows, and tables that do not fit together are refused."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets_store.errors import SchemaError, StoreVersionError
from assets_store.node_index import open_node_index
from assets_store.node_writer import NodeWriter, ordered_nodes
from docnav_pipeline.transforms.folders import with_folders
from tests.factories import MadeDocument, make_tables

headings = st.lists(st.integers(0, 3), max_size=15)


def _text(levels: list[int]) -> str:
    return "\n\n".join(f"{'#' * level} Part {number}" if level else f"Text {number}." for number, level in enumerate(levels))


@settings(max_examples=25, deadline=None)
@given(st.lists(headings, min_size=1, max_size=4))
def test_the_subtree_of_a_node_is_the_range_of_rows_that_reach_it_by_their_parents(documents: list[list[int]]) -> None:
    tables = make_tables([MadeDocument(f"{number}.md", _text(levels)) for number, levels in enumerate(documents)])
    nodes = ordered_nodes(tables["documents"], tables["tree"])
    parents, ends = nodes["parent"].to_list(), nodes["end"].to_list()
    for row in range(nodes.height):
        below = {row}
        for other in range(nodes.height):
            if parents[other] in below:
                below.add(other)
        assert sorted(below) == list(range(row, ends[row]))


_NO_COMMUNITIES = pl.DataFrame(
    schema={
        "community_id": pl.String,
        "level": pl.Int32,
        "label_terms": pl.List(pl.String),
        "members": pl.List(pl.Int32),
        "n_tokens": pl.Int64,
    }
)


def _write(folder: Path, tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    nodes = ordered_nodes(tables["documents"], tables["tree"])
    writer = NodeWriter(folder)
    writer.append(with_folders(tables["documents"]), nodes, tables["paragraphs"])
    writer.close(_NO_COMMUNITIES)
    return nodes


def test_rows_come_back_as_they_were_written(tmp_path: Path) -> None:
    tables = make_tables([MadeDocument("a.md", "# One\n\nText.", pages=(3,)), MadeDocument("b.pdf", "", status="encrypted")])
    nodes = _write(tmp_path, tables)
    index = open_node_index(tmp_path)
    assert index.nodes.column("node_id").to_pylist() == nodes["node_id"].to_list()
    assert index.nodes.column("page_start").to_pylist() == [3, 3, 3]
    assert index.paragraphs.column("text").to_pylist() == ["Text."]
    assert index.documents.column("status").to_pylist() == ["ok", "encrypted"]
    assert (index.integers("documents", "end") - index.integers("documents", "first")).tolist() == [3, 0]
    assert index.communities.num_rows == 0


def test_shards_stand_one_after_another(tmp_path: Path) -> None:
    writer = NodeWriter(tmp_path)
    made = [make_tables([MadeDocument(name, "# One\n\nText.\n\n# Two\n\nMore.")]) for name in ("b.md", "a.md")]
    firsts = [writer.append(with_folders(t["documents"]), ordered_nodes(t["documents"], t["tree"]), t["paragraphs"]) for t in made]
    writer.close(_NO_COMMUNITIES)
    index = open_node_index(tmp_path)
    assert firsts == [0, 5]
    assert index.integers("nodes", "parent").tolist() == [-1, 0, 1, 0, 3, -1, 5, 6, 5, 8]
    assert index.integers("nodes", "document").tolist() == [0] * 5 + [1] * 5
    assert index.integers("documents", "first").tolist() == [0, 5]
    for row, node_id in enumerate(index.nodes.column("node_id").to_pylist()):
        assert index.row_of(node_id, *((0, 5) if row < 5 else (5, 10))) == row


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"documents": lambda t: t.head(0)}, "belongs to no row of table documents"),
        ({"tree": lambda t: t.filter(pl.col("kind") != "section")}, "parent .* is not in the table"),
        ({"paragraphs": lambda t: t.head(0)}, "has no row in table paragraphs"),
        ({"tree": lambda t: t.with_columns(preorder=2 - pl.col("preorder"))}, "before its parent"),
    ],
)
def test_tables_that_do_not_fit_together_are_refused_by_name(tmp_path: Path, change: dict[str, object], complaint: str) -> None:
    tables = make_tables([MadeDocument("a.md", "# One\n\nText.")])
    for name, alter in change.items():
        tables[name] = alter(tables[name])  # type: ignore[operator]
    with pytest.raises(SchemaError, match=complaint):
        _write(tmp_path, tables)


def test_files_of_another_format_or_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="cannot open the search index file"):
        open_node_index(tmp_path)
    batch = pa.record_batch([pa.array(["x"])], names=["doc_id"])
    with pa.OSFile(str(tmp_path / "documents.arrow"), "wb") as sink, pa.ipc.new_file(sink, batch.schema) as writer:
        writer.write_batch(batch)
    with pytest.raises(StoreVersionError, match="format none"):
        open_node_index(tmp_path)
