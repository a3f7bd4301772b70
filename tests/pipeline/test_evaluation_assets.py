"""The assets of the group `evaluation`: a partition for each data set and system, a report, a job, and a schedule that is off."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import pytest

from assets_store.settings import EvaluationSettings, load_settings
from docnav_agent.evaluation.suite import read_suite
from docnav_pipeline.assets.evaluation import definitions_of, evaluation_definitions
from tests.factories import HashingEncoder, make_store


def suite_file(folder: Path) -> Path:
    store = make_store(folder / "store", {"lease.md": "# Notice\n\nThe notice period is thirty days, counted from the first."})
    question = {"id": "q", "question": "How long is the notice period?", "gold_evidence": [{"doc": "lease.md", "text": "thirty days"}]}
    (folder / "q.jsonl").write_text(json.dumps(question))
    path = folder / "suite.toml"
    path.write_text(
        f'[[dataset]]\nname = "a"\npath = "q.jsonl"\nstore = "{store.location}"\n'
        f'[[dataset]]\nname = "b"\npath = "q.jsonl"\nstore = "{store.location}"\n'
        '[[system]]\nname = "words"\nsystem = "bm25"\n[[system]]\nname = "gold"\nsystem = "oracle"\n[intervals]\nresamples = 200\n'
    )
    return path


def test_without_a_suite_there_are_no_assets(tmp_path: Path) -> None:
    assert load_settings().evaluation.suite == ""
    assert not evaluation_definitions(str(tmp_path / "none")).assets


def test_a_pair_is_a_partition_and_the_report_tells_what_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assets_store.models.encoder.load_encoder", lambda settings: HashingEncoder())
    path = suite_file(tmp_path)
    monkeypatch.setenv("DOCNAV_EVALUATION__SUITE", str(path))
    found = evaluation_definitions(str(tmp_path / "none"))
    assert sorted(key.to_user_string() for key in found.resolve_all_asset_keys()) == ["evaluation_report", "evaluation_results"]
    made = definitions_of(read_suite(path), tmp_path / "out", EvaluationSettings())
    job = made.resolve_job_def("evaluate")
    keys = job.partitions_def.get_partition_keys() if job.partitions_def is not None else []
    assert sorted(keys) == ["a|gold", "a|words", "b|gold", "b|words"]
    schedule = made.resolve_schedule_def("evaluate_all")
    assert schedule.default_status == dg.DefaultScheduleStatus.STOPPED
    context = dg.build_schedule_context(scheduled_execution_time=datetime(2026, 1, 3, tzinfo=UTC), repository_def=made.get_repository_def())
    requests = schedule.evaluate_tick(context).run_requests
    assert [request.partition_key for request in requests or ()] == keys
    with dg.DagsterInstance.ephemeral() as instance:
        result = job.execute_in_process(partition_key="a|words", instance=instance)
    assert result.success
    assert [(check.check_name, check.passed) for check in result.get_asset_check_evaluations()] == [("no_question_failed", True)]
    made_now = [event.materialization for event in result.get_asset_materialization_events()]
    metadata = {one.asset_key.to_user_string(): one.metadata for one in made_now}
    assert metadata["evaluation_results"]["asked"].value == 1
    assert metadata["evaluation_report"]["pairs"].value == 1
    assert (tmp_path / "out" / "report.html").exists()
    assert not (tmp_path / "out" / "runs" / "b").exists()
