"""Entity edges: two entities that stand in the same paragraphs."""

from __future__ import annotations

import numpy as np
import polars as pl
from scipy import sparse

from assets_store.rows import empty_rows
from assets_store.schemas import ENTITY_EDGES

_SCHEMA = empty_rows(ENTITY_EDGES).schema
# A paragraph with more entities (a list of names, a table) gives n * n / 2 pairs that say little.
MAX_PER_PARAGRAPH = 48
_CHUNK = 4096


def build_entity_edges(entities: pl.DataFrame, max_per_paragraph: int = MAX_PER_PARAGRAPH) -> pl.DataFrame:
    """Rows of `entity_edges`, by source_id and target_id. entities: entity_id, mentions.

    weight: number of paragraphs in which both stand. Of a paragraph with more than `max_per_paragraph` entities only those
    mentioned most often there link, equal counts by entity_id.
    """
    mentions = (
        entities.select("entity_id", "mentions")
        .explode("mentions")
        .drop_nulls("mentions")
        .select("entity_id", *(pl.col("mentions").struct.field(name) for name in ("paragraph_id", "count")))
        .sort("paragraph_id", "count", "entity_id", descending=[False, True, False])
        .group_by("paragraph_id", maintain_order=True)
        .head(max_per_paragraph)
    )
    if not mentions.height:
        return empty_rows(ENTITY_EDGES)
    ids = mentions["entity_id"].unique().sort()
    columns = mentions["paragraph_id"].rank("dense").to_numpy().astype(np.int64) - 1
    rows = mentions["entity_id"].rank("dense").to_numpy().astype(np.int64) - 1
    stands = sparse.csr_array((np.ones(len(rows), np.float32), (rows, columns)), shape=(len(ids), int(columns.max()) + 1))
    transposed = stands.T.tocsr()
    parts: list[pl.DataFrame] = []
    for start in range(0, len(ids), _CHUNK):
        together = (stands[start : start + _CHUNK] @ transposed).tocoo()
        source, target = together.row.astype(np.int64) + start, together.col.astype(np.int64)
        upper = source < target
        parts.append(pl.DataFrame({"source": source[upper], "target": target[upper], "weight": together.data[upper]}))
    edges = pl.concat(parts).sort("source", "target")
    return edges.select(source_id=ids.gather(edges["source"]), target_id=ids.gather(edges["target"]), weight="weight").cast(_SCHEMA)
