"""Asset `embeddings`: one unit vector per paragraph; a text that was encoded before is not encoded again."""

from collections.abc import Iterable, Mapping

import dagster as dg
import polars as pl

from assets_store import schemas
from assets_store.models.encoder import load_encoder
from assets_store.store import Store
from docnav_pipeline.assets.common import OWNERS, catalogue, result
from docnav_pipeline.known_vectors import KnownVectors
from docnav_pipeline.partitions import RUNS_OVER_SHARDS, SHARDS
from docnav_pipeline.progress import Reporter
from docnav_pipeline.resources import StoreResource
from docnav_pipeline.reuse import Refreshed, refresh_part, stale_documents
from docnav_pipeline.stages import EMBEDDINGS, wanted
from docnav_pipeline.transforms.embeddings import build_embeddings


@dg.asset(
    deps=["paragraphs"],
    partitions_def=SHARDS,
    backfill_policy=RUNS_OVER_SHARDS,
    pool="gpu",
    group_name="text",
    kinds={"parquet", "pytorch"},
    owners=OWNERS,
    tags={"docnav/device": "gpu"},
    description=schemas.EMBEDDINGS.doc,
    metadata=catalogue(schemas.EMBEDDINGS),
)
def embeddings(context: dg.AssetExecutionContext, store: StoreResource) -> dg.MaterializeResult[None]:
    """Encode paragraphs whose text or path is new."""
    opened = store.open()
    total, encoded = refresh_embeddings(opened, context.partition_keys, store.reporter(context))
    more = {"model": opened.settings.embeddings.model, "encoded": encoded}
    return result(opened, schemas.EMBEDDINGS, total, more)


def refresh_embeddings(store: Store, shards: Iterable[str], reporter: Reporter) -> tuple[Refreshed, int]:
    """Bring `embeddings` of some shards up to date. Returns also how many texts were encoded."""
    total, encoded = Refreshed(), 0
    keys = {shard: wanted(EMBEDDINGS, store, shard) for shard in shards}
    todo = {shard: stale_documents(store, EMBEDDINGS.tables, shard, k)[0] for shard, k in keys.items()}
    n_todo = sum(store.read("paragraphs", [shard], ["doc_id"], ids).height for shard, ids in todo.items() if ids)
    encoder, known = load_encoder(store.settings.embeddings) if n_todo else None, KnownVectors(store)
    with reporter.task("encoding paragraphs", n_todo) as advance:
        for shard, wanted_keys in keys.items():

            def build(doc_ids: list[str], shard: str = shard) -> Mapping[str, pl.DataFrame]:
                nonlocal encoded
                paragraphs = store.read("paragraphs", [shard], ["doc_id", "paragraph_id", "path", "text"], doc_ids)
                if encoder is None:
                    return {}
                rows, n = build_embeddings(paragraphs, known.of_documents(shard, doc_ids), encoder, advance, known.elsewhere)
                encoded += n
                advance(paragraphs.height - n)
                return {"embeddings": rows}

            total += refresh_part(store, EMBEDDINGS.tables, shard, wanted_keys, build, EMBEDDINGS.maker(store.settings))
    return total, encoded
