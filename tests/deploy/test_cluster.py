"""A small cluster for real: PostgreSQL, Redis, S3, workers and the daemon, one worker killed in the middle of a run."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from assets_store.store import Store
from deploy.demo.__main__ import differing_tables, index_locally, index_on_workers, write_settings
from deploy.demo.cluster import cluster
from deploy.demo.services import MissingProgram, find_program
from tests.pipeline.fast import FAST
from tests.programs import needed

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]
N_DOCUMENTS = 120
TIMEOUT_S = 800.0


def program_or_none(name: str) -> str | None:
    try:
        return find_program(name, "")
    except MissingProgram:
        return None


def test_workers_make_the_index_of_one_process_though_one_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for program, package in (("initdb", "postgresql"), ("redis-server", "redis-server")):
        needed(partial(program_or_none, program), package)
    for name, value in FAST.items():
        monkeypatch.setenv(name, value)
    docs, config = tmp_path / "docs", tmp_path / "docnav.toml"
    docs.mkdir()
    for n in range(N_DOCUMENTS):
        (docs / f"pump-{n}.md").write_text(f"# On pump {n}\n\nAll about pump {n}. See [the next](pump-{n + 1}.md).\n\n## Care\n\nOil it.\n")
    write_settings(config, docs, shards=2)
    local = index_locally(config, tmp_path / "local")
    with cluster(tmp_path, config, FAST) as made:
        killed, run_id = index_on_workers(made, N_DOCUMENTS, TIMEOUT_S)
        runs = {run.run_id: run for run in made.runs()}
        assert runs[run_id].status.value == "FAILURE"
        again = [run for run in runs.values() if run.tags.get("dagster/parent_run_id") == run_id]
        assert [run.status.value for run in again] == ["SUCCESS"]
        # One that looks again may have begun meanwhile.
        assert {run.status.value for run in runs.values() if run.run_id != run_id}.isdisjoint({"FAILURE", "CANCELED"})
        ended = made.runs_by_worker()
        assert ended["gpu-1"] >= 1
        assert ended[f"{killed}-again"] + ended["cpu-1"] + ended["cpu-2"] >= 1
        assert differing_tables(local, Store.open(made.store)) == []
