"""The sensor, the conditions and the runs of dead processes, without servers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from assets_store.errors import SourceError, StoreError
from assets_store.settings import load_settings
from assets_store.source_settings import RefreshSettings
from assets_store.store import Store
from docnav_pipeline import dead_runs
from docnav_pipeline.corpus import read_corpus, refresh_corpus
from docnav_pipeline.dead_runs import mark_run, release_dead_runs, repeat_unheard_failures
from docnav_pipeline.refresh import DATA_VERSION, ON_CHANGE, gpu_tags, look, make_sensors
from docnav_pipeline.resources import STORE_TAG, StoreResource, run_shards

SHARDS = dg.StaticPartitionsDefinition(["00", "01", "02"])


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as made:
        yield made


@pytest.fixture
def watched(tmp_path: Path) -> tuple[Store, Path]:
    """A store with four shards, and a folder that it watches."""
    docs = tmp_path / "docs"
    docs.mkdir()
    store = Store.create(tmp_path / "store", load_settings("shards = 4"))
    refresh_corpus(store, [docs], "default", "")
    return store, docs


def tick(store: Store, instance: dg.DagsterInstance, cursor: str | None) -> tuple[set[str], str | None]:
    """Shards that one look reports, and the cursor after it."""
    found = look(store.location, instance, cursor)
    if isinstance(found, dg.SkipReason):
        return set(), cursor
    shards = set()
    for event in found.asset_events:
        assert isinstance(event, dg.AssetMaterialization)
        instance.report_runless_asset_event(event)
        shards.add(str(event.partition))
    return shards, found.cursor


def test_many_files_are_one_event_a_shard_and_a_look_at_nothing_new_none(watched: tuple[Store, Path], instance: dg.DagsterInstance) -> None:
    store, docs = watched
    everything, cursor = tick(store, instance, None)
    assert everything == {"00", "01", "02", "03"}
    for n in range(300):
        (docs / f"{n}.md").write_text(f"# On {n}\n")
    assert tick(store, instance, cursor)[0] == everything
    changed, cursor = tick(store, instance, cursor)
    assert changed == set()
    assert tick(store, instance, cursor) == (set(), cursor)
    assert len(json.loads(cursor or "")["shards"]) == 4
    # A cursor that was lost reports nothing twice.
    assert tick(store, instance, None)[0] == set()


def test_an_edit_and_a_removal_report_their_shards_only(watched: tuple[Store, Path], instance: dg.DagsterInstance) -> None:
    store, docs = watched
    for n in range(8):
        (docs / f"{n}.md").write_text(f"# On {n}\n")
    _, cursor = tick(store, instance, None)
    place = {s.uri: shard for shard in store.shard_keys for s in read_corpus(store, shard).values()}
    (docs / "1.md").write_text("# On one\n")
    (docs / "2.md").unlink()
    changed, cursor = tick(store, instance, cursor)
    assert changed == {place["1.md"], place["2.md"]}
    (docs / "3.md").touch()
    assert tick(store, instance, cursor)[0] == set()


def test_a_folder_that_is_away_is_an_error_and_no_empty_corpus(watched: tuple[Store, Path], instance: dg.DagsterInstance) -> None:
    store, docs = watched
    (docs / "a.md").write_text("# A\n")
    _, cursor = tick(store, instance, None)
    docs.rename(docs.with_name("away"))
    with pytest.raises(SourceError, match="cannot list"):
        look(store.location, instance, cursor)
    assert sum(len(read_corpus(store, shard)) for shard in store.shard_keys) == 1


def test_while_somebody_writes_the_look_is_put_off(watched: tuple[Store, Path], instance: dg.DagsterInstance) -> None:
    store, docs = watched
    (docs / "a.md").write_text("# A\n")
    with store.writing(shards=["01"]):
        found = look(store.location, instance, None)
    assert isinstance(found, dg.SkipReason)
    assert "looked at later" in str(found.skip_message)
    assert tick(store, instance, None)[0] == {"00", "01", "02", "03"}


def test_the_condition_asks_once_for_what_is_missing_or_changed(instance: dg.DagsterInstance) -> None:
    @dg.asset(deps=["corpus"], partitions_def=SHARDS, automation_condition=ON_CHANGE)
    def parsed() -> None: ...

    @dg.asset(deps=["parsed"], partitions_def=SHARDS, automation_condition=ON_CHANGE)
    def profiles() -> None: ...

    @dg.asset(deps=["profiles"], automation_condition=ON_CHANGE)
    def edges() -> None: ...

    defs = dg.Definitions([dg.AssetSpec("corpus", partitions_def=SHARDS), parsed, profiles, edges])
    cursor = None

    def asked() -> dict[str, set[str | None]]:
        nonlocal cursor
        result = dg.evaluate_automation_conditions(defs, instance, cursor=cursor)
        cursor = result.cursor
        names = {"parsed": SHARDS.get_partition_keys(), "profiles": SHARDS.get_partition_keys(), "edges": [None]}
        found = {name: result.get_requested_partitions(dg.AssetKey(name)) for name in names}
        return {name: set(keys) for name, keys in found.items() if keys}

    def made(asset: str, version: str, *shards: str) -> None:
        for shard in shards or (None,):
            instance.report_runless_asset_event(dg.AssetMaterialization(asset, partition=shard, tags={DATA_VERSION: version}))

    every = set(SHARDS.get_partition_keys())
    assert asked() == {}  # nothing was listed yet
    made("corpus", "1", *every)
    assert asked() == {"parsed": every, "profiles": every}
    assert [asked(), asked()] == [{}, {}]  # while that is made
    made("parsed", "1", *every)
    assert asked() == {"profiles": every}
    made("profiles", "1", *every)
    assert asked() == {"edges": {None}}
    made("edges", "1")
    assert asked() == {}
    made("corpus", "2", "01")
    assert asked() == {"parsed": {"01"}, "profiles": {"01"}}
    made("parsed", "2", "01")
    made("profiles", "1", "01")  # an edit that changed no profile
    asked()
    made("profiles", "1", "01")
    assert "edges" not in asked()
    # An edit after the request is asked for as well: the run may be over by then.
    made("corpus", "3", "02")
    assert asked() == {"parsed": {"02"}, "profiles": {"02"}}
    made("corpus", "4", "02")
    assert asked() == {"parsed": {"02"}, "profiles": {"02"}}
    assert asked() == {}


def test_a_run_over_shards_is_told_from_one_over_the_corpus(watched: tuple[Store, Path]) -> None:
    store, _ = watched
    start, end = "dagster/asset_partition_range_start", "dagster/asset_partition_range_end"
    assert run_shards(store, {"dagster/partition": "02"}) == ["02"]
    assert run_shards(store, {start: "01", end: "03"}) == ["01", "02", "03"]
    assert run_shards(store, {}) is None


def test_runs_of_a_process_that_is_gone_are_ended_and_others_are_left(instance: dg.DagsterInstance) -> None:
    alive, dead, retry = (f"{n}0000000-0000-4000-8000-000000000000" for n in "123")
    for run_id in (alive, dead, retry):
        instance.add_run(dg.DagsterRun("job", run_id=run_id, status=dg.DagsterRunStatus.STARTED))

    def found(run_id: str) -> dg.DagsterRun:
        run = instance.get_run_by_id(run_id)
        assert run is not None
        return run

    mark_run(instance, alive, None)
    mark_run(instance, dead, None)
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    tag = found(dead).tags["docnav/process"].replace(f" {os.getpid()} ", f" {ended.pid} ")
    # A retry has the tags of the run before, and is no dead run itself.
    for run_id in (dead, retry):
        instance.add_run_tags(run_id, {"docnav/process": tag})
    assert release_dead_runs(instance) == [dead]
    assert [found(run_id).status.value for run_id in (alive, dead, retry)] == ["STARTED", "FAILURE", "STARTED"]


def test_a_failure_that_was_not_heard_of_is_reported_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    unheard, retried, final = (f"{n}0000000-0000-4000-8000-000000000000" for n in "123")
    with dg.DagsterInstance.ephemeral(settings={"run_retries": {"enabled": True, "max_retries": 1}}) as instance:
        for run_id, tags in ((unheard, {}), (retried, {"dagster/auto_retry_run_id": "4"}), (final, {"dagster/max_retries": "0"})):
            run = instance.add_run(dg.DagsterRun("job", run_id=run_id, status=dg.DagsterRunStatus.STARTED, tags=tags))
            instance.report_run_failed(run)
        assert repeat_unheard_failures(instance) == []  # the daemon may still be at it
        monkeypatch.setattr(dead_runs, "_HEARD_S", -1.0)
        assert repeat_unheard_failures(instance) == [unheard]
        assert len(instance.all_logs(unheard, of_type=dg.DagsterEventType.RUN_FAILURE)) == 2
    with dg.DagsterInstance.ephemeral() as instance:  # starts nothing again
        instance.report_run_failed(instance.add_run(dg.DagsterRun("job", run_id=unheard, status=dg.DagsterRunStatus.STARTED)))
        assert repeat_unheard_failures(instance) == []


def test_what_needs_a_gpu_has_a_sensor_of_its_own_where_that_has_a_queue() -> None:
    every, gpu = dg.AssetSelection.assets("parsed", "embeddings"), dg.AssetSelection.assets("embeddings")
    together = make_sensors("store", RefreshSettings(), every, gpu)
    assert [sensor.name for sensor in together] == ["watch_sources", "follow_changes"]
    apart = make_sensors("store", RefreshSettings(gpu_queue="gpu", watch=False), every, gpu)
    assert [sensor.name for sensor in apart] == ["watch_sources", "follow_changes", "follow_changes_on_gpu"]
    assert isinstance(apart[2], dg.AutomationConditionSensorDefinition)
    assert apart[2].run_tags == {"dagster-celery/queue": "gpu", "docnav/store": "store"}
    assert {sensor.default_status for sensor in apart} == {dg.DefaultSensorStatus.STOPPED}
    on_nodes = gpu_tags(RefreshSettings(gpu_nodes={"accelerator": "h200"}))
    asked = json.loads(on_nodes["dagster-k8s/config"])
    assert asked["pod_spec_config"] == {"node_selector": {"accelerator": "h200"}}
    assert asked["container_config"] == {"resources": {"limits": {"nvidia.com/gpu": "1"}}}
    assert gpu_tags(RefreshSettings()) == {}


def test_a_run_that_was_asked_for_another_store_is_refused(instance: dg.DagsterInstance, tmp_path: Path) -> None:
    here, there = (Store.create(tmp_path / name, load_settings("shards = 4")).location for name in ("here", "there"))

    @dg.asset(required_resource_keys={"store"})
    def looked() -> None: ...

    have = {"store": StoreResource(location=here)}
    assert dg.materialize([looked], instance=instance, resources=have, tags={STORE_TAG: here}).success
    with pytest.raises(dg.DagsterError) as refused:
        dg.materialize([looked], instance=instance, resources=have, tags={STORE_TAG: there})
    cause = refused.value.__cause__
    assert isinstance(cause, StoreError)
    assert f"for the store {there}, and this worker serves {here}" in str(cause)
