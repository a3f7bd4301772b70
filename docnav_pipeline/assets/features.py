"""Asset `features`: entities, keywords, citations and cross-references of every paragraph."""

from collections.abc import Iterable, Mapping

import dagster as dg
import polars as pl

from assets_store import schemas
from assets_store.models.entities import load_recognizer
from assets_store.store import Store
from docnav_pipeline.assets.common import OWNERS, catalogue, result
from docnav_pipeline.partitions import RUNS_OVER_SHARDS, SHARDS
from docnav_pipeline.progress import Reporter
from docnav_pipeline.resources import StoreResource
from docnav_pipeline.reuse import Refreshed, refresh_part, stale_documents
from docnav_pipeline.stages import FEATURES, wanted
from docnav_pipeline.transforms.features import build_features


@dg.asset(
    deps=["paragraphs", "documents"],
    partitions_def=SHARDS,
    backfill_policy=RUNS_OVER_SHARDS,
    group_name="text",
    kinds={"parquet", "spacy"},
    owners=OWNERS,
    description=schemas.FEATURES.doc,
    metadata=catalogue(schemas.FEATURES),
)
def features(context: dg.AssetExecutionContext, store: StoreResource) -> dg.MaterializeResult[None]:
    """Recognise entities and references, count keywords."""
    opened = store.open()
    total, recognised = refresh_features(opened, context.partition_keys, store.reporter(context))
    more = {"model": opened.settings.features.ner_model, "recognised": recognised}
    return result(opened, schemas.FEATURES, total, more)


def refresh_features(store: Store, shards: Iterable[str], reporter: Reporter) -> tuple[Refreshed, int]:
    """Bring `features` of some shards up to date; the recognizer is loaded only when there is something to do.

    Returns also how many paragraphs were looked through for entities.
    """
    total = Refreshed()
    keys = {shard: wanted(FEATURES, store, shard) for shard in shards}
    todo = {shard: stale_documents(store, FEATURES.tables, shard, k)[0] for shard, k in keys.items()}
    n_todo = sum(store.read("paragraphs", [shard], ["doc_id"], ids).height for shard, ids in todo.items() if ids)
    recognizer = load_recognizer(store.settings.features) if n_todo else None
    with reporter.task("recognising entities", n_todo) as advance:
        for shard, wanted_keys in keys.items():

            def build(doc_ids: list[str], shard: str = shard) -> Mapping[str, pl.DataFrame]:
                paragraphs = store.read("paragraphs", [shard], ["doc_id", "paragraph_id", "kind", "text"], doc_ids)
                documents = store.read("documents", [shard], ["doc_id", "language"], doc_ids)
                languages = dict(documents.select("doc_id", "language").iter_rows())
                rows = build_features(paragraphs, languages, recognizer, store.settings.features, advance)
                return {"features": rows}

            total += refresh_part(store, FEATURES.tables, shard, wanted_keys, build, FEATURES.maker(store.settings))
    return total, n_todo if recognizer is not None else 0
