"""Asset `summaries`: a summary of every directory and content node, where `graph.summaries` is on."""

from collections.abc import Iterable, Mapping

import dagster as dg
import polars as pl

from assets_store import schemas
from assets_store.store import Store
from docnav_pipeline.assets.common import OWNERS, catalogue, result
from docnav_pipeline.partitions import RUNS_OVER_SHARDS, SHARDS
from docnav_pipeline.resources import StoreResource
from docnav_pipeline.reuse import Refreshed, refresh_part
from docnav_pipeline.stages import SUMMARIES, wanted
from docnav_pipeline.transforms.summaries import build_summaries


@dg.asset(
    deps=["tree", "paragraphs", "profiles"],
    partitions_def=SHARDS,
    backfill_policy=RUNS_OVER_SHARDS,
    group_name="graph",
    kinds={"parquet"},
    owners=OWNERS,
    description=schemas.SUMMARIES.doc,
    metadata=catalogue(schemas.SUMMARIES),
)
def summaries(context: dg.AssetExecutionContext, store: StoreResource) -> dg.MaterializeResult[None]:
    """Summarise every node by its own sentences, or keep the table empty."""
    opened = store.open()
    more = {"on": opened.settings.graph.summaries, "made by": "extractive"}
    return result(opened, schemas.SUMMARIES, refresh_summaries(opened, context.partition_keys), more)


def refresh_summaries(store: Store, shards: Iterable[str]) -> Refreshed:
    """Bring `summaries` of some shards up to date."""
    total, stage = Refreshed(), SUMMARIES
    for shard in shards:

        def build(doc_ids: list[str], shard: str = shard) -> Mapping[str, pl.DataFrame]:
            tree, paragraphs, profiles = (store.read(t, [shard], documents=doc_ids) for t in ("tree", "paragraphs", "profiles"))
            return {"summaries": build_summaries(tree, paragraphs, profiles, store.settings.profiles)}

        total += refresh_part(store, stage.tables, shard, wanted(stage, store, shard), build, stage.maker(store.settings))
    return total
