"""Assets `documents` and `layout`: every source file, parsed. One step makes both, because parsing tells the status."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

import dagster as dg
import polars as pl

from assets_store import schemas
from assets_store.store import Store
from docnav_pipeline.assets.common import OWNERS, catalogue, result
from docnav_pipeline.corpus import read_corpus
from docnav_pipeline.parse_sources import parse_sources
from docnav_pipeline.partitions import RUNS_OVER_SHARDS, SHARDS
from docnav_pipeline.progress import Reporter
from docnav_pipeline.resources import StoreResource
from docnav_pipeline.reuse import Refreshed, refresh_part, stale_documents
from docnav_pipeline.sources import SourceFile
from docnav_pipeline.spill import Spill
from docnav_pipeline.stages import DOCUMENTS, retried_documents, wanted_documents
from docnav_pipeline.transforms.documents import build_documents
from docnav_pipeline.transforms.layout import build_layout


@dg.multi_asset(
    specs=[
        dg.AssetSpec(
            "documents",
            deps=["corpus"],
            group_name="source",
            kinds={"parquet"},
            owners=OWNERS,
            description=schemas.DOCUMENTS.doc,
            metadata=catalogue(schemas.DOCUMENTS),
        ),
        dg.AssetSpec(
            "layout",
            deps=["corpus"],
            group_name="source",
            kinds={"parquet"},
            owners=OWNERS,
            description=schemas.LAYOUT.doc,
            metadata=catalogue(schemas.LAYOUT),
        ),
    ],
    partitions_def=SHARDS,
    backfill_policy=RUNS_OVER_SHARDS,
    name="parse_documents",
)
def parse_documents(context: dg.AssetExecutionContext, store: StoreResource) -> Iterable[dg.MaterializeResult[None]]:
    """Parse what is new or changed, in child processes with limits."""
    opened = store.open()
    total = refresh_documents(opened, context.partition_keys, store.reporter(context))
    statuses = opened.read("documents", columns=["status"])["status"].value_counts()
    counts = {f"status {row['status']}": row["count"] for row in statuses.to_dicts()}
    yield result(opened, schemas.DOCUMENTS, total, {**counts, "parsed": total.recomputed})
    yield result(opened, schemas.LAYOUT, total)


def refresh_documents(store: Store, shards: Iterable[str], reporter: Reporter) -> Refreshed:
    """Bring `documents` and `layout` of some shards up to date; a shard is written as soon as its last document is parsed."""
    keys = {shard: wanted_documents(store, shard) for shard in shards}
    retry = {shard: retried_documents(store, shard) for shard in keys}
    todo: dict[str, list[SourceFile]] = {}
    for shard, wanted in keys.items():
        corpus = read_corpus(store, shard)
        stale, _ = stale_documents(store, DOCUMENTS.tables, shard, wanted, retry[shard])
        todo[shard] = [corpus[doc_id] for doc_id in stale]
    total, maker = Refreshed(), DOCUMENTS.maker(store.settings)
    with reporter.task("parsing documents", sum(map(len, todo.values()))) as advance, store.files.scratch() as folder:
        spill = Spill(folder)
        for shard in _parsed_shards(todo, store, spill, advance):
            total += refresh_part(store, DOCUMENTS.tables, shard, keys[shard], partial(_parsed_rows, spill, shard), maker, retry[shard])
            spill.drop(shard)
    return total


def _parsed_rows(spill: Spill, shard: str, doc_ids: list[str]) -> Mapping[str, pl.DataFrame]:
    """Rows that were parsed before they were asked for."""
    found = {spec.name: spill.read(shard, spec.name, doc_ids) for spec in DOCUMENTS.tables}
    return {name: rows for name, rows in found.items() if rows is not None}


def _parsed_shards(todo: dict[str, list[SourceFile]], store: Store, spill: Spill, advance: Callable[[int], None]) -> Iterator[str]:
    """Each shard once all its documents are parsed and in the spill; shards without work first."""
    shard_of = {source.doc_id: shard for shard, sources in todo.items() for source in sources}
    open_count = {shard: len(sources) for shard, sources in todo.items()}
    yield from [shard for shard, n in open_count.items() if n == 0]
    for source, parsed in parse_sources([s for sources in todo.values() for s in sources], store.settings.parsing):
        shard = shard_of[source.doc_id]
        rows = {"documents": build_documents([(source, parsed)]), "layout": build_layout([(source.doc_id, parsed)])}
        spill.add(shard, source.doc_id, rows)
        open_count[shard] -= 1
        advance(1)
        if open_count[shard] == 0:
            yield shard
