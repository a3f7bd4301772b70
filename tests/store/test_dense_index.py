"""The dense index: exact cosines, ranges, rows without vector, and how near the approximate search comes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from assets_store.dense_index import DenseIndex
from assets_store.dense_writer import DenseWriter, write_dense_index
from assets_store.errors import SchemaError, StoreVersionError


def _unit_rows(n: int, dim: int, seed: int = 1) -> NDArray[np.float32]:
    random = np.random.default_rng(seed)
    # Vectors in clusters, as those of texts are; even noise would have no neighbours worth finding.
    centres = random.normal(size=(max(1, n // 50), dim))
    vectors = centres[random.integers(0, len(centres), n)] + random.normal(scale=0.6, size=(n, dim))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def _write(folder: Path, vectors: NDArray[np.float32], ann_rows: int = 1_000_000) -> DenseIndex:
    folder.mkdir(parents=True, exist_ok=True)
    write_dense_index(folder, vectors, "model@1", ann_rows)
    return DenseIndex.open(folder)


def test_exact_search_gives_the_cosines_of_the_nearest_rows(tmp_path: Path) -> None:
    vectors = _unit_rows(200, 16)
    index = _write(tmp_path, vectors)
    rows, scores = index.search(vectors[7], k=5)
    expected = np.argsort(-(vectors @ vectors[7]))[:5]
    assert set(rows.tolist()) == set(expected.tolist())
    assert np.allclose(scores, vectors[rows] @ vectors[7], atol=1e-6)
    assert index.model == "model@1"


def test_a_search_limited_to_ranges_returns_rows_of_the_ranges_only(tmp_path: Path) -> None:
    vectors = _unit_rows(100, 8)
    index = _write(tmp_path, vectors)
    rows, _ = index.search(vectors[50], k=100, ranges=[(3, 5), (60, 70)])
    assert rows.tolist() == [3, 4, *range(60, 70)]
    assert index.search(vectors[50], k=5, ranges=[])[0].size == 0


def test_rows_without_a_vector_are_never_returned(tmp_path: Path) -> None:
    vectors = _unit_rows(10, 8)
    vectors[[2, 5]] = 0
    rows, _ = _write(tmp_path, vectors).search(vectors[0], k=10)
    assert set(rows.tolist()) == set(range(10)) - {2, 5}


def test_approximate_search_finds_nearly_all_of_the_exact_neighbours_with_their_exact_scores(tmp_path: Path) -> None:
    vectors = _unit_rows(3000, 32)
    index = _write(tmp_path, vectors, ann_rows=1000)
    assert index.has_ann
    found = wanted = 0
    for query in _unit_rows(50, 32, seed=2):
        exact, _ = index.search(query, 10, exact=True)
        near, scores = index.search(query, 10)
        assert np.allclose(scores, vectors[near] @ query, atol=1e-6)
        found += len(set(near.tolist()) & set(exact.tolist()))
        wanted += len(exact)
    assert found / wanted >= 0.98


def test_a_scope_is_searched_exactly_even_where_there_is_an_approximate_index(tmp_path: Path) -> None:
    vectors = _unit_rows(300, 16)
    index = _write(tmp_path, vectors, ann_rows=100)
    rows, _ = index.search(vectors[0], k=300, ranges=[(10, 20)])
    assert rows.tolist() == list(range(10, 20))


def test_an_index_without_rows_or_dimensions_finds_nothing(tmp_path: Path) -> None:
    assert _write(tmp_path / "a", np.zeros((0, 0), np.float32)).search(np.zeros(0, np.float32), 3)[0].size == 0
    assert _write(tmp_path / "b", np.zeros((4, 0), np.float32)).search(np.zeros(0, np.float32), 3)[0].size == 0


def test_another_format_is_refused(tmp_path: Path) -> None:
    _write(tmp_path, _unit_rows(3, 4))
    head = json.loads((tmp_path / "dense.json").read_text())
    (tmp_path / "dense.json").write_text(json.dumps(head | {"format": "dense-99"}))
    with pytest.raises(StoreVersionError, match="dense-99"):
        DenseIndex.open(tmp_path)
    with pytest.raises(SchemaError, match="no dense index"):
        DenseIndex.open(tmp_path / "nothing")


def test_equal_vectors_have_equal_scores_wherever_they_stand(tmp_path: Path) -> None:
    vectors = _unit_rows(333, 48)
    vectors[[3, 8, 101, 332]] = vectors[200]
    query = _unit_rows(1, 48, seed=5)[0]
    rows, scores = _write(tmp_path, vectors).search(query, k=333)
    assert len({scores[rows == row].item() for row in (3, 8, 101, 200, 332)}) == 1


def _write_segments(folder: Path, segments: list[NDArray[np.float32]], previous: Path | None = None) -> DenseIndex:
    folder.mkdir(parents=True)
    writer = DenseWriter(folder, previous)
    for vectors in segments:
        writer.append(vectors)
    writer.close("model@1", ann_rows=100)
    return DenseIndex.open(folder)


def test_segments_are_searched_as_one_index(tmp_path: Path) -> None:
    vectors = _unit_rows(900, 32)
    index = _write_segments(tmp_path / "a", [np.zeros((5, 0), np.float32), vectors[:100], vectors[100:100], vectors[100:]])
    assert (index.vectors.shape, index.present.sum()) == ((905, 32), 900)
    found = wanted = 0
    for query in _unit_rows(30, 32, seed=3):
        exact = set(index.search(query, 10, exact=True)[0].tolist())
        found += len(exact & set(index.search(query, 10)[0].tolist()))
        wanted += len(exact)
    assert found / wanted >= 0.98


def test_a_segment_that_did_not_change_keeps_its_graph(tmp_path: Path) -> None:
    vectors = _unit_rows(400, 16)
    _write_segments(tmp_path / "old", [vectors[:200], vectors[200:]])
    _write_segments(tmp_path / "new", [vectors[:150], vectors[200:]], tmp_path / "old")
    kept, rebuilt = ((tmp_path / "new" / name).stat().st_ino for name in ("ann-1.usearch", "ann-0.usearch"))
    before = [(tmp_path / "old" / f"ann-{n}.usearch").stat().st_ino for n in (0, 1)]
    assert kept == before[1]
    assert rebuilt not in before


def test_vectors_of_two_sizes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="vectors of 16 and of 8 dimensions"):
        _write_segments(tmp_path / "a", [_unit_rows(3, 8), _unit_rows(3, 16)])
