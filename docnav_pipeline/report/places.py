"""Where a node is, as a person reads it: document, titles above it, page."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import polars as pl

from assets_store.ids import doc_of, level_of
from assets_store.snapshot import Snapshot
from docnav_pipeline.report.batches import gathered


@dataclass(frozen=True, slots=True)
class Place:
    """doc: file name. path: titles from the top section down. page: first page, None where the format has none."""

    node_id: str
    kind: str
    doc: str
    path: list[str]
    page: int | None

    @staticmethod
    def unknown(node_id: str) -> Place:
        """A node that the tree does not hold: its id is all there is to show."""
        return Place(node_id, level_of(node_id), doc_of(node_id), [], None)


def places_of(snapshot: Snapshot, node_ids: Collection[str]) -> dict[str, Place]:
    """Places by node id; ids that are no node are left out."""
    nodes = gathered(snapshot, "tree", ["node_id", "kind", "path", "page_start"], pl.col("node_id").is_in(sorted(node_ids)))
    wanted = {doc_of(node_id) for node_id in node_ids}
    names = dict(gathered(snapshot, "documents", ["doc_id", "doc"], pl.col("doc_id").is_in(sorted(wanted))).iter_rows())
    return {
        node_id: Place(node_id, kind, names.get(doc_of(node_id), doc_of(node_id)), path, page)
        for node_id, kind, path, page in nodes.iter_rows()
    }
