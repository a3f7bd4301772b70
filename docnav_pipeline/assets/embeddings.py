"""Asset `embeddings`: one unit vector per paragraph; a text that was encoded before is not encoded again."""

from collections.abc import Collection, Iterable, Mapping
from functools import partial

import dagster as dg
import numpy as np
import numpy.typing as npt
import polars as pl

from assets_store import schemas
from assets_store.errors import StoreError
from assets_store.models.encoder import load_encoder
from assets_store.store import Store
from docnav_pipeline.assets.common import OWNERS, by_document, catalogue, result
from docnav_pipeline.partitions import SHARDS
from docnav_pipeline.progress import Reporter
from docnav_pipeline.resources import StoreResource
from docnav_pipeline.reuse import Refreshed, refresh_part, stale_documents
from docnav_pipeline.stages import EMBEDDINGS, wanted
from docnav_pipeline.transforms.embeddings import build_embeddings

Known = dict[str, tuple[npt.NDArray[np.float32], int]]
_KNOWN = ("text_hash", "vector", "n_windows")


@dg.asset(
    deps=["paragraphs"],
    partitions_def=SHARDS,
    backfill_policy=dg.BackfillPolicy.single_run(),
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
    return result(opened, schemas.EMBEDDINGS, total, {"model": opened.settings.embeddings.model, "encoded": encoded})


def refresh_embeddings(store: Store, shards: Iterable[str], reporter: Reporter) -> tuple[Refreshed, int]:
    """Bring `embeddings` of some shards up to date. Returns also how many texts were encoded."""
    total, encoded = Refreshed(), 0
    keys = {shard: wanted(EMBEDDINGS, store, shard) for shard in shards}
    todo = {shard: stale_documents(store, EMBEDDINGS.tables, shard, k)[0] for shard, k in keys.items()}
    n_todo = sum(by_document(store.read("paragraphs", [shard], ["doc_id"]), ids).height for shard, ids in todo.items() if ids)
    encoder = load_encoder(store.settings.embeddings) if n_todo else None
    with reporter.task("encoding paragraphs", n_todo) as advance:
        for shard, wanted_keys in keys.items():

            def build(doc_ids: list[str], shard: str = shard) -> Mapping[str, pl.DataFrame]:
                nonlocal encoded
                paragraphs = by_document(store.read("paragraphs", [shard]), doc_ids)
                if encoder is None:
                    return {}
                rows, n = build_embeddings(paragraphs, _known_vectors(store, shard), encoder, advance, partial(_elsewhere, store))
                encoded += n
                advance(paragraphs.height - n)
                return {"embeddings": rows}

            total += refresh_part(store, EMBEDDINGS.tables, shard, wanted_keys, build, EMBEDDINGS.maker(store.settings))
    return total, encoded


def _known_vectors(store: Store, shard: str) -> Known:
    """Vectors of the shard's last version by the hash of what was encoded."""
    return _as_known(store.read("embeddings", [shard], _KNOWN))


def _elsewhere(store: Store, hashes: Collection[str]) -> Known:
    """Vectors of some hashes in any shard of the current snapshot: a renamed or moved document has them in another one."""
    if store.log.current_id() is None:
        return {}
    found: Known = {}
    snapshot, wanted_hashes = store.snapshot(), list(hashes)
    for shard in store.shard_keys:
        try:
            # Hashes first: they are a hundredth of the vectors, and in most shards none is wanted.
            if snapshot.read("embeddings", ["text_hash"], [shard])["text_hash"].is_in(wanted_hashes).any():
                found.update(_as_known(snapshot.read("embeddings", _KNOWN, [shard]).filter(pl.col("text_hash").is_in(wanted_hashes))))
        except StoreError:  # lost or damaged, as `docnav doctor --repair` leaves it until this run is over: encoded again
            continue
    return found


def _as_known(rows: pl.DataFrame) -> Known:
    return {row[0]: (np.asarray(row[1], dtype=np.float32), row[2]) for row in rows.select(_KNOWN).iter_rows()}
