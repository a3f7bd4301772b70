"""Tree rows as arrays: who is whose parent, and which nodes stand above another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class NodeRows:
    """Nodes in the order of the tree rows given; a row is a position in that order, and -1 stands for none.

    ids: [n] node ids. parent: int64 [n], row of the parent, -1 for a document. depth: int64 [n], steps from the document.
    """

    ids: pl.Series
    parent: Rows
    depth: Rows

    @staticmethod
    def of(tree: pl.DataFrame) -> NodeRows:
        """From columns node_id and parent_id. Raises ValueError when an id is there twice, a parent is missing or nodes stand above
        themselves."""
        ids = tree["node_id"]
        if ids.n_unique() < len(ids):
            raise ValueError(f"tree: node {ids.filter(ids.is_duplicated())[0]!r} is there twice; expected one row per node")
        parent = rows_of(tree["parent_id"], ids)
        lost = np.flatnonzero((parent < 0) & tree["parent_id"].is_not_null().to_numpy())
        if len(lost):
            raise ValueError(
                f"tree: node {ids[int(lost[0])]!r} has a parent {tree['parent_id'][int(lost[0])]!r} that is no row of the tree"
            )
        depth = np.zeros(len(ids), np.int64)
        above = parent.copy()
        for _ in range(len(ids) + 1):
            inner = above >= 0
            if not inner.any():
                return NodeRows(ids, parent, depth)
            depth[inner] += 1
            above[inner] = parent[above[inner]]
        raise ValueError("tree: some nodes stand above themselves")

    def pairs_with_ancestors(self, start: Rows, with_self: bool = True) -> tuple[Rows, Rows]:
        """(start row, ancestor row) for some rows and every node above them, the rows themselves too where with_self."""
        lower, upper = start, start if with_self else self.parent[start]
        lowers: list[Rows] = []
        uppers: list[Rows] = []
        while len(lower):
            kept = upper >= 0
            lower, upper = lower[kept], upper[kept]
            lowers.append(lower)
            uppers.append(upper)
            upper = self.parent[upper]
        return np.concatenate(lowers) if lowers else start[:0], np.concatenate(uppers) if uppers else start[:0]


def rows_of(names: pl.Series, ids: pl.Series) -> Rows:
    """Row of each name in a column of different ids, -1 where it is null or unknown."""
    index = pl.DataFrame({"id": ids.cast(pl.String)}).with_row_index("row")
    found = pl.DataFrame({"id": names.cast(pl.String)}).join(index, on="id", how="left", maintain_order="left")["row"]
    return found.cast(pl.Int64).fill_null(-1).to_numpy()
