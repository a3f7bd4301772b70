"""Lateral edges of a snapshot by node row, as a memory-mapped Arrow file; written by `edge_writer`.

    edges.arrow     every lateral edge; one batch for each part of the table, by row of the source. `by_target` holds the places of the
                    batch's edges in the order of their targets, those without a target node first

Looking up the edges of one node costs a search in each batch, whatever the number of edges.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from assets_store.arrow_files import numbers, open_mapped

FILE = "edges.arrow"
FORMAT = "docnav-edges-1"
# target -1: a candidate whose mention nothing resolves; `mention` holds its text, and is null for all others.
SCHEMA = pa.schema(
    [
        ("source", pa.int32()),
        ("target", pa.int32()),
        ("by_target", pa.int32()),
        ("mention", pa.large_string()),
        ("kind", pa.string()),
        ("weight", pa.float32()),
        ("why", pa.large_string()),
        ("status", pa.string()),
    ]
)


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """One edge between node rows. target: -1 where the mention of a candidate was not resolved."""

    source: int
    target: int
    mention: str | None
    kind: str
    weight: float
    why: str
    status: str


@dataclass(frozen=True, slots=True)
class _Batch:
    columns: dict[str, pa.Array]
    source: NDArray[np.int32]
    target: NDArray[np.int32]
    by_target: NDArray[np.int32]

    def places(self, row: int) -> list[int]:
        """Places of the edges that leave or reach a node row, each once."""
        first, end = np.searchsorted(self.source, [row, row + 1])
        low, high = self._target_range(row)
        # An edge from a node to itself would be found twice.
        return [*range(first, end), *(int(at) for at in self.by_target[low:high] if not first <= at < end)]

    def _target_range(self, row: int) -> tuple[int, int]:
        """Where `by_target` holds the edges that reach a row. Bisection by hand: sorting the targets would touch every page."""
        bounds = []
        for wanted in (row, row + 1):
            low, high = 0, len(self.by_target)
            while low < high:
                middle = (low + high) // 2
                if self.target[self.by_target[middle]] < wanted:
                    low = middle + 1
                else:
                    high = middle
            bounds.append(low)
        return bounds[0], bounds[1]


class EdgeIndex:
    """The file, opened."""

    def __init__(self, table: pa.Table) -> None:
        self._batches = []
        for batch in table.to_batches():
            columns = {name: batch.column(name) for name in SCHEMA.names}
            self._batches.append(_Batch(columns, *(numbers(columns[name]) for name in ("source", "target", "by_target"))))

    @classmethod
    def open(cls, folder: Path) -> EdgeIndex:
        """Open the file of a folder, memory-mapped. Raises SchemaError or StoreVersionError, saying how to write it anew."""
        return cls(open_mapped(folder / FILE, FORMAT))

    def at(self, row: int) -> Iterator[EdgeRow]:
        """Edges that leave or reach a node row, in no special order."""
        names = ("source", "target", "mention", "kind", "weight", "why", "status")
        for batch in self._batches:
            for place in batch.places(row):
                values: list[Any] = [batch.columns[name][place].as_py() for name in names]
                yield EdgeRow(*values)
