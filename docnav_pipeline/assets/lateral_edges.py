"""Asset `lateral_edges`: typed edges beside the hierarchy. Edges inside a document are kept by shard, edges over the corpus in one part."""

from functools import partial

import dagster as dg
import polars as pl

from assets_store import schemas
from assets_store.store import CORPUS_PART, Store
from docnav_pipeline.assets.common import OWNERS, catalogue, result
from docnav_pipeline.memory import give_back_memory
from docnav_pipeline.progress import Reporter
from docnav_pipeline.resources import StoreResource
from docnav_pipeline.reuse import Refreshed, refresh_corpus_part
from docnav_pipeline.stages import LATERAL_EDGES
from docnav_pipeline.transforms.document_identity import find_identities, front_rows
from docnav_pipeline.transforms.document_links import linked_files
from docnav_pipeline.transforms.edge_rows import merge_edges
from docnav_pipeline.transforms.footnotes import footnote_edges
from docnav_pipeline.transforms.lateral_edges import alike_edges, document_edges, linking_edges
from docnav_pipeline.transforms.profiles import with_scopes
from docnav_pipeline.transforms.reference_lists import reference_paragraphs
from docnav_pipeline.transforms.title_mentions import TitlePhrases, find_title_mentions, section_title_edges, title_edges

_LINKS = ("doc_id", "block", "anchor", "links")
_NOTES = ("doc_id", "block", "type", "page", "text", "anchor")
_OF_LINKING = {
    "tree": ("doc_id", "node_id", "parent_id", "kind", "title", "preorder", "anchor", "boxes"),
    "paragraphs": ("doc_id", "paragraph_id", "text", "boxes", "blocks"),
    "features": ("doc_id", "paragraph_id", "citations"),
}


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
    named = section_title_edges(tree, paragraphs, store.settings.edges.max_entity_share)
    return merge_edges([document_edges(tree, paragraphs, features, layout), footnote_edges(paragraphs, layout), named])


def _over_corpus(store: Store) -> pl.DataFrame:
    """Edges over the corpus, in steps that hold only the rows and columns that they rest on."""
    found = []
    for step in (_alike, _linking):
        found.append(step(store))
        give_back_memory()
    return merge_edges(found)


def _alike(store: Store) -> pl.DataFrame:
    nodes, scopes = [], []
    for shard in store.shard_keys:
        scopes.append(store.read("profiles", [shard], ["node_id", "vector", "in_R"]).filter("in_R"))
        tree = with_scopes(store.read("tree", [shard], ["doc_id", "node_id", "parent_id", "kind"]), scopes[-1])
        nodes.append(tree.filter((pl.col("kind") != "paragraph") | pl.col("in_R")))
        give_back_memory()
    features = store.read("features", columns=["doc_id", "paragraph_id", "entities"])
    return alike_edges(pl.concat(nodes), pl.concat(scopes), features, store.settings.edges)


def _linking(store: Store) -> pl.DataFrame:
    """Links, citations and named titles; nodes and texts are kept of documents that cite or link others only."""
    documents = store.read("documents", columns=["doc_id", "uri", "title", "root", "kb", "product_version"])
    links, references, identities, mentions = [], [], [], []
    phrases, n_paragraphs = TitlePhrases(documents.select("doc_id", "title").iter_rows()), 0
    for shard in store.shard_keys:
        layout = store.read("layout", [shard], [*_LINKS, "type", "page", "text"])
        links.append(layout.filter((pl.col("links").list.len() > 0) | pl.col("anchor").is_not_null()).select(_LINKS))
        mine = documents.join(store.read("documents", [shard], ["doc_id"]), on="doc_id", how="semi", maintain_order="left")
        identities += find_identities(mine, store.read("tree", [shard], ["node_id", "kind", "title"]), front_rows(layout))
        texts = store.read("paragraphs", [shard], ["doc_id", "paragraph_id", "text", "path", "position"])
        references.append(reference_paragraphs(texts))
        mentions.append(find_title_mentions(texts, phrases))
        n_paragraphs += texts.height
        give_back_memory()
    linked, lists = pl.concat(links), pl.concat(references)
    linking, names = linked_files(linked)
    is_target = pl.col("uri").str.split("#").list.first().str.split("/").list.last().is_in(sorted(names))
    wanted = {*linking, *lists["doc_id"], *documents.filter(is_target)["doc_id"]}
    # A document names its own title for other reasons than to point there.
    others = pl.concat(mentions).filter(pl.col("source_id").str.split("/").list.first() != pl.col("target_id"))
    named = title_edges(others, n_paragraphs, store.settings.edges.max_entity_share, "document")
    tree, paragraphs, features = (store.read(table, columns=columns, documents=wanted) for table, columns in _OF_LINKING.items())
    return merge_edges([linking_edges(documents, tree, paragraphs, features, linked, lists, identities), named])
