"""When work is done without a person: the sensor that looks at the sources, the conditions that follow, and the schedule.

The sensor reports one event for each changed shard, with a data version; conditions turn events into runs. So ten thousand new files are
at most one event a shard and a few runs. The cursor holds one digest a shard, never one a document.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import dagster as dg
from dagster import AutomationCondition as Condition

from assets_store.errors import NoStore, StoreError
from assets_store.source_settings import RefreshSettings
from assets_store.store import Store
from docnav_pipeline.corpus import corpus_digest, list_registered, write_listing
from docnav_pipeline.dead_runs import release_dead_runs, repeat_unheard_failures
from docnav_pipeline.resources import STORE_TAG
from docnav_pipeline.watch import declared_roots, shape_of

DATA_VERSION = "dagster/data_version"
_CORPUS = dg.AssetKey("corpus")

# An update counts when its data version is another one, so that work which gave the same rows starts nothing.
_UPDATED = Condition.any_deps_updated().replace("newly_updated", Condition.data_version_changed())
# It counts until it was asked for and not until the next materialization, because a run that began before the update may end after it.
# One that is seen together with the request of the tick before came after that request, so it still counts.
_CHANGED = _UPDATED.since((Condition.newly_requested() & ~_UPDATED) | Condition.initial_evaluation())
# Edges and no states, so that nothing is asked for again while it is made. A failed run is started again by the instance's retries.
_MISSING = Condition.missing() & (Condition.newly_missing() | Condition.initial_evaluation()).since(Condition.newly_requested())

ON_CHANGE = (
    ~Condition.in_progress()
    & ~Condition.any_deps_in_progress()
    & ~Condition.any_deps_missing()
    & (_CHANGED | Condition.code_version_changed() | _MISSING)
).with_label("on_change")


def corpus_events(store: Store, instance: dg.DagsterInstance, known: Mapping[str, str]) -> list[dg.AssetMaterialization]:
    """One event for each shard whose digest differs from the one known and from the one that was reported last."""
    changed = {shard: digest for shard in store.shard_keys if (digest := corpus_digest(store, shard)) != known.get(shard)}
    return [
        dg.AssetMaterialization(_CORPUS, partition=shard, tags={DATA_VERSION: digest or "empty"})
        for shard, digest in changed.items()
        if _reported(instance, shard) != (digest or "empty")
    ]


def _reported(instance: dg.DagsterInstance, shard: str) -> str | None:
    """Data version of the last event of a shard of the corpus."""
    records = instance.fetch_materializations(dg.AssetRecordsFilter(asset_key=_CORPUS, asset_partitions=[shard]), limit=1).records
    event = records[0].asset_materialization if records else None
    return (event.tags or {}).get(DATA_VERSION) if event else None


def look(location: str, instance: dg.DagsterInstance, cursor: str | None) -> dg.SensorResult | dg.SkipReason:
    """One look at the sources. Raises SourceError where they cannot be listed: an error is never an empty corpus, and the cursor stays."""
    try:
        store = Store.open(location)
    except NoStore as error:
        return dg.SkipReason(str(error))
    dead = release_dead_runs(instance, store.files)
    again = repeat_unheard_failures(instance)
    seen = json.loads(cursor or "{}")
    roots, faults = declared_roots(store)
    shape = shape_of(roots, store.location)
    if shape != seen.get("shape"):
        try:
            with store.writing():
                write_listing(store, list_registered(store, roots))
        except StoreError as error:  # a run or `docnav index` writes now
            return dg.SkipReason(f"looked at later: {error}")
    events = corpus_events(store, instance, seen.get("shards", {}))
    digests = {shard: corpus_digest(store, shard) for shard in store.shard_keys}
    after = json.dumps({"shape": shape, "shards": digests})
    notes = [
        *faults,
        *(f"run {run_id} was ended: its process is gone" for run_id in dead),
        *(f"run {run_id} had failed and was not started again: its failure was reported once more" for run_id in again),
    ]
    skip = None if events else "; ".join(notes) or f"no shard changed in {len(roots)} roots"
    return dg.SensorResult(cursor=after, asset_events=events, skip_reason=skip)


def make_sensors(location: str, settings: RefreshSettings, watched: dg.AssetSelection, gpu: dg.AssetSelection) -> list[dg.SensorDefinition]:
    """The sensor of the sources, and those of the conditions: one for all, or one more for what needs a GPU where that has a queue."""
    status = dg.DefaultSensorStatus.RUNNING if settings.watch else dg.DefaultSensorStatus.STOPPED
    corpus = dg.AssetSelection.assets(_CORPUS)

    @dg.sensor(name="watch_sources", minimum_interval_seconds=settings.every_s, default_status=status)
    def watch_sources(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
        """Look at the sources and report shards that changed."""
        return look(location, context.instance, context.cursor)

    def conditions(name: str, target: dg.AssetSelection, tags: Mapping[str, str]) -> dg.SensorDefinition:
        return dg.AutomationConditionSensorDefinition(
            name,
            target=target,
            run_tags=tags,
            default_status=status,
            minimum_interval_seconds=settings.every_s,
            # Several shards in a run are what Dagster calls a backfill, which it starts half a minute later.
            emit_backfills=settings.shards_per_run != 1,
        )

    tags = {STORE_TAG: location}
    where = gpu_tags(settings)
    if not where:
        return [watch_sources, conditions("follow_changes", watched | corpus, tags)]
    others = conditions("follow_changes", (watched - gpu) | corpus, tags)
    return [watch_sources, others, conditions("follow_changes_on_gpu", gpu, {**tags, **where})]


def gpu_tags(settings: RefreshSettings) -> dict[str, str]:
    """Tags that send a run to a GPU: the queue of a Celery worker, and what Kubernetes is asked for; each launcher reads its own."""
    tags = {}
    if settings.gpu_queue:
        tags["dagster-celery/queue"] = settings.gpu_queue
    if settings.gpu_nodes:
        asked = {
            "container_config": {"resources": {"limits": {settings.gpu_resource: "1"}}},
            "pod_spec_config": {"node_selector": dict(settings.gpu_nodes)},
        }
        tags["dagster-k8s/config"] = json.dumps(asked, sort_keys=True)
    return tags


def make_schedule(
    job: dg.UnresolvedAssetJobDefinition, settings: RefreshSettings, shards: dg.StaticPartitionsDefinition
) -> dg.ScheduleDefinition:
    """A run over every shard, which also tries again what failed. Off unless `refresh.reindex` is on."""
    keys = shards.get_partition_keys()
    tags = {"dagster/asset_partition_range_start": keys[0], "dagster/asset_partition_range_end": keys[-1]}
    status = dg.DefaultScheduleStatus.RUNNING if settings.reindex else dg.DefaultScheduleStatus.STOPPED

    @dg.schedule(name="reindex", job=job, cron_schedule=settings.reindex_cron, default_status=status)
    def reindex() -> dg.RunRequest:
        """All shards in one run; what hangs on them follows by its conditions."""
        return dg.RunRequest(tags=tags)

    return reindex
