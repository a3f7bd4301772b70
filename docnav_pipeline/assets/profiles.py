"""Asset `profiles`: what each tree node holds, gathered from its paragraphs upward."""

from collections.abc import Iterable, Mapping

import dagster as dg
import polars as pl

from assets_store import schemas
from assets_store.store import Store
from docnav_pipeline.assets.common import OWNERS, catalogue, result
from docnav_pipeline.partitions import RUNS_OVER_SHARDS, SHARDS
from docnav_pipeline.resources import StoreResource
from docnav_pipeline.reuse import Refreshed, refresh_part
from docnav_pipeline.stages import PROFILES, wanted
from docnav_pipeline.transforms.profiles import build_profiles


@dg.asset(
    deps=["tree", "features", "embeddings"],
    partitions_def=SHARDS,
    backfill_policy=RUNS_OVER_SHARDS,
    group_name="graph",
    kinds={"parquet"},
    owners=OWNERS,
    description=schemas.PROFILES.doc,
    metadata=catalogue(schemas.PROFILES),
)
def profiles(context: dg.AssetExecutionContext, store: StoreResource) -> dg.MaterializeResult[None]:
    """Pool vectors, keywords and entities bottom-up."""
    opened = store.open()
    return result(opened, schemas.PROFILES, refresh_profiles(opened, context.partition_keys))


def refresh_profiles(store: Store, shards: Iterable[str]) -> Refreshed:
    """Bring `profiles` of some shards up to date."""
    total = Refreshed()
    for shard in shards:

        def build(doc_ids: list[str], shard: str = shard) -> Mapping[str, pl.DataFrame]:
            tree, features, embeddings = (store.read(t, [shard], documents=doc_ids) for t in ("tree", "features", "embeddings"))
            return {"profiles": build_profiles(tree, features, embeddings, store.settings.profiles)}

        total += refresh_part(store, PROFILES.tables, shard, wanted(PROFILES, store, shard), build, PROFILES.maker(store.settings))
    return total
