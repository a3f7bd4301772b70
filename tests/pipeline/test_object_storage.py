"""The whole way on object storage: index, read, edit, delete, collect, as in a folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from assets_store.settings import load_settings
from assets_store.store import Store
from docnav_agent.cli import run
from docnav_pipeline import dead_runs
from docnav_pipeline.dead_runs import mark_run, release_dead_runs
from tests.object_storage import below, object_storage
from tests.pipeline.fast import FAST

RUNS = [f"{n}0000000-0000-4000-8000-000000000000" for n in "12"]


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    for name, value in {**FAST, "XDG_CACHE_HOME": str(tmp_path / "cache"), "XDG_DATA_HOME": str(tmp_path / "data")}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    with object_storage() as bucket:
        yield below(bucket, "store")


def test_a_store_on_object_storage_is_indexed_and_read_like_a_folder(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    docs, folder = tmp_path / "docs", str(tmp_path / "folder")
    docs.mkdir()
    (docs / "wells.md").write_text("# On wells\n\nAll about wells. See [pumps](pumps.md).\n")
    (docs / "pumps.md").write_text("# On pumps\n\nAll about pumps.\n")
    monkeypatch.setenv("DOCNAV_SHARDS", "2")
    for store in (address, folder):
        assert run(["index", str(docs), "--store", store, "--json"]) == 0
    (docs / "pumps.md").unlink()
    (docs / "wells.md").write_text("# On wells\n\nAll about deep wells.\n")
    for store in (address, folder):
        assert run(["index", str(docs), "--store", store, "--json"]) == 0
    remote, local = Store.open(address), Store.open(folder)
    assert remote.snapshot().manifest["tables"] == local.snapshot().manifest["tables"]
    capsys.readouterr()
    assert run(["locate", "deep wells", "--store", address, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["nodes"][0]["doc"] == "wells.md"
    assert run(["gc", "--store", address, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["files"] > 0
    assert run(["doctor", "--store", address]) == 0


def test_keys_in_an_address_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["status", "--store", "s3://KEY:SECRET@bucket/store"]) == 2
    captured = capsys.readouterr()
    assert "AWS_ACCESS_KEY_ID" in captured.err
    assert "SECRET@" not in captured.err + captured.out


def test_a_run_whose_owner_shows_no_sign_of_life_is_ended_and_its_turn_is_free(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store.create(address.replace("/store?", "/runs?"), load_settings("shards = 2"))
    monkeypatch.setattr(dead_runs, "_ENDING_S", 0.1)
    with dg.DagsterInstance.ephemeral() as instance:
        for run_id in RUNS:
            instance.add_run(dg.DagsterRun("job", run_id=run_id, status=dg.DagsterRunStatus.STARTED))
        with store.writing(shards=["00"], ticket=RUNS[0]):
            mark_run(instance, RUNS[0], RUNS[0])
            # Another machine's run, and what was left of its ticket when the machine went away.
            instance.add_run_tags(RUNS[1], {"docnav/ticket": f"{RUNS[1]} gone", "docnav/process": f"{RUNS[1]} elsewhere 1 1"})
            store.files.write("locks/gone.ticket-01", b"")
            assert release_dead_runs(instance, store.files) == [RUNS[1]]
        assert store.files.names("locks") == []
        statuses = [run.status.value for run_id in RUNS if (run := instance.get_run_by_id(run_id))]
        assert statuses == ["STARTED", "FAILURE"]


def test_a_bucket_is_made_only_where_its_address_allows_that(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    fresh = address.replace("s3://docnav-", "s3://fresh-")
    assert run(["init", "--store", fresh.replace("&allow_bucket_creation=true", "")]) == 2
    assert "does not answer" in capsys.readouterr().err
    assert run(["init", "--store", fresh]) == 0
    assert Store.open(fresh.replace("&allow_bucket_creation=true", "")).settings.shards > 0
