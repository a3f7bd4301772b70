"""The edge index: all edges of a node in both directions, over all parts, and errors for edges that fit no tree."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from assets_store.edge_index import FILE, EdgeIndex
from assets_store.edge_writer import EdgeWriter
from assets_store.errors import SchemaError, StoreVersionError
from assets_store.rows import to_polars
from assets_store.schemas import TABLES

_NODES = pl.DataFrame({"node_id": ["a", "b", "c", "d"], "row": [0, 1, 2, 3]})


def _edges(*rows: tuple[str, str, str]) -> pl.DataFrame:
    """(source, target, kind); what reaches no node of _NODES is a candidate."""
    schema = to_polars(TABLES["lateral_edges"].schema.empty_table()).schema
    known = set(_NODES["node_id"])
    found = [(s, t, kind, 0.5, f"{s} to {t}", "confirmed" if t in known else "candidate") for s, t, kind in rows]
    return pl.DataFrame(found, schema=schema, orient="row")


def _written(folder: Path, *parts: pl.DataFrame) -> EdgeIndex:
    writer = EdgeWriter(folder)
    for part in parts:
        writer.append(part, _NODES)
    writer.close()
    return EdgeIndex.open(folder)


def test_a_node_has_the_edges_that_leave_it_and_those_that_reach_it_over_all_parts(tmp_path: Path) -> None:
    first = _edges(("c", "a", "citation"), ("a", "b", "adjacent"), ("a", "see there", "cross_reference"), ("b", "c", "adjacent"))
    index = _written(tmp_path, first, _edges(), _edges(("d", "a", "entity"), ("a", "a", "semantic")))
    found = sorted((edge.source, edge.target, edge.kind) for edge in index.at(0))
    assert found == [(0, -1, "cross_reference"), (0, 0, "semantic"), (0, 1, "adjacent"), (2, 0, "citation"), (3, 0, "entity")]
    assert [edge.mention for edge in index.at(0) if edge.target < 0] == ["see there"]
    assert sorted(edge.why for edge in index.at(2)) == ["b to c", "c to a"]
    assert {edge.why for row in range(4) for edge in index.at(row)} == {
        "c to a", "a to b", "a to see there", "b to c", "d to a", "a to a"
    }  # fmt: skip


def test_an_index_without_edges_opens(tmp_path: Path) -> None:
    assert list(_written(tmp_path).at(0)) == []


def test_an_edge_that_leaves_no_node_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="'x' to 'a'"):
        EdgeWriter(tmp_path).append(_edges(("x", "a", "entity")), _NODES)


def test_a_confirmed_edge_that_reaches_no_node_is_an_error(tmp_path: Path) -> None:
    edges = _edges(("a", "gone", "entity")).with_columns(status=pl.lit("confirmed"))
    with pytest.raises(SchemaError, match="'a' to 'gone'"):
        EdgeWriter(tmp_path).append(edges, _NODES)


def test_a_file_of_another_version_says_what_to_do(tmp_path: Path) -> None:
    _written(tmp_path)
    data = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(data.replace(b"docnav-edges-1", b"docnav-edges-9"))
    with pytest.raises(StoreVersionError, match="run `docnav index`"):
        EdgeIndex.open(tmp_path)
