"""Nodes and lateral edges of a snapshot as small columns: rows instead of ids, codes instead of words, no text."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from assets_store.snapshot import Snapshot
from docnav_pipeline.report.batches import batches, gathered
from docnav_pipeline.transforms.node_rows import NodeRows
from docnav_pipeline.transforms.profiles import with_scopes

NODE_KINDS = ("document", "section", "paragraph")
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class GraphArrays:
    """The graph of one snapshot, by row.

    nodes: node_id, parent_id, kind, depth, n_tokens, in_R of all tree nodes; a row is a position in it.
    edges: source and target (rows; -1 for a text that no node answers to), kind, weight, confirmed; in the order of the table.
    """

    nodes: pl.DataFrame
    edges: pl.DataFrame

    @staticmethod
    def of(snapshot: Snapshot) -> GraphArrays:
        nodes = gathered(snapshot, "tree", ["node_id", "parent_id", "kind", "depth", "n_tokens"])
        nodes = with_scopes(nodes, gathered(snapshot, "profiles", ["node_id", "in_R"]))
        return GraphArrays(nodes, _edges(snapshot, nodes["node_id"]))

    def degrees(self, kind: str) -> Ints:
        """Confirmed edges of a kind at each node, either end counted, int64 [n_nodes]."""
        edges = self.edges.filter(pl.col("confirmed") & (pl.col("kind") == kind) & (pl.col("target") >= 0))
        ends = np.concatenate([edges["source"].to_numpy(), edges["target"].to_numpy()])
        return np.bincount(ends[ends >= 0], minlength=self.nodes.height)

    def inherited(self, marks: Ints) -> Ints:
        """Marks of nodes, -1 for none, handed down to all nodes below that have none of their own, int64 [n_nodes]."""
        rows = NodeRows.of(self.nodes)
        found = marks.copy()
        for depth in range(1, int(rows.depth.max(initial=0)) + 1):
            here = np.flatnonzero((rows.depth == depth) & (found < 0))
            found[here] = found[rows.parent[here]]
        return found


def _edges(snapshot: Snapshot, node_ids: pl.Series) -> pl.DataFrame:
    rows = pl.DataFrame({"id": node_ids}).with_row_index("row").with_columns(pl.col("row").cast(pl.Int64))
    schema = {"source": pl.Int64, "target": pl.Int64, "kind": pl.Categorical, "weight": pl.Float32, "confirmed": pl.Boolean}
    frames = [pl.DataFrame(schema=schema)]
    for batch in batches(snapshot, "lateral_edges", ["source_id", "target_id", "kind", "weight", "status"]):
        ends = [
            batch.select(id=name).join(rows, on="id", how="left", maintain_order="left")["row"].fill_null(-1)
            for name in ("source_id", "target_id")
        ]
        frames.append(
            batch.select(
                source=ends[0],
                target=ends[1],
                kind=pl.col("kind").cast(pl.Categorical),
                weight="weight",
                confirmed=pl.col("status") == "confirmed",
            )
        )
    return pl.concat(frames)
