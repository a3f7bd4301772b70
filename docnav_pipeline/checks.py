"""Asset checks: what must hold between tables. What must hold inside one table is checked when it is written."""

from collections.abc import Callable

import dagster as dg
import polars as pl

from assets_store.store import Store
from docnav_pipeline.graph_checks import (
    communities_partition_units,
    edges_are_well_formed,
    edges_of_likeness_are_stored_once,
    entity_edges_are_bounded,
    mentions_resolve,
    profiles_are_complete,
    references_mostly_resolve,
    summaries_are_complete,
)
from docnav_pipeline.resources import StoreResource
from docnav_pipeline.transforms.profiles import in_routing_scope

_UNIT_TOLERANCE = 1e-3
_SHOWN = 5


def parents_resolve(store: Store) -> list[str]:
    """Nodes whose parent is no node, and documents with another number of roots than one."""
    tree = store.read("tree", columns=["doc_id", "node_id", "parent_id"])
    lost = tree.filter(pl.col("parent_id").is_not_null()).join(tree, left_on="parent_id", right_on="node_id", how="anti")
    roots = tree.group_by("doc_id").agg(pl.col("parent_id").is_null().sum().alias("n")).filter(pl.col("n") != 1)
    return [*lost["node_id"], *roots["doc_id"]]


def paragraphs_are_nodes(store: Store) -> list[str]:
    """Paragraphs that are no node of the tree, and paragraph nodes without text."""
    nodes = store.read("tree", columns=["node_id", "kind"]).filter(pl.col("kind") == "paragraph")
    paragraphs = store.read("paragraphs", columns=["paragraph_id"])
    return [
        *paragraphs.join(nodes, left_on="paragraph_id", right_on="node_id", how="anti")["paragraph_id"],
        *nodes.join(paragraphs, left_on="node_id", right_on="paragraph_id", how="anti")["node_id"],
    ]


def paragraphs_are_bounded(store: Store) -> list[str]:
    """Paragraphs longer than the limit, or empty."""
    rows = store.read("paragraphs", columns=["paragraph_id", "n_tokens"])
    return list(rows.filter((pl.col("n_tokens") > store.settings.paragraphs.max_tokens) | (pl.col("n_tokens") < 1))["paragraph_id"])


def good_documents_have_text(store: Store) -> list[str]:
    """Documents with status `ok` and no paragraph: zero units is an error, never a success."""
    good = store.read("documents", columns=["doc_id", "status"]).filter(pl.col("status") == "ok")
    return list(good.join(store.read("paragraphs", columns=["doc_id"]), on="doc_id", how="anti")["doc_id"])


def every_paragraph_has(table: str) -> Callable[[Store], list[str]]:
    """A check that a table has one row for each paragraph and none besides."""

    def missing(store: Store) -> list[str]:
        paragraphs, rows = store.read("paragraphs", columns=["paragraph_id"]), store.read(table, columns=["paragraph_id"])
        return [
            *paragraphs.join(rows, on="paragraph_id", how="anti")["paragraph_id"],
            *rows.join(paragraphs, on="paragraph_id", how="anti")["paragraph_id"],
        ]

    missing.__doc__ = f"Paragraphs without a row in `{table}`, and rows without a paragraph."
    return missing


def vectors_are_unit(store: Store) -> list[str]:
    """Vectors whose length is not 1, or whose model or size differs from the others'."""
    wrong: list[str] = []
    sizes: set[int] = set()
    models: set[str] = set()
    for shard in store.shard_keys:
        rows = store.read("embeddings", [shard], ["paragraph_id", "vector", "model"])
        sizes.update(rows["vector"].list.len().unique())
        models.update(rows["model"].unique())
        length = rows["vector"].list.eval(pl.element().pow(2)).list.sum().sqrt()
        wrong.extend(rows["paragraph_id"].filter((length - 1).abs() > _UNIT_TOLERANCE))
    return [f"sizes {sorted(sizes)}, models {sorted(models)}"] if len(sizes) > 1 or len(models) > 1 else wrong


def routing_scope_holds(store: Store) -> list[str]:
    """Nodes whose in_R is not what the rule for R_d says, and nodes of R_d without a routing profile or the reverse."""
    tree = store.read("tree", columns=["node_id", "kind", "height", "n_tokens"])
    profiles, made = store.read("profiles", columns=["node_id", "in_R"]), store.read("routing_profiles", columns=["node_id"])
    ruled = tree.select("node_id", rule=in_routing_scope(store.settings.profiles)).join(profiles, on="node_id")
    wrong, chosen = ruled.filter(pl.col("rule").ne_missing(pl.col("in_R")))["node_id"], profiles.filter("in_R")
    return [*wrong, *chosen.join(made, on="node_id", how="anti")["node_id"], *made.join(chosen, on="node_id", how="anti")["node_id"]]


def edges_resolve(store: Store) -> list[str]:
    """Ends of confirmed edges that are no node."""
    nodes = store.read("tree", columns=["node_id"])
    edges = store.read("lateral_edges", columns=["source_id", "target_id", "status"])
    ends = pl.concat([edges["source_id"], edges.filter(pl.col("status") == "confirmed")["target_id"]]).unique().to_frame("node_id")
    return list(ends.join(nodes, on="node_id", how="anti")["node_id"])


def members_resolve(store: Store) -> list[str]:
    """Members of communities that are no node."""
    members = store.read("communities", columns=["node_id"])
    return list(members.join(store.read("tree", columns=["node_id"]), on="node_id", how="anti")["node_id"])


def snapshot_is_complete(store: Store) -> list[str]:
    """Files that the current snapshot names and the store does not hold, and tables that lag behind."""
    current = store.snapshot()
    paths = [f"parts/{t}/{part['file']}" for t, parts in current.manifest["tables"].items() for part in parts.values()]
    lost = [path for path in (*paths, f"indexes/{current.manifest['index']}") if not store.files.exists(path)]
    return lost if store.matches(current) else [*lost, f"{current.id} is older than the tables"]


FINDERS: dict[str, tuple[str, Callable[[Store], list[str]]]] = {
    "parents_resolve": ("tree", parents_resolve),
    "paragraphs_are_nodes": ("paragraphs", paragraphs_are_nodes),
    "paragraphs_are_bounded": ("paragraphs", paragraphs_are_bounded),
    "good_documents_have_text": ("paragraphs", good_documents_have_text),
    "features_are_complete": ("features", every_paragraph_has("features")),
    "embeddings_are_complete": ("embeddings", every_paragraph_has("embeddings")),
    "vectors_are_unit": ("embeddings", vectors_are_unit),
    "profiles_are_complete": ("profiles", profiles_are_complete),
    "summaries_are_complete": ("summaries", summaries_are_complete),
    "routing_scope_holds": ("routing_profiles", routing_scope_holds),
    "edges_resolve": ("lateral_edges", edges_resolve),
    "edges_are_well_formed": ("lateral_edges", edges_are_well_formed),
    "edges_of_likeness_are_stored_once": ("lateral_edges", edges_of_likeness_are_stored_once),
    "members_resolve": ("communities", members_resolve),
    "communities_partition_units": ("communities", communities_partition_units),
    "mentions_resolve": ("entities", mentions_resolve),
    "entity_edges_are_bounded": ("entity_edges", entity_edges_are_bounded),
    "snapshot_is_complete": ("snapshot", snapshot_is_complete),
}

# What is worth a look and no fault, because documents may be so. Dagster shows a warning; `docnav index` and `docnav doctor` do not fail.
WARNINGS: dict[str, tuple[str, Callable[[Store], list[str]]]] = {
    "references_mostly_resolve": ("lateral_edges", references_mostly_resolve),
}


def _as_check(name: str, asset: str, find: Callable[[Store], list[str]], severity: dg.AssetCheckSeverity) -> dg.AssetChecksDefinition:
    @dg.asset_check(asset=asset, name=name, description=find.__doc__)
    def check(store: StoreResource) -> dg.AssetCheckResult:
        found = find(store.open())
        return dg.AssetCheckResult(passed=not found, severity=severity, metadata={"found": len(found), "first": ", ".join(found[:_SHOWN])})

    return check


CHECKS = [
    *(_as_check(name, asset, find, dg.AssetCheckSeverity.ERROR) for name, (asset, find) in FINDERS.items()),
    *(_as_check(name, asset, find, dg.AssetCheckSeverity.WARN) for name, (asset, find) in WARNINGS.items()),
]
