"""Checks of the graph: what must hold of profiles, edges, communities and entities. None reads text of a document."""

from __future__ import annotations

import polars as pl

from assets_store.schemas import EDGE_KINDS
from assets_store.store import Store
from docnav_pipeline.transforms.community_units import choose_units
from docnav_pipeline.transforms.node_rows import NodeRows

EDGE_STATUSES = ("confirmed", "candidate")
# Kinds that rest on likeness: they have no direction, and are stored once.
_ALIKE = ("entity", "semantic")
_MENTIONED = ("citation", "cross_reference")
_UNIT_TOLERANCE = 1e-3
# A document with fewer references says nothing about how they were read, and one with more broken ones than this share does.
_LEAST_REFERENCES, _MOST_BROKEN = 20, 0.5


def profiles_are_complete(store: Store) -> list[str]:
    """Nodes without a profile and profiles without a node; vectors whose length is not 1, or not 0 where a node holds no text."""
    found: list[str] = []
    for shard in store.shard_keys:
        nodes = store.read("tree", [shard], ["node_id", "n_tokens"])
        profiles = store.read("profiles", [shard], ["node_id", "vector"])
        both = nodes.join(profiles, on="node_id", how="full", coalesce=True)
        length = both["vector"].list.eval(pl.element().pow(2)).list.sum().sqrt()
        # The vector of no text is empty.
        wanted = (both["n_tokens"] > 0).cast(pl.Float64)
        found.extend(
            both.filter(both["vector"].is_null() | both["n_tokens"].is_null() | ((length - wanted).abs() > _UNIT_TOLERANCE))["node_id"]
        )
    return found


def edges_are_well_formed(store: Store) -> list[str]:
    """Lateral edges of an unknown kind or status, with a weight outside 0..1, or from a node to itself."""
    edges = store.read("lateral_edges", columns=["source_id", "target_id", "kind", "weight", "status"])
    wrong = ~(
        pl.col("kind").is_in(EDGE_KINDS)
        & pl.col("status").is_in(EDGE_STATUSES)
        & pl.col("weight").is_between(0, 1)
        & pl.col("weight").is_not_nan()
        & (pl.col("source_id") != pl.col("target_id"))
    )
    return _ends(edges.filter(wrong))


def edges_of_likeness_are_stored_once(store: Store) -> list[str]:
    """Entity and semantic edges that do not go from the smaller id to the larger; semantic ones at a node that is not in R_d."""
    edges = store.read("lateral_edges", columns=["source_id", "target_id", "kind"]).filter(pl.col("kind").is_in(_ALIKE))
    scopes = store.read("profiles", columns=["node_id", "in_R"]).filter("in_R")["node_id"]
    semantic = edges.filter(pl.col("kind") == "semantic")
    narrow = semantic.filter(~(pl.col("source_id").is_in(scopes.implode()) & pl.col("target_id").is_in(scopes.implode())))
    return _ends(pl.concat([edges.filter(pl.col("source_id") >= pl.col("target_id")), narrow]))


def communities_partition_units(store: Store) -> list[str]:
    """Units that are in no community of level 0, units in two communities of one level, and communities of another size than they say.

    A coarser level may leave units out: a community that is the same as a finer one stands there only.
    """
    rows = store.read("communities", columns=["community_id", "node_id", "level", "size"])
    twice = rows.filter(pl.struct("node_id", "level").is_duplicated())["node_id"].unique().sort()
    sizes = rows.group_by("community_id").agg(n=pl.len(), size=pl.col("size").min(), most=pl.col("size").max()).sort("community_id")
    wrong = sizes.filter((pl.col("n") != pl.col("size")) | (pl.col("n") != pl.col("most")))["community_id"]
    tree = store.read("tree", columns=["node_id", "parent_id", "kind", "n_tokens", "position"])
    units = tree["node_id"].gather(choose_units(tree, NodeRows.of(tree), store.settings.communities).rows).to_frame("node_id")
    finest = rows.filter(pl.col("level") == 0).select("node_id")
    return [
        *units.join(finest, on="node_id", how="anti")["node_id"],
        *rows.select("node_id").unique().join(units, on="node_id", how="anti")["node_id"].sort(),
        *twice,
        *wrong,
    ]


def mentions_resolve(store: Store) -> list[str]:
    """Entities whose mentions name no paragraph or a paragraph twice, or do not add up to their number."""
    mentions = (
        store.read("entities", columns=["entity_id", "mentions", "n_mentions"])
        .explode("mentions")
        .select("entity_id", "n_mentions", *(pl.col("mentions").struct.field(name) for name in ("paragraph_id", "count")))
    )
    lost = mentions.join(store.read("paragraphs", columns=["paragraph_id"]), on="paragraph_id", how="anti")["entity_id"]
    twice = mentions.filter(pl.struct("entity_id", "paragraph_id").is_duplicated())["entity_id"]
    counted = mentions.group_by("entity_id").agg(pl.col("n_mentions").first(), total=pl.col("count").sum(), least=pl.col("count").min())
    wrong = counted.filter((pl.col("n_mentions") != pl.col("total")) | (pl.col("least") < 1))["entity_id"]
    return sorted({*lost, *twice, *wrong})


def entity_edges_are_bounded(store: Store) -> list[str]:
    """Co-occurrences between other than two entities in order, or in fewer paragraphs than one, or in more than either end has."""
    places = store.read("entities", columns=["entity_id", "mentions"]).select("entity_id", n=pl.col("mentions").list.len())
    edges = store.read("entity_edges")
    for end in ("source", "target"):
        edges = edges.join(places.select(pl.col("entity_id").alias(f"{end}_id"), pl.col("n").alias(end)), on=f"{end}_id", how="left")
    holds = (pl.col("source_id") < pl.col("target_id")) & pl.col("weight").is_between(1, pl.min_horizontal("source", "target"))
    lost = pl.col("source").is_null() | pl.col("target").is_null()
    return _ends(edges.filter(lost | ~holds))


def references_mostly_resolve(store: Store) -> list[str]:
    """Documents with at least 20 references of which more than half lead nowhere: look at how their headings or lists were read."""
    edges = store.read("lateral_edges", columns=["source_id", "kind", "weight", "status"])
    mentioned = edges.filter(pl.col("kind").is_in(_MENTIONED) & pl.col("source_id").str.contains("/p-", literal=True))
    by_document = mentioned.group_by(doc_id=pl.col("source_id").str.split("/").list.first()).agg(
        n=pl.len(), share=((pl.col("status") == "candidate") & (pl.col("weight") == 0)).mean()
    )
    return list(by_document.filter((pl.col("n") >= _LEAST_REFERENCES) & (pl.col("share") > _MOST_BROKEN))["doc_id"].sort())


def summaries_are_complete(store: Store) -> list[str]:
    """Where summaries are on: nodes without one or with an empty one although they hold text; where they are off: any."""
    found: list[str] = []
    for shard in store.shard_keys:
        rows = store.read("summaries", [shard], ["node_id", "summary"])
        if not store.settings.graph.summaries:
            found.extend(rows["node_id"])
            continue
        nodes = store.read("tree", [shard], ["node_id", "n_tokens"])
        filled = rows.select("node_id", empty=pl.col("summary").str.len_chars() == 0)
        found.extend(rows.join(nodes, on="node_id", how="anti")["node_id"])
        found.extend(
            nodes.join(filled, on="node_id", how="left").filter(pl.col("empty").fill_null(True) & (pl.col("n_tokens") > 0))["node_id"]
        )
    return found


def _ends(edges: pl.DataFrame) -> list[str]:
    return [f"{source} -> {target}" for source, target in edges.select("source_id", "target_id").iter_rows()]
