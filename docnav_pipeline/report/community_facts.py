"""Communities of a snapshot for a report: how many at which level, and how those of one level hang together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from assets_store.snapshot import Snapshot
from docnav_pipeline.report.batches import gathered
from docnav_pipeline.report.graph_arrays import GraphArrays
from docnav_pipeline.transforms.node_rows import rows_of

# More communities than this cannot be told apart in one picture.
MOST_SHOWN = 24


@dataclass(frozen=True, slots=True)
class Level:
    level: int
    communities: int
    largest: int
    single: int


@dataclass(frozen=True, slots=True)
class Group:
    """One community. members: how many units it has."""

    community_id: str
    members: int
    terms: list[str]


@dataclass(frozen=True, slots=True)
class Link:
    """Edges between two groups, by their positions, first < second. weight: sum of the weights."""

    first: int
    second: int
    edges: int
    weight: float


@dataclass(frozen=True, slots=True)
class CommunityFacts:
    """unit: `document` or `section`, empty where there are no communities. shown: level of groups and links. left_out: smaller groups of
    that level that are not among `groups`; their edges are not among `links`."""

    unit: str
    levels: list[Level]
    shown: int
    groups: list[Group]
    links: list[Link]
    left_out: int


def community_facts(snapshot: Snapshot, graph: GraphArrays) -> CommunityFacts:
    """The finest level of at most 24 communities, or else the coarsest; of more than 24 the largest, ties by id.

    Links are confirmed lateral edges, those to the next sibling left out, between nodes in units of two communities.
    """
    rows = gathered(snapshot, "communities", ["community_id", "node_id", "level", "size", "label_terms", "unit"])
    if not rows.height:
        return CommunityFacts("", [], 0, [], [], 0)
    sizes = (
        rows.unique("community_id")
        .select("community_id", "level", "size", "label_terms")
        .sort("size", "community_id", descending=[True, False])
    )
    levels = [
        Level(level, at.height, int(at["size"][0]), at.filter(size=1).height)
        for level in sorted(sizes["level"].unique())
        for at in [sizes.filter(level=level)]
    ]
    shown, members = next(
        ((level.level, found) for level in levels if (found := _members(rows, level.level))["community_id"].n_unique() <= MOST_SHOWN),
        (levels[-1].level, _members(rows, levels[-1].level)),
    )
    there = sizes.join(members.select("community_id").unique(), on="community_id", how="semi")
    groups = [Group(*row) for row in there.head(MOST_SHOWN).select("community_id", "size", "label_terms").iter_rows()]
    links = _links(graph, members, [group.community_id for group in groups])
    return CommunityFacts(rows["unit"][0], levels, shown, groups, links, there.height - len(groups))


def _members(rows: pl.DataFrame, level: int) -> pl.DataFrame:
    """Community of each unit at a level. A community that is the same as a finer one stands at the finer level only."""
    return (
        rows.filter(pl.col("level") <= level)
        .sort("level")
        .unique("node_id", keep="last", maintain_order=True)
        .select("node_id", "community_id")
    )


def _links(graph: GraphArrays, members: pl.DataFrame, shown: list[str]) -> list[Link]:
    marks = np.full(graph.nodes.height, -1, np.int64)
    at = rows_of(members["node_id"], graph.nodes["node_id"])
    numbers = rows_of(members["community_id"], pl.Series(shown, dtype=pl.String))
    marks[at[at >= 0]] = numbers[at >= 0]
    group_of = graph.inherited(marks)
    edges = graph.edges.filter(pl.col("confirmed") & (pl.col("kind") != "adjacent") & (pl.col("source") >= 0) & (pl.col("target") >= 0))
    ends = edges.select(
        a=pl.Series(group_of[edges["source"].to_numpy()]),
        b=pl.Series(group_of[edges["target"].to_numpy()]),
        weight=pl.col("weight").cast(pl.Float64),
    )
    between = ends.filter((pl.col("a") >= 0) & (pl.col("b") >= 0) & (pl.col("a") != pl.col("b")))
    summed = (
        between.select(first=pl.min_horizontal("a", "b"), second=pl.max_horizontal("a", "b"), weight="weight")
        .group_by("first", "second")
        # Sums in a fixed order, so that two reports are equal.
        .agg(edges=pl.len(), weight=pl.col("weight").sort().sum().round(4))
        .sort("first", "second")
    )
    return [Link(*row) for row in summed.iter_rows()]
