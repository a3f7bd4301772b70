"""Nodes of a snapshot as memory-mapped Arrow files, in an order that makes every subtree one range of rows.

    documents.arrow     every document of the snapshot, by doc_id; `first`..`end` are its rows in nodes.arrow (equal: no text)
    nodes.arrow         every tree node, by (doc_id, preorder); `parent` and `end` are rows, so a subtree is row..end
    paragraphs.arrow    text and boxes of the nodes of kind paragraph, in the order of nodes.arrow
    communities.arrow   every community, by (level, community_id); `members` are rows in nodes.arrow

The tables in Parquet stay the truth; these files hold the same values, written once per snapshot so that opening it costs
no decoding. Rows here are positions in these files and are never stored elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from assets_store.errors import SchemaError, StoreVersionError

FORMAT = "docnav-nodes-2"
KINDS = ("document", "section", "paragraph")

_INT = pa.int32()
# large_string: the texts of one snapshot may pass 2 GiB, which 32-bit offsets cannot hold.
_TEXT = pa.large_string()
_TEXTS = pa.list_(pa.string())
_BOXES = pa.list_(pa.struct([("page", _INT), ("bbox", pa.list_(pa.float32()))]))

_SCHEMAS = {
    "documents": pa.schema(
        [
            ("doc_id", _TEXT),
            ("doc", _TEXT),
            ("uri", _TEXT),
            ("kb", _TEXT),
            ("product_version", _TEXT),
            ("access_labels", _TEXTS),
            ("folders", _TEXTS),
            ("title", _TEXT),
            ("language", _TEXT),
            ("status", _TEXT),
            ("reason", _TEXT),
            ("first", _INT),
            ("end", _INT),
        ]
    ),
    "nodes": pa.schema(
        [
            ("node_id", _TEXT),
            ("kind", pa.int8()),
            ("document", _INT),
            ("parent", _INT),
            ("end", _INT),
            ("position", _INT),
            ("title", _TEXT),
            ("label", _TEXT),
            ("page_start", _INT),
            ("page_end", _INT),
            ("n_tokens", _INT),
            ("height", _INT),
        ]
    ),
    "paragraphs": pa.schema([("text", _TEXT), ("kind", _TEXT), ("boxes", _BOXES)]),
    "communities": pa.schema(
        [("community_id", _TEXT), ("level", _INT), ("label_terms", _TEXTS), ("members", pa.list_(_INT)), ("n_tokens", pa.int64())]
    ),
}

_DOCUMENT_COLUMNS = ("doc_id", "doc", "uri", "kb", "product_version", "access_labels", "folders", "title", "language", "status", "reason")
_NODE_COLUMNS = ("position", "title", "label", "page_start", "page_end", "n_tokens", "height")


@dataclass(frozen=True, slots=True)
class NodeIndex:
    """The four files, opened; columns are memory-mapped Arrow arrays in one chunk."""

    documents: pa.RecordBatch
    nodes: pa.RecordBatch
    paragraphs: pa.RecordBatch
    communities: pa.RecordBatch

    def integers(self, file: str, column: str) -> NDArray[Any]:
        """A column of whole numbers without nulls as a read-only array over the mapped file, in its own width."""
        batch: pa.RecordBatch = getattr(self, file)
        values = batch.column(column)
        width = {8: np.int8, 32: np.int32, 64: np.int64}[values.type.bit_width]
        # Not to_numpy(): it imports pandas where that is installed, which takes longer than opening the snapshot.
        return np.frombuffer(values.buffers()[1] or b"", dtype=width, count=len(values), offset=values.offset * values.type.bit_width // 8)

    def row_of(self, node_id: str, first: int, end: int) -> int | None:
        """Row of a node among the rows first..end; None where it is not there."""
        if first == end:
            return None
        _, offsets_buffer, data = self.nodes.column("node_id").buffers()
        offsets = np.frombuffer(offsets_buffer, dtype=np.int64)[first : end + 1]
        # The ids of these rows stand one after another, so a search in bytes finds one without making the others.
        ids, wanted, at = data.slice(offsets[0], offsets[-1] - offsets[0]).to_pybytes(), node_id.encode("utf-8", "replace"), -1
        while wanted and (at := ids.find(wanted, at + 1)) >= 0:
            row = int(np.searchsorted(offsets, offsets[0] + at, side="right")) - 1
            if offsets[row] == offsets[0] + at and offsets[row + 1] == offsets[row] + len(wanted):
                return first + row
        return None


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


def write_node_index(
    folder: Path, documents: pl.DataFrame, nodes: pl.DataFrame, paragraphs: pl.DataFrame, communities: pl.DataFrame
) -> None:
    """Write the four files. documents: with the titles of their `folders`; nodes: as from `ordered_nodes`; the others: table rows.

    Raises SchemaError for lost rows.
    """
    size = documents.height
    counts = np.bincount(nodes["document"].to_numpy(), minlength=size) if nodes.height else np.zeros(size, np.int64)
    ends = np.cumsum(counts)
    by_id = documents.sort("doc_id").select(
        *_DOCUMENT_COLUMNS, pl.Series("first", ends - counts, pl.Int32), pl.Series("end", ends, pl.Int32)
    )
    _write(folder, "documents", by_id)
    _write(folder, "nodes", nodes.select("node_id", pl.col("code").alias("kind"), "document", "parent", "end", *_NODE_COLUMNS))
    _write(folder, "paragraphs", _texts(nodes, paragraphs))
    _write(folder, "communities", _communities(nodes, communities))


def _texts(nodes: pl.DataFrame, paragraphs: pl.DataFrame) -> pl.DataFrame:
    units = nodes.filter(pl.col("kind") == "paragraph").select("node_id")
    texts = units.join(paragraphs, left_on="node_id", right_on="paragraph_id", how="left", maintain_order="left")
    if texts["text"].null_count():
        lost = texts.filter(pl.col("text").is_null())["node_id"][0]
        raise SchemaError(f"node {lost!r} of table tree has no row in table paragraphs; rebuild the document")
    return texts.select("text", "kind", "boxes")


def ordered_communities(communities: pl.DataFrame) -> pl.DataFrame:
    """One row per community (community_id, level, label_terms, members as node ids), in the order of communities.arrow."""
    return (
        communities.group_by("community_id")
        .agg(pl.col("level").first(), pl.col("label_terms").first(), pl.col("node_id").sort().alias("members"))
        .sort("level", "community_id")
    )


def _communities(nodes: pl.DataFrame, communities: pl.DataFrame) -> pl.DataFrame:
    rows = nodes.select("node_id", "n_tokens").with_row_index("row")
    members = communities.join(rows, on="node_id", how="left")
    if members["row"].null_count():
        lost = members.filter(pl.col("row").is_null())["node_id"][0]
        raise SchemaError(f"member {lost!r} of table communities is not in table tree; rebuild the communities")
    return (
        members.group_by("community_id")
        .agg(
            pl.col("level").first(),
            pl.col("label_terms").first(),
            pl.col("row").sort().cast(pl.Int32).alias("members"),
            pl.col("n_tokens").cast(pl.Int64).sum(),
        )
        .sort("level", "community_id")
    )


def _write(folder: Path, name: str, frame: pl.DataFrame) -> None:
    schema = _SCHEMAS[name].with_metadata({"format": FORMAT})
    # One record batch, so that every column is one array over the mapped file.
    batch = frame.select(_SCHEMAS[name].names).to_arrow().cast(_SCHEMAS[name]).combine_chunks()
    with pa.OSFile(str(folder / f"{name}.arrow"), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
        columns = [batch.column(i).chunk(0) if batch.num_rows else pa.array([], field.type) for i, field in enumerate(_SCHEMAS[name])]
        writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))


def open_node_index(folder: Path) -> NodeIndex:
    """Open the four files of a folder, memory-mapped. Raises StoreVersionError where another version wrote them."""
    return NodeIndex(**{name: _open(folder / f"{name}.arrow") for name in _SCHEMAS})


def _open(path: Path) -> pa.RecordBatch:
    try:
        reader = pa.ipc.open_file(pa.memory_map(str(path)))
    except (OSError, pa.ArrowInvalid) as error:
        raise SchemaError(f"cannot open the search index file {path}: {error}; run `docnav index` again to write it anew") from error
    found = (reader.schema.metadata or {}).get(b"format", b"").decode()
    if found != FORMAT:
        raise StoreVersionError(
            f"{path.name} has format {found or 'none'}, this version reads {FORMAT}; run `docnav index` to write it anew"
        )
    return reader.get_batch(0)
