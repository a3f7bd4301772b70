"""Writes the lateral edges of a snapshot part by part, as the file that `edge_index` reads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from assets_store.arrow_files import new_file
from assets_store.edge_index import FILE, FORMAT, SCHEMA
from assets_store.errors import SchemaError


class EdgeWriter:
    """Writes the file into an existing folder; memory holds one part of the table."""

    def __init__(self, folder: Path) -> None:
        self._writer = new_file(folder / FILE, SCHEMA, FORMAT)

    def append(self, edges: pl.DataFrame, nodes: pl.DataFrame) -> None:
        """Add the edges of a part. edges: table rows. nodes: node_id, row, of every node that they join; others do no harm.

        Raises SchemaError for an edge that leaves no node, or that is confirmed and reaches none.
        """
        placed = edges
        for end in ("source", "target"):
            rows = nodes.select(pl.col("node_id").alias(f"{end}_id"), pl.col("row").cast(pl.Int32).alias(end))
            placed = placed.join(rows, on=f"{end}_id", how="left", maintain_order="left")
        is_lost = pl.col("source").is_null() | ((pl.col("status") == "confirmed") & pl.col("target").is_null())
        for source, target in placed.filter(is_lost).select("source_id", "target_id").head(1).iter_rows():
            raise SchemaError(f"table lateral_edges: an edge from {source!r} to {target!r} joins no two nodes of table tree; rebuild it")
        placed = placed.with_columns(
            pl.when(pl.col("target").is_null()).then("target_id").alias("mention"), pl.col("target").fill_null(-1)
        ).sort("source", maintain_order=True)
        by_target = np.argsort(placed["target"].to_numpy(), kind="stable").astype(np.int32)
        table = placed.with_columns(pl.Series("by_target", by_target, pl.Int32)).select(SCHEMA.names).to_arrow().cast(SCHEMA)
        if table.num_rows:
            self._writer.write_batch(table.combine_chunks().to_batches()[0])

    def close(self) -> None:
        """Finish the file."""
        self._writer.close()
