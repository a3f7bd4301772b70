"""Vectors of one level as a memory-mapped matrix, with approximate indexes beside it where they are many; written by `dense_writer`.

    dense.json       format, model, number of rows and dimensions, segments
    vectors.f32      float32 [n_rows, dim], rows of length 1; a row without vector is all zeros
    present.npy      bool [n_rows], which rows have a vector
    ann-N.usearch    HNSW graph over the rows of segment N that have one; keys are rows counted from the segment's first

A segment is a run of rows that change together, those of a shard: an unchanged one keeps its graph, and a graph depends on nothing
but its own vectors.
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
from assets_store.mapped import load_mapped
from assets_store.top_rows import top_rows

FORMAT = "docnav-dense-2"
# Rows scored in one piece; 64k x 768 floats are 200 MB read, and the scores of a piece 256 KB.
CHUNK = 65_536
# Candidates taken from the approximate indexes per wanted row, scored exactly afterwards.
_OVERSAMPLING = 4
_MIN_CANDIDATES = 64
# By how much a matrix product of unit vectors may be off in single precision.
_SLACK = 1e-5
# How far a search expands in all segments together; see docs/benchmarks.md, "Many paragraphs".
_EXPANSION_SEARCH = 1024
_MIN_EXPANSION = 64

Ranges = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Segment:
    """Rows first..end. hash: of their vectors. ann: the opened approximate index, None where there is none."""

    first: int
    end: int
    hash: str
    ann: Any | None


@dataclass(frozen=True, slots=True)
class DenseIndex:
    """An opened index. model: id of the model that made the vectors; empty where there are none."""

    model: str
    vectors: NDArray[np.float32]
    present: NDArray[np.bool_]
    segments: tuple[Segment, ...]

    @classmethod
    def open(cls, folder: Path) -> DenseIndex:
        """Open an index, memory-mapped. Raises StoreVersionError where another version wrote it."""
        head = read_head(folder)
        shape = (head["rows"], head["dim"])
        # An empty array cannot be mapped.
        vectors = (
            np.memmap(folder / "vectors.f32", np.float32, "r", shape=shape).view(np.ndarray) if all(shape) else np.zeros(shape, np.float32)
        )
        with_ann = sum(segment["ann"] for segment in head["segments"])
        expansion = max(_MIN_EXPANSION, _EXPANSION_SEARCH // max(1, with_ann))
        segments = [
            Segment(s["first"], s["end"], s["hash"], _open_ann(folder / f"ann-{number}.usearch", expansion) if s["ann"] else None)
            for number, s in enumerate(head["segments"])
        ]
        return cls(head["model"], vectors, load_mapped(folder / "present.npy"), tuple(segments))

    @property
    def dim(self) -> int:
        return int(self.vectors.shape[1])

    @property
    def has_ann(self) -> bool:
        """Whether a search over all rows may be approximate."""
        return any(segment.ann is not None for segment in self.segments)

    def search(
        self, query: NDArray[np.float32], k: int, ranges: Ranges | None = None, exact: bool = False
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Rows nearest to a unit vector: (rows in ascending order, their cosines).

        At least k rows where so many have vectors, more where scores at the k-th place are equal.
        ranges: ascending, disjoint row ranges to which the search is limited; None = all rows, by the approximate indexes where there
        are any. exact: leave the approximate indexes aside.
        """
        query = np.ascontiguousarray(query, dtype=np.float32)
        if self.has_ann and ranges is None and not exact:
            return self._rescored(query, self._near(query, max(_OVERSAMPLING * k, _MIN_CANDIDATES)), k)
        parts = [(start, end) for first, last in self._ranges(ranges) for start, end in _chunks(first, last)]
        if not parts:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
        rows = np.concatenate([np.arange(start, end) for start, end in parts])
        scores = np.concatenate([self.vectors[start:end] @ query for start, end in parts])
        scores = np.where(self.present[rows], scores, np.float32(-np.inf))
        return self._rescored(query, rows[top_rows(scores, k, slack=_SLACK)], k)

    def _near(self, query: NDArray[np.float32], n: int) -> NDArray[np.int64]:
        """About n rows near to a query, ascending: the best of what each segment gives."""
        rows, distances = [], []
        for segment in self.segments:
            if segment.ann is not None:
                found = segment.ann.search(query, n)
                rows.append(found.keys.astype(np.int64) + segment.first)
                distances.append(found.distances)
        all_rows, nearness = np.concatenate(rows), -np.concatenate(distances)
        return np.sort(all_rows[top_rows(nearness, n)])

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


def read_head(folder: Path) -> dict[str, Any]:
    """What dense.json says. Raises SchemaError where there is none, StoreVersionError where another version wrote it."""
    try:
        head: dict[str, Any] = json.loads((folder / "dense.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SchemaError(f"no dense index in {folder}: {error}; run `docnav index` to write it anew") from error
    if head.get("format") != FORMAT:
        raise StoreVersionError(
            f"the dense index has format {head.get('format')!r}, this version reads {FORMAT!r}; run `docnav index` to write it anew"
        )
    return head


def _open_ann(path: Path, expansion: int) -> Any:
    from usearch.index import Index

    # The file does not keep how far a search expands.
    return Index.restore(str(path), view=True, expansion_search=expansion)


def _chunks(first: int, last: int) -> list[tuple[int, int]]:
    return [(start, min(start + CHUNK, last)) for start in range(first, last, CHUNK)]
