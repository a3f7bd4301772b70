"""Asset `lateral_edges`: typed edges beside the hierarchy. Edges inside a document are kept by shard, edges over the corpus in one part."""

from functools import partial

import dagster as dg
import polars as pl

from assets_store import schemas
from assets_store.store import CORPUS_PART, Store
from docnav_pipeline.assets.common import OWNERS, catalogue, result
from docnav_pipeline.progress import Reporter
from docnav_pipeline.resources import StoreResource
from docnav_pipeline.reuse import Refreshed, refresh_corpus_part
from docnav_pipeline.stages import LATERAL_EDGES
from docnav_pipeline.transforms.edge_rows import merge_edges
from docnav_pipeline.transforms.footnotes import footnote_edges
from docnav_pipeline.transforms.lateral_edges import corpus_edges, document_edges
from docnav_pipeline.transforms.reference_lists import reference_paragraphs

_LINKS = ("doc_id", "block", "anchor", "links")
_NOTES = ("doc_id", "block", "type", "page", "text", "anchor")


@dg.asset(
    deps=list(LATERAL_EDGES.before),
    group_name="graph",
    kinds={"parquet"},
    owners=OWNERS,
    description=schemas.LATERAL_EDGES.doc,
    metadata=catalogue(schemas.LATERAL_EDGES),
)
def lateral_edges(context: dg.AssetExecutionContext, store: StoreResource) -> dg.MaterializeResult[None]:
    """Link what stands side by side, is cited, is referred to, shares entities or is alike."""
    opened = store.open()
    total = refresh_lateral_edges(opened, store.reporter(context))
    kinds = opened.read("lateral_edges", columns=["kind"])["kind"].value_counts().to_dicts()
    return result(opened, schemas.LATERAL_EDGES, total, {f"edges {row['kind']}": row["count"] for row in kinds})


def refresh_lateral_edges(store: Store, reporter: Reporter) -> Refreshed:
    """Bring all parts of `lateral_edges` up to date; only shards whose tables changed are built anew."""
    total, maker = Refreshed(), LATERAL_EDGES.maker(store.settings)
    with reporter.task("linking documents", len(store.shard_keys) + 1) as advance:
        for shard in store.shard_keys:
            build = partial(_in_documents, store, shard)
            total += refresh_corpus_part(store, schemas.LATERAL_EDGES, shard, LATERAL_EDGES.inputs(store, shard), build, maker)
            advance(1)
        build = partial(_over_corpus, store)
        total += refresh_corpus_part(store, schemas.LATERAL_EDGES, CORPUS_PART, LATERAL_EDGES.inputs(store), build, maker)
        advance(1)
    return total


def _in_documents(store: Store, shard: str) -> pl.DataFrame:
    tree, paragraphs, features = (store.read(table, [shard]) for table in ("tree", "paragraphs", "features"))
    layout = store.read("layout", [shard], sorted({*_LINKS, *_NOTES}))
    return merge_edges([document_edges(tree, paragraphs, features, layout), footnote_edges(paragraphs, layout)])


def _over_corpus(store: Store) -> pl.DataFrame:
    documents, tree, paragraphs, features, profiles = (store.read(t) for t in ("documents", "tree", "paragraphs", "features", "profiles"))
    layout = store.read("layout", columns=sorted({*_LINKS, "type", "page", "text"}))
    return corpus_edges(documents, tree, paragraphs, features, profiles, layout, store.settings.edges, reference_paragraphs(paragraphs))
