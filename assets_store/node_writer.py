"""Writes the nodes of a snapshot shard by shard, as the files that `node_index` reads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from assets_store.arrow_files import new_file
from assets_store.errors import SchemaError
from assets_store.node_index import DOCUMENT_COLUMNS, FORMAT, KINDS, NODE_COLUMNS, SCHEMAS

_BY_SHARD = ("documents", "nodes", "paragraphs")


class NodeWriter:
    """Writes the four files into an existing, empty folder; memory holds one shard."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writers = {name: _writer(folder, name) for name in _BY_SHARD}
        self._n_documents = self._n_nodes = 0

    def append(self, documents: pl.DataFrame, nodes: pl.DataFrame, paragraphs: pl.DataFrame) -> int:
        """Add a shard; row of its first node in the file.

        documents: with the titles of their `folders`; nodes: as from `ordered_nodes`; paragraphs: table rows. Raises SchemaError for
        lost rows.
        """
        first = self._n_nodes
        counts = np.bincount(nodes["document"].to_numpy(), minlength=documents.height) if nodes.height else np.zeros(documents.height, int)
        ends = np.cumsum(counts) + first
        by_id = documents.sort("doc_id").select(
            *DOCUMENT_COLUMNS, pl.Series("first", ends - counts, pl.Int32), pl.Series("end", ends, pl.Int32)
        )
        parent, document = pl.col("parent"), pl.col("document") + self._n_documents
        placed = nodes.select(
            "node_id",
            pl.col("code").alias("kind"),
            document,
            pl.when(parent >= 0).then(parent + first).otherwise(parent).cast(pl.Int32).alias("parent"),
            pl.col("end") + first,
            *NODE_COLUMNS,
        )
        for name, rows in zip(_BY_SHARD, (by_id, placed, _texts(nodes, paragraphs)), strict=True):
            _append(self._writers[name], name, rows)
        self._n_documents += documents.height
        self._n_nodes += nodes.height
        return first

    def close(self, communities: pl.DataFrame) -> None:
        """Finish the files. communities: one row each, in order: community_id, level, label_terms, members (rows of nodes), n_tokens."""
        for writer in self._writers.values():
            writer.close()
        with _writer(self._folder, "communities") as writer:
            _append(writer, "communities", communities)


def ordered_nodes(documents: pl.DataFrame, tree: pl.DataFrame) -> pl.DataFrame:
    """The tree in the order of nodes.arrow with the integer columns of that file. Raises SchemaError where rows do not fit together."""
    known = documents.select("doc_id").sort("doc_id").with_row_index("document")
    nodes = tree.join(known, on="doc_id", how="left").sort("document", "preorder", nulls_last=False)
    if nodes["document"].null_count():
        lost = nodes.filter(pl.col("document").is_null())["node_id"][0]
        raise SchemaError(f"table tree: node {lost!r} belongs to no row of table documents; rebuild both from one snapshot")
    rows = nodes.select("node_id").with_row_index("parent")
    nodes = nodes.join(rows, left_on="parent_id", right_on="node_id", how="left", maintain_order="left")
    orphans = nodes.filter(pl.col("parent").is_null() & pl.col("parent_id").is_not_null())
    if orphans.height:
        raise SchemaError(
            f"table tree: parent {orphans['parent_id'][0]!r} of node {orphans['node_id'][0]!r} is not in the table; rebuild the document"
        )
    parent = nodes["parent"].cast(pl.Int32).fill_null(-1).to_numpy()
    return nodes.with_columns(
        pl.Series("parent", parent, pl.Int32),
        pl.Series("end", _subtree_ends(parent, nodes["node_id"]), pl.Int32),
        pl.col("document").cast(pl.Int32),
        pl.col("kind").replace_strict({kind: code for code, kind in enumerate(KINDS)}, return_dtype=pl.Int8).alias("code"),
    )


def _subtree_ends(parent: NDArray[np.int32], node_ids: pl.Series) -> NDArray[np.int32]:
    """Row after the last row of each subtree, from parents in preorder."""
    # Plain lists: reading single elements of an array costs three times as much.
    ends = list(range(1, parent.size + 1))
    parents = parent.tolist()
    # Children come after their parent, so going backwards each end is final when it is handed up.
    for row in range(len(parents) - 1, -1, -1):
        above = parents[row]
        if above >= row:
            raise SchemaError(f"table tree: node {node_ids[row]!r} comes before its parent in preorder; rebuild the document")
        if above >= 0 and ends[row] > ends[above]:
            ends[above] = ends[row]
    return np.array(ends, dtype=np.int32)


def _texts(nodes: pl.DataFrame, paragraphs: pl.DataFrame) -> pl.DataFrame:
    units = nodes.filter(pl.col("kind") == "paragraph").select("node_id")
    texts = units.join(paragraphs, left_on="node_id", right_on="paragraph_id", how="left", maintain_order="left")
    if texts["text"].null_count():
        lost = texts.filter(pl.col("text").is_null())["node_id"][0]
        raise SchemaError(f"node {lost!r} of table tree has no row in table paragraphs; rebuild the document")
    # -1 where a unit has no block, as made-up ones may.
    ends = {f"{end}_block": pl.col("blocks").list.get(at, null_on_oob=True).fill_null(-1) for end, at in (("first", 0), ("last", -1))}
    return texts.select("text", "kind", "boxes", **ends)


def _writer(folder: Path, name: str) -> pa.RecordBatchFileWriter:
    return new_file(folder / f"{name}.arrow", SCHEMAS[name], FORMAT)


def _append(writer: pa.RecordBatchFileWriter, name: str, frame: pl.DataFrame) -> None:
    """One batch a shard, so that a document lies in one chunk."""
    table = frame.select(SCHEMAS[name].names).to_arrow().cast(SCHEMAS[name]).combine_chunks()
    if table.num_rows:
        writer.write_batch(table.to_batches()[0])
