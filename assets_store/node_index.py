"""Nodes of a snapshot as memory-mapped Arrow files, in an order that makes every subtree one range of rows; written by `node_writer`.

    documents.arrow     every document of the snapshot, by (shard, doc_id); `first`..`end` are its rows in nodes.arrow (equal: no text)
    nodes.arrow         every tree node, by (shard, doc_id, preorder); `parent` and `end` are rows, so a subtree is row..end
    paragraphs.arrow    text, boxes, first and last layout block of the nodes of kind paragraph, in the order of nodes.arrow
    communities.arrow   every community, by (level, community_id); `members` are rows in nodes.arrow

The tables in Parquet stay the truth; these files hold the same values, written once per snapshot so that opening it costs
no decoding. Rows here are positions in these files and are never stored elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from assets_store.arrow_files import numbers, open_mapped

FORMAT = "docnav-nodes-4"
KINDS = ("document", "section", "paragraph")

_INT = pa.int32()
# large_string: the texts of one snapshot may pass 2 GiB, which 32-bit offsets cannot hold.
_TEXT = pa.large_string()
_TEXTS = pa.list_(pa.string())
_BOXES = pa.list_(pa.struct([("page", _INT), ("bbox", pa.list_(pa.float32()))]))

SCHEMAS = {
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
    "paragraphs": pa.schema([("text", _TEXT), ("kind", _TEXT), ("boxes", _BOXES), ("first_block", _INT), ("last_block", _INT)]),
    "communities": pa.schema(
        [("community_id", _TEXT), ("level", _INT), ("label_terms", _TEXTS), ("members", pa.list_(_INT)), ("n_tokens", pa.int64())]
    ),
}

DOCUMENT_COLUMNS = ("doc_id", "doc", "uri", "kb", "product_version", "access_labels", "folders", "title", "language", "status", "reason")
NODE_COLUMNS = ("position", "title", "label", "page_start", "page_end", "n_tokens", "height")


@dataclass(frozen=True, slots=True)
class NodeIndex:
    """The four files, opened; columns are memory-mapped Arrow arrays, one chunk a shard."""

    documents: pa.Table
    nodes: pa.Table
    paragraphs: pa.Table
    communities: pa.Table

    def integers(self, file: str, column: str) -> NDArray[Any]:
        """A column of whole numbers without nulls as a read-only array in its own width."""
        table: pa.Table = getattr(self, file)
        chunks = [numbers(chunk) for chunk in table.column(column).chunks]
        return chunks[0] if len(chunks) == 1 else np.concatenate(chunks) if chunks else np.empty(0, np.int32)

    def row_of(self, node_id: str, first: int, end: int) -> int | None:
        """Row of a node among the rows first..end; None where it is not there."""
        if first == end:
            return None
        # A document lies in one chunk.
        chunk = self.nodes.column("node_id").slice(first, end - first).chunk(0)
        _, offsets_buffer, data = chunk.buffers()
        offsets = np.frombuffer(offsets_buffer, dtype=np.int64)[chunk.offset : chunk.offset + len(chunk) + 1]
        # The ids of these rows stand one after another, so a search in bytes finds one without making the others.
        ids, wanted, at = data.slice(offsets[0], offsets[-1] - offsets[0]).to_pybytes(), node_id.encode("utf-8", "replace"), -1
        while wanted and (at := ids.find(wanted, at + 1)) >= 0:
            row = int(np.searchsorted(offsets, offsets[0] + at, side="right")) - 1
            if offsets[row] == offsets[0] + at and offsets[row + 1] == offsets[row] + len(wanted):
                return first + row
        return None


def open_node_index(folder: Path) -> NodeIndex:
    """Open the four files of a folder, memory-mapped. Raises StoreVersionError where another version wrote them."""
    return NodeIndex(**{name: open_mapped(folder / f"{name}.arrow", FORMAT) for name in SCHEMAS})
