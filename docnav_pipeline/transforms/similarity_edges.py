"""Edges by likeness: paragraphs that share rare entities, and broad scopes whose profiles are mutual nearest neighbours."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse

from assets_store.models.encoder import Vectors
from assets_store.rows import empty_rows
from assets_store.schemas import LATERAL_EDGES
from assets_store.settings import EdgeSettings
from docnav_pipeline.transforms.embeddings import vector_matrix
from docnav_pipeline.transforms.entities import entity_mentions
from docnav_pipeline.transforms.node_rows import NodeRows, Rows
from docnav_pipeline.transforms.similarity_threshold import learned_threshold

# An entity in more paragraphs than this links nothing, whatever the share: the work grows with the square of it.
MAX_PARAGRAPHS_PER_ENTITY = 500
# An entity in this many paragraphs links them, however small the corpus.
MIN_PARAGRAPHS_PER_ENTITY = 5
# Labels that two unrelated paragraphs often share.
_NO_LINK = ("DATE", "MONEY", "CLAUSE")
_NAMED = 3
# Edges of one paragraph, as a multiple of its neighbours: many may have it among their nearest.
_HUB = 4
# Rows, pairs and similarities that are worked at in one go.
_ROWS = 512
_PAIRS = 16_384
_ELEMENTS = 8_000_000


def entity_edges(features: pl.DataFrame, settings: EdgeSettings) -> pl.DataFrame:
    """Edges `entity` between paragraphs. features: doc_id, paragraph_id, entities.

    The paragraph-entity matrix holds (1 + ln count) x ln(1 + n / df), n paragraphs of which df have the entity. Entities in more than
    max(5, max_entity_share x n) paragraphs, or in more than 500, are cut; dates, sums of money and clause numbers link nothing. Each
    row counts as holding one more entity of its own, as rare as can be, ln(1 + n): one name in common is little, however little
    else the two paragraphs name. The weight is the cosine of two rows; each paragraph keeps its `entity_neighbors` nearest of at
    least `min_entity_weight`, and an edge is there when one of the two keeps it and it is among the 4 x `entity_neighbors` heaviest of
    both, so that no paragraph becomes a hub. Equal weights go by id. `why` names the shared entities that weigh most.
    """
    mentions = entity_mentions(features).filter(~pl.col("label").is_in(_NO_LINK))
    merged = mentions.group_by("paragraph_id", "key").agg(pl.col("count").sum(), pl.col("name").min()).sort("paragraph_id", "key")
    n = features.height
    spread = merged.group_by("key").agg(df=pl.len(), name=pl.col("name").min())
    most = min(max(MIN_PARAGRAPHS_PER_ENTITY, settings.max_entity_share * n), MAX_PARAGRAPHS_PER_ENTITY)
    kept = merged.drop("name").join(spread.filter(pl.col("df") <= most), on="key", maintain_order="left")
    if not kept.height or not settings.entity_neighbors:
        return empty_rows(LATERAL_EDGES)
    paragraph_ids, names = kept["paragraph_id"].unique().sort(), kept.unique("key").sort("key")["name"]
    rows, columns = (kept[name].rank("dense").to_numpy().astype(np.int64) - 1 for name in ("paragraph_id", "key"))
    values = (1 + np.log(kept["count"].to_numpy())) * np.log1p(n / kept["df"].to_numpy())
    matrix = sparse.csr_array((values, (rows, columns)), shape=(len(paragraph_ids), len(names)))
    lengths = np.sqrt(matrix.multiply(matrix).sum(axis=1) + math.log1p(n) ** 2)
    matrix = sparse.csr_array(sparse.diags_array(1 / lengths) @ matrix)
    pairs = nearest_rows(matrix, settings.entity_neighbors, settings.min_entity_weight)
    source, target, weight = without_hubs(*pairs, _HUB * settings.entity_neighbors)
    return _frame(paragraph_ids, source, target, weight, "entity", _shared(matrix, source, target, names))


def nearest_rows(matrix: sparse.csr_array, k: int, least: float) -> tuple[Rows, Rows, npt.NDArray[np.float64]]:
    """Pairs (i < j) of rows where one is among the k nearest of the other, with their dot product of at least `least` (and above 0).

    Sorted by (i, j). Equal products go to the smaller row. Works in blocks of rows; no dense matrix is made.
    """
    transposed = sparse.csr_array(matrix.T)
    found: list[pl.DataFrame] = []
    for start in range(0, matrix.shape[0], _ROWS):
        block = sparse.coo_array(matrix[start : start + _ROWS] @ transposed)
        i, j = block.coords[0].astype(np.int64) + start, block.coords[1].astype(np.int64)
        # Rounding makes equal products equal whatever the order of summation.
        cosine = np.round(block.data, 6)
        keep = (i != j) & (cosine >= least) & (cosine > 0)
        pairs = pl.DataFrame({"i": i[keep], "j": j[keep], "w": cosine[keep]})
        found.append(pairs.sort("i", "w", "j", descending=[False, True, False]).group_by("i", maintain_order=True).head(k))
    return _once(pl.concat(found)) if found else _once(pl.DataFrame(schema={"i": pl.Int64, "j": pl.Int64, "w": pl.Float64}))


def without_hubs(source: Rows, target: Rows, weight: npt.NDArray[np.float64], most: int) -> tuple[Rows, Rows, npt.NDArray[np.float64]]:
    """The pairs that are among the `most` heaviest of both their rows, in the order given. Equal weights go to the smaller other row."""
    pairs = pl.DataFrame({"i": source, "j": target, "w": weight}).with_row_index("at")
    both = pl.concat([pairs, pairs.select("at", i="j", j="i", w="w")]).sort("i", "w", "j", descending=[False, True, False])
    kept = both.group_by("i", maintain_order=True).head(most)["at"].value_counts().filter(pl.col("count") == 2)["at"].sort()
    at = kept.to_numpy()
    return source[at], target[at], weight[at]


def semantic_edges(tree: pl.DataFrame, profiles: pl.DataFrame, settings: EdgeSettings) -> pl.DataFrame:
    """Edges `semantic` between scopes of R_d. tree: doc_id, node_id, parent_id, in_R. profiles: node_id, vector.

    Two scopes are joined when each is among the `semantic_neighbors` nearest of the other, which bounds the edges of any scope, and their
    cosine is at least `learned_threshold`, which is never below `min_similarity`. A scope and one above it are never joined: the hierarchy
    does that. The weight is the cosine, 0 where it is negative.
    """
    nodes = NodeRows.of(tree)
    scopes = (
        tree.with_row_index("row")
        .filter("in_R")
        .select("row", "node_id", "doc_id")
        .join(profiles.select("node_id", "vector"), on="node_id")
    )
    scopes = scopes.filter(pl.col("vector").list.len() > 0).sort("node_id")
    if scopes.height < 2 or not settings.semantic_neighbors:
        return empty_rows(LATERAL_EDGES)
    matrix, _ = vector_matrix(scopes["vector"])
    at = np.full(len(nodes.ids), -1, np.int64)
    tree_rows = scopes["row"].cast(pl.Int64).to_numpy()
    at[tree_rows] = np.arange(scopes.height)
    lower, upper = nodes.pairs_with_ancestors(tree_rows, with_self=False)
    both = at[upper] >= 0
    apart = np.stack([at[lower[both]], at[upper[both]]], axis=1)
    documents = scopes["doc_id"].rank("dense").to_numpy().astype(np.int64)
    pairs = _k_nearest(matrix, settings.semantic_neighbors, apart)
    least = learned_threshold(matrix, documents, _nearest_cosines(pairs), settings.min_similarity)
    source, target, weight = _mutual(pairs, least)
    why = pl.Series([f"profiles alike, cosine {w:.2f}, at least {least:.2f}" for w in weight], dtype=pl.String)
    return _frame(scopes["node_id"], source, target, np.maximum(weight, 0), "semantic", why)


def mutual_neighbors(matrix: Vectors, k: int, least: float, apart: Rows) -> tuple[Rows, Rows, npt.NDArray[np.float64]]:
    """Pairs (i < j) of rows of length 1, each among the k nearest of the other, with their cosine of at least `least`, sorted by (i, j).

    apart: int64 [n_pairs, 2], pairs that are never joined and take no place among the k. Equal cosines go to the smaller row.
    """
    return _mutual(_k_nearest(matrix, k, apart), least)


def _mutual(pairs: pl.DataFrame, least: float) -> tuple[Rows, Rows, npt.NDArray[np.float64]]:
    kept = pairs.filter(pl.col("w") >= least)
    return _once(kept.join(kept.select(i="j", j="i"), on=["i", "j"], how="semi"))


def _nearest_cosines(pairs: pl.DataFrame) -> npt.NDArray[np.float64]:
    """Cosine of each row to its nearest, in the order of rows; rows without one are left out."""
    return pairs.group_by("i").agg(pl.col("w").max()).sort("i")["w"].to_numpy()


def nearest_neighbors(matrix: Vectors, k: int) -> tuple[Rows, Rows, npt.NDArray[np.float64]]:
    """Pairs (i < j) of rows of length 1, one among the k nearest of the other, with their cosine, sorted by (i, j)."""
    return _once(_k_nearest(matrix, k, np.zeros((0, 2), np.int64)))


def _k_nearest(matrix: Vectors, k: int, apart: Rows) -> pl.DataFrame:
    """The k nearest j of each row i, with their cosine w. Memory: 8 million similarities at a time."""
    n = matrix.shape[0]
    size = max(1, _ELEMENTS // max(1, n))
    both = np.concatenate([apart, apart[:, ::-1]])
    both = both[np.argsort(both[:, 0], kind="stable")]
    found = [pl.DataFrame(schema={"i": pl.Int64, "j": pl.Int64, "w": pl.Float64})]
    for start in range(0, n, size):
        end = min(n, start + size)
        # Rounding: the last bits of a product depend on the block that it was computed in.
        block = np.round(matrix[start:end] @ matrix.T, 5)
        block[np.arange(end - start), np.arange(start, end)] = -np.inf
        first, last = np.searchsorted(both[:, 0], [start, end])
        block[both[first:last, 0] - start, both[first:last, 1]] = -np.inf
        kth = np.partition(-block, min(k, n) - 1, axis=1)[:, min(k, n) - 1, None]
        i, j = np.nonzero((-block <= kth) & (block > -np.inf))
        pairs = pl.DataFrame({"i": i.astype(np.int64) + start, "j": j.astype(np.int64), "w": block[i, j].astype(np.float64)})
        found.append(pairs.sort("i", "w", "j", descending=[False, True, False]).group_by("i", maintain_order=True).head(k))
    return pl.concat(found)


def _once(pairs: pl.DataFrame) -> tuple[Rows, Rows, npt.NDArray[np.float64]]:
    """Pairs of either order as (smaller, larger) rows, each once, sorted."""
    ordered = (
        pairs.select(i=pl.min_horizontal("i", "j"), j=pl.max_horizontal("i", "j"), w="w")
        .group_by("i", "j")
        .agg(pl.col("w").max())
        .sort("i", "j")
    )
    return ordered["i"].to_numpy(), ordered["j"].to_numpy(), ordered["w"].to_numpy()


def _shared(matrix: sparse.csr_array, source: Rows, target: Rows, names: pl.Series) -> pl.Series:
    """For each pair of rows the columns that add most to their cosine, by name: "shares A, B, C"."""
    parts: list[pl.DataFrame] = []
    for start in range(0, len(source), _PAIRS):
        part = slice(start, start + _PAIRS)
        product = sparse.coo_array(sparse.csr_array(matrix[source[part]]).multiply(sparse.csr_array(matrix[target[part]])))
        shared = pl.DataFrame(
            {"pair": product.coords[0].astype(np.int64) + start, "at": product.coords[1].astype(np.int64), "w": product.data}
        )
        parts.append(shared.sort("pair", "w", "at", descending=[False, True, False]).group_by("pair", maintain_order=True).head(_NAMED))
    if not parts:
        return pl.Series([], dtype=pl.String)
    shared = pl.concat(parts)
    named = shared.with_columns(name=names.gather(shared["at"])).group_by("pair", maintain_order=True).agg(pl.col("name").str.join(", "))
    return named.sort("pair").select(pl.format("shares {}", "name")).to_series()


def _frame(ids: pl.Series, source: Rows, target: Rows, weight: npt.NDArray[np.float64], kind: str, why: pl.Series) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "source_id": ids.gather(source),
            "target_id": ids.gather(target),
            "weight": pl.Series(np.minimum(weight, 1.0), dtype=pl.Float32),
            "why": why,
        }
    ).with_columns(kind=pl.lit(kind), status=pl.lit("confirmed"))
