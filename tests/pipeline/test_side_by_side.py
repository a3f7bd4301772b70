"""Runs beside each other: who waits for whom, and that half of a change is never committed."""

import threading
import time
from pathlib import Path

import dagster as dg
import pytest

from assets_store.settings import load_settings
from assets_store.store import Store
from docnav_pipeline.assets.snapshot import snapshot
from docnav_pipeline.resources import StoreResource
from docnav_pipeline.stages import lagging
from tests.pipeline.direct import index_directly
from tests.pipeline.fast import FAST


def test_a_run_waits_for_whoever_writes_its_shards_and_for_nobody_else(tmp_path: Path) -> None:
    opened = Store.create(tmp_path / "store", load_settings("shards = 2"))
    done: list[str] = []

    @dg.asset(partitions_def=dg.StaticPartitionsDefinition(opened.shard_keys))
    def by_shard(context: dg.AssetExecutionContext, store: StoreResource) -> None:
        done.append(context.partition_key)

    @dg.asset
    def whole(store: StoreResource) -> None:
        done.append("whole")

    def start(asset: dg.AssetsDefinition, key: str | None) -> threading.Thread:
        have = {"store": StoreResource(location=opened.location)}
        thread = threading.Thread(target=lambda: dg.materialize([asset], resources=have, partition_key=key))
        thread.start()
        return thread

    with opened.writing(shards=["01"]):
        start(by_shard, "00").join()
        waiting = [start(by_shard, "01"), start(whole, None)]
        time.sleep(2)
        assert done == ["00"]
    for thread in waiting:
        thread.join()
    assert sorted(done) == ["00", "01", "whole"]


def test_no_snapshot_is_committed_while_a_table_lags(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in FAST.items():
        monkeypatch.setenv(name, value)
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "wells.md").write_text("# On wells\n\nAll about wells.\n")
    store = Store.create(tmp_path / "store", load_settings("shards = 2"))
    before = index_directly(store, docs)
    assert lagging(store) == []
    (docs / "wells.md").write_text("# On wells\n\nAll about deep wells.\n")
    index_directly(store, docs, stop_after=2)
    with pytest.raises(dg.Failure, match=r"no snapshot was committed: features/0\d"):
        snapshot(store=StoreResource(location=store.location))
    assert store.snapshot().id == before
    assert index_directly(store, docs) != before
