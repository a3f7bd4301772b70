"""Communities: documents, or major sections, that belong together by likeness, citations and shared entities."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from assets_store.ids import community_id
from assets_store.models.encoder import Vectors, unit_rows
from assets_store.rows import empty_rows
from assets_store.schemas import COMMUNITIES
from assets_store.settings import CommunitySettings
from docnav_pipeline.transforms.community_units import Units, choose_units
from docnav_pipeline.transforms.embeddings import vector_matrix
from docnav_pipeline.transforms.leiden import Members, leiden
from docnav_pipeline.transforms.node_rows import NodeRows, rows_of
from docnav_pipeline.transforms.similarity_edges import nearest_neighbors

_SCHEMA = empty_rows(COMMUNITIES).schema
_NEIGHBORS = 10
# Kinds of lateral edges that say that two places treat the same matter, and how much each may add to the likeness (0..1).
_KIND_WEIGHTS = {"citation": 1.0, "semantic": 0.5, "entity": 0.5, "cross_reference": 0.5, "title_mention": 0.5}
# From this many communities on, a coarser level is made of them.
_MANY = 16
_COARSER = 0.5
_MAX_LEVELS = 4
_LABEL_TERMS = 8


def build_communities(
    tree: pl.DataFrame, profiles: pl.DataFrame, lateral_edges: pl.DataFrame, documents: pl.DataFrame, settings: CommunitySettings
) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Rows of `communities`, by level, community and node, and facts for the metadata: unit, why it was chosen, sizes.

    tree: node_id, parent_id, kind, n_tokens, position, of all nodes above paragraphs and of the paragraphs that edges join. profiles:
    node_id, vector, keywords. lateral_edges: source_id, target_id, kind, weight, status. documents: doc_id (only documents that are
    listed are clustered).

    The graph joins each unit with its 10 nearest by profile vector (the mean of all units taken off, so that what all share does
    not count) and with the units that confirmed lateral edges lead to; the edges between two units are summed by kind and
    squashed to 0..1. Leiden gives level 0; where that has more than 16 communities, the graph of communities is partitioned again at
    half the resolution, and so on, up to 4 levels. A coarser community with the same members as a finer one is not repeated. A unit
    without any neighbour is a community of one. A community is named by its most central member, the one whose edges inside it
    weigh most.
    """
    tree = tree.filter(pl.col("node_id").str.split("/").list.first().is_in(documents["doc_id"].unique().to_list()))
    nodes = NodeRows.of(tree)
    units = choose_units(tree, nodes, settings)
    facts: dict[str, Any] = {"unit": units.unit, "why": units.why, "units": len(units.rows), "levels": []}
    if not len(units.rows):
        return empty_rows(COMMUNITIES), facts
    unit_ids = nodes.ids.gather(units.rows)
    mine = pl.DataFrame({"node_id": unit_ids}).join(profiles, on="node_id", how="left", maintain_order="left")
    graph = _combined([*_lifted(units, nodes, lateral_edges), _alike(mine["vector"])])
    levels = _levels(len(unit_ids), graph, settings)
    terms = _terms(mine["keywords"])
    rows: list[dict[str, Any]] = []
    seen: set[tuple[str, ...]] = set()
    for level, members in enumerate(levels):
        labels = _labels(terms, members)
        central = _central(members, graph)
        facts["levels"].append(int(members.max()) + 1)
        for community in range(int(members.max()) + 1):
            names = unit_ids.gather(np.flatnonzero(members == community)).to_list()
            if tuple(names) in seen:
                continue
            seen.add(tuple(names))
            name = community_id(unit_ids[int(central[community])], level)
            common = {
                "community_id": name,
                "level": level,
                "size": len(names),
                "label_terms": labels.get(community, []),
                "unit": units.unit,
            }
            rows += [{**common, "node_id": node_id} for node_id in names]
    return pl.DataFrame(rows, schema=_SCHEMA).sort("level", "community_id", "node_id"), facts


def joining_edges(edges: pl.DataFrame) -> pl.DataFrame:
    """The lateral edges that join units: confirmed ones that say that two places treat the same matter. edges: kind, status."""
    return edges.filter((pl.col("status") == "confirmed") & pl.col("kind").is_in(list(_KIND_WEIGHTS)))


def _lifted(units: Units, nodes: NodeRows, edges: pl.DataFrame) -> list[pl.DataFrame]:
    """Confirmed lateral edges between different units, one frame (i, j, w) per kind, w in 0..1."""
    good = joining_edges(edges)
    ends = []
    for name in ("source_id", "target_id"):
        rows = rows_of(good[name], nodes.ids)
        ends.append(np.where(rows >= 0, units.of[rows], -1) if len(rows) else rows)
    lifted = (
        good.select("kind", "weight")
        .with_columns(i=np.minimum(*ends), j=np.maximum(*ends))
        .filter((pl.col("i") >= 0) & (pl.col("i") != pl.col("j")))
    )
    summed = lifted.group_by("kind", "i", "j").agg(total=pl.col("weight").cast(pl.Float64).sort().sum())
    return [
        summed.filter(pl.col("kind") == kind).select("i", "j", w=factor * (1 - (-pl.col("total")).exp()))
        for kind, factor in sorted(_KIND_WEIGHTS.items())
    ]


def _alike(vectors: pl.Series) -> pl.DataFrame:
    """Each unit with its nearest by centred profile vector, as (i, j, w)."""
    matrix, held = vector_matrix(vectors)
    schema = {"i": pl.Int64, "j": pl.Int64, "w": pl.Float64}
    if len(held) < 2:
        return pl.DataFrame(schema=schema)
    # With two units the centred vectors are opposite; then, and only then, the plain ones say more.
    centred: Vectors = unit_rows(matrix - matrix.mean(axis=0)) if len(held) > 2 else matrix
    i, j, w = nearest_neighbors(centred, min(_NEIGHBORS, len(held) - 1))
    return pl.DataFrame({"i": held[i], "j": held[j], "w": w}, schema=schema).filter(pl.col("w") > 0)


def _combined(frames: list[pl.DataFrame]) -> pl.DataFrame:
    """Sum of several graphs, as (i, j, w) with i < j, sorted."""
    return pl.concat(frames).group_by("i", "j").agg(pl.col("w").sort().sum().round(6)).filter(pl.col("w") > 0).sort("i", "j")


def _levels(n: int, graph: pl.DataFrame, settings: CommunitySettings) -> list[Members]:
    """Partitions from fine to coarse; each is made of whole communities of the one before."""
    members = _partition(n, graph, settings.resolution, settings.seed)
    levels = [members]
    resolution = settings.resolution
    while int(members.max()) + 1 > _MANY and len(levels) < _MAX_LEVELS:
        resolution *= _COARSER
        lifted = graph.with_columns(a=pl.Series(members[graph["i"].to_numpy()]), b=pl.Series(members[graph["j"].to_numpy()]))
        merged = (
            lifted.select(i=pl.min_horizontal("a", "b"), j=pl.max_horizontal("a", "b"), w="w")
            .group_by("i", "j")
            .agg(pl.col("w").sort().sum())
            .sort("i", "j")
        )
        above = _partition(int(members.max()) + 1, merged, resolution, settings.seed)
        if above.max() == members.max():
            break
        members = above[members]
        levels.append(members)
    return levels


def _central(members: Members, graph: pl.DataFrame) -> Members:
    """The most central unit of each community, int64 [n_communities]: largest weight of edges inside it, equal ones by order."""
    strength = np.zeros(len(members))
    i, j = graph["i"].to_numpy(), graph["j"].to_numpy()
    inside = members[i] == members[j]
    for ends in (i, j):
        np.add.at(strength, ends[inside], graph["w"].to_numpy()[inside])
    order = np.lexsort((np.arange(len(members)), -np.round(strength, 6), members))
    return np.asarray(order[np.unique(members[order], return_index=True)[1]], np.int64)


def _partition(n: int, graph: pl.DataFrame, resolution: float, seed: int) -> Members:
    return leiden(n, graph["i"].to_numpy(), graph["j"].to_numpy(), graph["w"].to_numpy(), resolution, seed)


def _terms(keywords: pl.Series) -> pl.DataFrame:
    """Keywords of the units as rows unit, term, weight."""
    rows = pl.DataFrame({"unit": np.arange(len(keywords)), "keywords": keywords}).explode("keywords").drop_nulls("keywords")
    return rows.select("unit", *(pl.col("keywords").struct.field(name) for name in ("term", "weight")))


def _labels(terms: pl.DataFrame, members: Members) -> dict[int, list[str]]:
    """Distinctive terms of each community: weight inside x ln(1 + mean weight of a community / weight anywhere), ties by term."""
    n: int = int(members.max()) + 1
    inside = (
        terms.with_columns(community=pl.Series(members[terms["unit"].to_numpy()]))
        .group_by("community", "term")
        .agg(tf=pl.col("weight").cast(pl.Float64).sort().sum())
    )
    total = float(inside["tf"].sum() or 0.0)
    scored = inside.with_columns(score=(pl.col("tf") * (1 + total / n / pl.col("tf").sort().sum().over("term")).log()).round(6))
    best = (
        scored.sort("community", "score", "term", descending=[False, True, False])
        .group_by("community", maintain_order=True)
        .agg(pl.col("term").head(_LABEL_TERMS))
    )
    return dict(best.iter_rows())
