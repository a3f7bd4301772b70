"""The spill: rows come back by shard and document, whether they lie in memory or on disk."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from docnav_pipeline.spill import Spill


def _rows(doc_id: str, n: int) -> pl.DataFrame:
    return pl.DataFrame({"doc_id": [doc_id] * n, "block": range(n)}, schema={"doc_id": pl.String, "block": pl.Int32})


@pytest.mark.parametrize("held_rows", [1, 5, 1000])
def test_rows_come_back_by_document_in_the_order_they_had(tmp_path: Path, held_rows: int) -> None:
    spill = Spill(tmp_path, held_rows)
    for shard, doc_id, n in (("00", "b", 3), ("01", "x", 2), ("00", "a", 2), ("00", "empty", 0), ("00", "c", 1)):
        spill.add(shard, doc_id, {"layout": _rows(doc_id, n), "documents": _rows(doc_id, 1)})
    found = spill.read("00", "layout", ["c", "a", "b", "empty"])
    assert found is not None
    assert found.rows() == [("a", 0), ("a", 1), ("b", 0), ("b", 1), ("b", 2), ("c", 0)]
    nothing = spill.read("00", "layout", ["empty"])
    assert nothing is not None
    assert nothing.rows() == []
    assert nothing.columns == ["doc_id", "block"]
    documents = spill.read("00", "documents", ["empty"])
    assert documents is not None
    assert documents.height == 1


@pytest.mark.parametrize("held_rows", [1, 1000])
def test_a_dropped_shard_leaves_no_file_and_the_others_stay(tmp_path: Path, held_rows: int) -> None:
    spill = Spill(tmp_path, held_rows)
    spill.add("00", "a", {"layout": _rows("a", 2)})
    spill.add("01", "x", {"layout": _rows("x", 2)})
    spill.drop("00")
    assert spill.read("00", "layout", ["a"]) is None
    kept = spill.read("01", "layout", ["x"])
    assert kept is not None
    assert kept.height == 2
    spill.drop("01")
    assert list(tmp_path.iterdir()) == []
