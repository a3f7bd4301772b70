"""Vectors of one level as a memory-mapped matrix, with approximate indexes beside it where they are many; written by `dense_writer`.

    dense.json       format, model, number of rows and dimensions, segments
    vectors.f32      float32 [n_rows, dim], rows of length 1; a row without vector is all zeros
    present.npy      bool [n_rows], which rows have a vector
    ann-N.faiss      inverted lists of the vectors of segment N, coded in 8 bits; ids are rows counted from the segment's first

A segment is a run of rows that change together, those of a shard: an unchanged one keeps its file, which depends on nothing but its
own vectors.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assets_store.errors import SchemaError, StoreVersionError
from assets_store.mapped import load_mapped
from assets_store.top_rows import top_rows

FORMAT = "docnav-dense-2"
# Rows scored in one piece; 64k x 768 floats are 200 MB read, and the scores of a piece 256 KB.
_CHUNK = 65_536
# Candidates taken from the approximate indexes per wanted row, scored exactly afterwards.
_OVERSAMPLING = 4
_MIN_CANDIDATES = 64
# By how much a matrix product of unit vectors may be off in single precision.
_SLACK = 1e-5
# Share of the lists of a segment that a search looks through: on 62,500 made vectors and 198 real questions, .03 finds 98 % of the nearest
# ten, .05 98 to 99 %. A graph (HNSW, 256 expansions), which took longer to build, found 78 to 92 %: texts come in tight groups.
_PROBED, _MIN_PROBED = 0.04, 48

Ranges = Sequence[tuple[int, int]]


class Segment:
    """Rows first..end, and the approximate index over them, which is opened when it is first searched."""

    def __init__(self, first: int, end: int, path: Path) -> None:
        self.first, self.end = first, end
        self._path = path

    @cached_property
    def _lists(self) -> Any:
        import faiss

        index: Any = faiss.read_index(str(self._path), faiss.IO_FLAG_MMAP_IFC)
        index.nprobe = min(index.nlist, max(_MIN_PROBED, round(_PROBED * index.nlist)))
        return index

    def near(self, query: NDArray[np.float32], n: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """At most n rows near to a query, nearest first, and about their cosines."""
        cosines, rows = self._lists.search(query[None], n)
        held = rows[0] >= 0
        return rows[0][held] + self.first, cosines[0][held]


@dataclass(frozen=True, slots=True)
class DenseIndex:
    """An opened index. model: id of the model that made the vectors, empty where there are none. segments: those with approximate files."""

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
        segments = tuple(
            Segment(s["first"], s["end"], folder / f"ann-{number}.faiss") for number, s in enumerate(head["segments"]) if s["ann"]
        )
        return cls(head["model"], vectors, load_mapped(folder / "present.npy"), segments)

    @property
    def dim(self) -> int:
        return int(self.vectors.shape[1])

    @property
    def has_ann(self) -> bool:
        """Whether a search over all rows may be approximate."""
        return bool(self.segments)

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
        """About n rows near to a query, ascending: the best of what the segments give.

        Each is asked for a fair share with room for chance first, and for more only while all that it gave is among the best.
        """
        share = n / len(self.segments)
        asked = [min(n, int(share + 5 * share**0.5) + 8)] * len(self.segments)
        found = [segment.near(query, m) for segment, m in zip(self.segments, asked, strict=True)]
        while True:
            cosines = np.concatenate([cosine for _, cosine in found])
            least = float(np.partition(cosines, cosines.size - n)[cosines.size - n]) if cosines.size > n else -np.inf
            full = [at for at, m in enumerate(asked) if m < n and found[at][1].size == m and float(found[at][1].min()) > least]
            if not full:
                break
            for at in full:
                asked[at] = min(n, 4 * asked[at])
                found[at] = self.segments[at].near(query, asked[at])
        rows = np.concatenate([segment_rows for segment_rows, _ in found])
        return np.sort(rows[top_rows(cosines, n)])

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


def _chunks(first: int, last: int) -> list[tuple[int, int]]:
    return [(start, min(start + _CHUNK, last)) for start in range(first, last, _CHUNK)]
