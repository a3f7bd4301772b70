"""Asset `routing_profiles`: summary, key concepts and subtopics of the scopes in R_d."""

from collections.abc import Iterable, Mapping

import dagster as dg
import polars as pl

from assets_store import schemas
from assets_store.store import Store
from docnav_pipeline.assets.common import OWNERS, catalogue, result
from docnav_pipeline.partitions import SHARDS
from docnav_pipeline.resources import StoreResource
from docnav_pipeline.reuse import Refreshed, refresh_part
from docnav_pipeline.stages import ROUTING_PROFILES, wanted
from docnav_pipeline.transforms.routing_profiles import build_routing_profiles


@dg.asset(
    deps=["tree", "paragraphs", "profiles"],
    partitions_def=SHARDS,
    backfill_policy=dg.BackfillPolicy.single_run(),
    group_name="graph",
    kinds={"parquet"},
    owners=OWNERS,
    description=schemas.ROUTING_PROFILES.doc,
    metadata=catalogue(schemas.ROUTING_PROFILES),
)
def routing_profiles(context: dg.AssetExecutionContext, store: StoreResource) -> dg.MaterializeResult[None]:
    """Write the extractive routing profile of every broad scope."""
    opened = store.open()
    return result(opened, schemas.ROUTING_PROFILES, refresh_routing_profiles(opened, context.partition_keys), {"made by": "extractive"})


def refresh_routing_profiles(store: Store, shards: Iterable[str]) -> Refreshed:
    """Bring `routing_profiles` of some shards up to date."""
    total, stage = Refreshed(), ROUTING_PROFILES
    for shard in shards:

        def build(doc_ids: list[str], shard: str = shard) -> Mapping[str, pl.DataFrame]:
            tree, paragraphs, profiles = (store.read(t, [shard], documents=doc_ids) for t in ("tree", "paragraphs", "profiles"))
            return {"routing_profiles": build_routing_profiles(tree, paragraphs, profiles, store.settings.profiles)}

        total += refresh_part(store, stage.tables, shard, wanted(stage, store, shard), build, stage.maker(store.settings))
    return total
