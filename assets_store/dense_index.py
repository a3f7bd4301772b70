"""Vectors of one level as a memory-mapped matrix, with an approximate index beside it where they are many.

dense.json     format, model, number of rows and dimensions, whether there is an approximate index
vectors.npy    float32 [n_rows, dim], rows of length 1; a row without vector is all zeros
present.npy    bool [n_rows], which rows have a vector
ann.usearch    HNSW graph over the rows that have one; keys are rows
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assets_store.errors import SchemaError, StoreVersionError
from assets_store.top_rows import top_rows

FORMAT = "docnav-dense-1"
# Rows scored in one piece; 64k x 768 floats are 200 MB read, and the scores of a piece 256 KB.
_CHUNK = 65_536
# Candidates taken from the approximate index per wanted row, scored exactly afterwards.
_OVERSAMPLING = 4
_MIN_CANDIDATES = 64
# By how much a matrix product of unit vectors may be off in single precision.
_SLACK = 1e-5
_CONNECTIVITY = 16
_EXPANSION_ADD = 128
# recall@10 on 100,000 vectors of MiniLM, mixed and noised: 64 gives 0.89, 256 0.96, 512 0.98, 1,024 0.99 in 2.5 ms.
_EXPANSION_SEARCH = 1024

Ranges = Sequence[tuple[int, int]]


def write_dense_index(folder: Path, vectors: NDArray[np.float32], model: str, ann_rows: int) -> bool:
    """Write an index into an existing, empty folder; whether an approximate index was built.

    vectors: float32 [n_rows, dim], rows of length 1 or all zeros for none. model: id of the model that made them.
    ann_rows: from this many vectors on, an approximate index is built.
    """
    present = np.any(vectors, axis=1) if vectors.size else np.zeros(vectors.shape[0], dtype=np.bool_)
    np.save(folder / "vectors.npy", np.ascontiguousarray(vectors, dtype=np.float32))
    np.save(folder / "present.npy", present)
    with_ann = int(present.sum()) >= ann_rows
    if with_ann:
        _write_ann(folder / "ann.usearch", vectors, np.flatnonzero(present))
    head = {"format": FORMAT, "model": model, "rows": vectors.shape[0], "dim": vectors.shape[1], "ann": with_ann}
    (folder / "dense.json").write_text(json.dumps(head, indent=1), encoding="utf-8")
    return with_ann


def _write_ann(path: Path, vectors: NDArray[np.float32], rows: NDArray[np.int64]) -> None:
    from usearch.index import Index

    index = Index(
        ndim=vectors.shape[1],
        metric="ip",
        dtype="bf16",
        connectivity=_CONNECTIVITY,
        expansion_add=_EXPANSION_ADD,
        expansion_search=_EXPANSION_SEARCH,
    )
    for start in range(0, rows.size, _CHUNK):
        part = rows[start : start + _CHUNK]
        index.add(part.astype(np.uint64), vectors[part])
    index.save(str(path))


@dataclass(frozen=True, slots=True)
class DenseIndex:
    """An opened index. model: id of the model that made the vectors; empty where there are none."""

    model: str
    vectors: NDArray[np.float32]
    present: NDArray[np.bool_]
    ann: Any | None

    @classmethod
    def open(cls, folder: Path) -> DenseIndex:
        """Open an index, memory-mapped. Raises StoreVersionError where another version wrote it."""
        try:
            head = json.loads((folder / "dense.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise SchemaError(f"no dense index in {folder}: {error}; run `docnav index` to write it anew") from error
        if head.get("format") != FORMAT:
            raise StoreVersionError(
                f"the dense index has format {head.get('format')!r}, this version reads {FORMAT!r}; run `docnav index` to write it anew"
            )
        # An empty array cannot be mapped.
        vectors = np.load(folder / "vectors.npy", mmap_mode="r" if head["rows"] * head["dim"] else None)
        ann = None
        if head["ann"]:
            from usearch.index import Index

            # The file does not keep how far a search expands.
            ann = Index.restore(str(folder / "ann.usearch"), view=True, expansion_search=_EXPANSION_SEARCH)
        return cls(head["model"], vectors, np.load(folder / "present.npy"), ann)

    @property
    def dim(self) -> int:
        return int(self.vectors.shape[1])

    def search(
        self, query: NDArray[np.float32], k: int, ranges: Ranges | None = None, exact: bool = False
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Rows nearest to a unit vector: (rows in ascending order, their cosines).

        At least k rows where so many have vectors, more where scores at the k-th place are equal.
        ranges: ascending, disjoint row ranges to which the search is limited; None = all rows, by the approximate index where there is one.
        exact: leave the approximate index aside.
        """
        query = np.ascontiguousarray(query, dtype=np.float32)
        if self.ann is not None and ranges is None and not exact:
            found = self.ann.search(query, max(_OVERSAMPLING * k, _MIN_CANDIDATES))
            return self._rescored(query, np.sort(found.keys.astype(np.int64)), k)
        parts = [(start, end) for first, last in self._ranges(ranges) for start, end in _chunks(first, last)]
        if not parts:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
        rows = np.concatenate([np.arange(start, end) for start, end in parts])
        scores = np.concatenate([self.vectors[start:end] @ query for start, end in parts])
        scores = np.where(self.present[rows], scores, np.float32(-np.inf))
        return self._rescored(query, rows[top_rows(scores, k, slack=_SLACK)], k)

    def _rescored(self, query: NDArray[np.float32], rows: NDArray[np.int64], k: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        scores = self.scores(query, rows)
        best = top_rows(scores, k)
        return rows[best], scores[best]

    def scores(self, query: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Cosines of some rows with a unit vector, float32 [len(rows)]; 0 for a row without vector."""
        # Row by row in double precision: a matrix product rounds by the place of a row in the matrix, so that equal texts
        # would come in an order of chance.
        return np.asarray((self.vectors[rows] * query.astype(np.float64)).sum(axis=1), dtype=np.float32)

    def _ranges(self, ranges: Ranges | None) -> Ranges:
        return [(0, self.vectors.shape[0])] if ranges is None else ranges


def _chunks(first: int, last: int) -> list[tuple[int, int]]:
    return [(start, min(start + _CHUNK, last)) for start in range(first, last, _CHUNK)]
