"""Lateral edges while they are made: one row type, and how rows from several sources become one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass

import polars as pl

from assets_store.rows import empty_rows
from assets_store.schemas import LATERAL_EDGES

_SCHEMA = empty_rows(LATERAL_EDGES).schema
MAX_MENTION = 200


@dataclass(frozen=True, slots=True)
class Edge:
    """A row of `lateral_edges`, columns in the order of the table."""

    source_id: str
    target_id: str
    kind: str
    weight: float
    why: str
    status: str = "confirmed"


def unresolved(source_id: str, kind: str, mention: str) -> Edge:
    """A candidate that nothing resolves: its target is the text of the mention, its weight 0."""
    text = mention[:MAX_MENTION]
    return Edge(source_id, text, kind, 0.0, f"no place found for “{text}”", "candidate")


def edge_frame(edges: Sequence[Edge]) -> pl.DataFrame:
    return pl.DataFrame([astuple(edge) for edge in edges], schema=_SCHEMA, orient="row")


def merge_edges(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """One table from several: by source, kind and target; of equal edges the confirmed and heaviest stays, then by `why`."""
    if not frames:
        return empty_rows(LATERAL_EDGES)
    return (
        pl.concat([frame.select(_SCHEMA.names()).cast(_SCHEMA) for frame in frames])
        .sort("source_id", "kind", "target_id", "status", "weight", "why", descending=[False, False, False, True, True, False])
        .unique(["source_id", "target_id", "kind"], keep="first", maintain_order=True)
    )
