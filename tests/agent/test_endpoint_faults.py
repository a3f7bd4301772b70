"""Endpoints that fail: each run ends with a named reason, its artifacts intact and the failure recorded."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from docnav_agent.agent import STOP_REASONS
from docnav_agent.answer import Answer
from docnav_agent.answering import answer_question
from docnav_agent.budget import Budget
from docnav_agent.run_folder import read_run
from docnav_agent.systems import Question, SystemOptions
from tests.agent.faulty_endpoint import FAULTS, Respond, chat, faulty_endpoint, send
from tests.agent.llm_runs import open_search

CASES = list(FAULTS.items())


def answer(tmp_path: Path, respond: Respond, seconds: float = 60.0, retries: int = 0, **agent: Any) -> Answer:
    with faulty_endpoint(respond) as base_url:
        search = open_search(tmp_path, base_url, llm={"timeout_s": 0.6, "max_retries": retries}, **agent)
        options = SystemOptions(controller="llm", runs_dir=tmp_path / "runs")
        return answer_question(Question("q", "How long is the notice period?"), search, "docnav", options, Budget(max_seconds=seconds))


@pytest.mark.parametrize(("name", "respond"), CASES, ids=[name for name, _ in CASES])
def test_a_fault_ends_in_a_named_reason_with_artifacts_intact(tmp_path: Path, name: str, respond: Respond) -> None:
    given = answer(tmp_path, respond)
    run = read_run(given.run_dir or "")
    assert run.problems == ()
    assert given.stop_reason in STOP_REASONS
    assert given.answer.startswith("The notice period is 30 days.")
    assert any("rules went on" in line for line in given.back_offs)
    assert any("quoted sentences stand in" in line for line in given.back_offs)
    assert run.answer["back_offs"] == list(given.back_offs)
    assert [call["fault"] != "" for step in run.steps for call in step["calls"]] == [True, True]
    assert run.answer["calls"][-1]["fault"]


@pytest.mark.parametrize(("name", "respond"), CASES, ids=[name for name, _ in CASES])
def test_without_back_off_the_reason_is_model_failed(tmp_path: Path, name: str, respond: Respond) -> None:
    given = answer(tmp_path, respond, back_off=False)
    assert given.stop_reason in ("model_failed", "nothing_found")
    assert read_run(given.run_dir or "").problems == ()


def test_a_server_that_asks_to_wait_longer_than_the_run_is_not_waited_for(tmp_path: Path) -> None:
    given = answer(tmp_path, FAULTS["429 with Retry-After"], seconds=8.0, retries=3)
    assert given.seconds < 25
    assert given.stop_reason in STOP_REASONS
    assert read_run(given.run_dir or "").problems == ()


def test_a_passing_fault_is_tried_again(tmp_path: Path) -> None:
    seen = 0

    def once(handler: BaseHTTPRequestHandler) -> None:
        nonlocal seen
        seen += 1
        if seen == 1:
            send(handler, b'{"error": {"message": "slow down"}}', 429, Retry_After="0")
        else:
            send(handler, chat('{"action": "fetch", "found": "30 days", "missing": []}'))

    given = answer(tmp_path, once, retries=1)
    assert not any("rules went on" in line for line in given.back_offs)
    assert seen > 2


def test_a_run_out_of_time_ends_by_the_time_limit(tmp_path: Path) -> None:
    given = answer(tmp_path, FAULTS["time-out"], seconds=0.4)
    assert given.stop_reason in ("time_limit", "nothing_found")
    assert read_run(given.run_dir or "").problems == ()
