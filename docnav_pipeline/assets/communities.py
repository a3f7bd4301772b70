"""Asset `communities`: Leiden communities of documents or of their top sections."""

from typing import Any

import dagster as dg
import polars as pl

from assets_store import schemas
from assets_store.store import CORPUS_PART, Store
from docnav_pipeline.assets.common import OWNERS, catalogue, result
from docnav_pipeline.resources import StoreResource
from docnav_pipeline.reuse import Refreshed, refresh_corpus_part
from docnav_pipeline.stages import COMMUNITIES
from docnav_pipeline.transforms.communities import build_communities, joining_edges


@dg.asset(
    deps=list(COMMUNITIES.before),
    group_name="graph",
    kinds={"parquet"},
    owners=OWNERS,
    description=schemas.COMMUNITIES.doc,
    metadata=catalogue(schemas.COMMUNITIES),
)
def communities(store: StoreResource) -> dg.MaterializeResult[None]:
    """Cluster the corpus and name the clusters by their distinctive terms."""
    opened = store.open()
    made, facts = refresh_communities(opened)
    return result(opened, schemas.COMMUNITIES, made, facts)


def refresh_communities(store: Store) -> tuple[Refreshed, dict[str, Any]]:
    """Bring `communities` up to date. Returns also facts about them, none where they were kept."""
    facts: dict[str, Any] = {}

    def build() -> pl.DataFrame:
        edges = _joining(store)
        tree = _scopes(store, edges)
        documents = store.read("documents", columns=["doc_id"])
        rows, found = build_communities(tree, _scope_profiles(store, tree), edges, documents, store.settings.communities)
        facts.update(found)
        return rows

    inputs, maker = COMMUNITIES.inputs(store), COMMUNITIES.maker(store.settings)
    return refresh_corpus_part(store, schemas.COMMUNITIES, CORPUS_PART, inputs, build, maker), facts


def _joining(store: Store) -> pl.DataFrame:
    """Edges that join units, read part by part: neighbours in reading order are most of the table, and join none."""
    columns = ["source_id", "target_id", "kind", "weight", "status"]
    parts = (store.read("lateral_edges", [part.name], columns) for part in store.heads("lateral_edges"))
    return pl.concat([store.read("lateral_edges", [], columns), *(joining_edges(part) for part in parts)])


def _scopes(store: Store, edges: pl.DataFrame) -> pl.DataFrame:
    """Nodes above paragraphs, and the paragraphs that edges lead from or to, read shard by shard."""
    columns = ["doc_id", "node_id", "parent_id", "kind", "n_tokens", "position"]
    ends = pl.concat([edges["source_id"], edges["target_id"]]).unique().implode()
    is_wanted = (pl.col("kind") != "paragraph") | pl.col("node_id").is_in(ends)
    return pl.concat([store.read("tree", [shard], columns).filter(is_wanted) for shard in store.shard_keys])


def _scope_profiles(store: Store, tree: pl.DataFrame) -> pl.DataFrame:
    """Vector and keywords of documents and sections, read shard by shard: paragraphs are most of the table, and are no units."""
    scopes = tree.filter(pl.col("kind") != "paragraph").select("node_id")
    shards = (store.read("profiles", [shard], ["node_id", "vector", "keywords"]) for shard in store.shard_keys)
    return pl.concat([profiles.join(scopes, on="node_id", how="semi", maintain_order="left") for profiles in shards])
