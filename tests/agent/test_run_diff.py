"""Comparing two runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from docnav_agent.answering import answer_question
from docnav_agent.budget import Budget
from docnav_agent.cli import run
from docnav_agent.commands.diff import diff
from docnav_agent.run_diff import run_diff, same
from docnav_agent.run_folder import read_run
from docnav_agent.systems import Question, SystemOptions
from tests.factories import make_search

DOCUMENTS = {
    "lease.md": "# Notice\n\nThe notice period is 30 days.\n\n# Rent\n\nThe rent is 900 euro.",
    "pump.md": "# Cleaning\n\nRinse the pump.",
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("diff")
    search = make_search(folder / "store", DOCUMENTS)

    def asked(question: str, system: str = "docnav") -> str:
        options = SystemOptions(runs_dir=folder / "runs", controller="rules")
        return answer_question(Question("q", question), search, system, options, Budget()).run_dir or ""

    notice = "How long is the notice period?"
    return {"one": asked(notice), "again": asked(notice), "rent": asked("How high is the rent?"), "bm25": asked(notice, "bm25")}


def test_a_run_done_again_is_the_same(runs: dict[str, str]) -> None:
    found = run_diff(read_run(runs["one"]), read_run(runs["again"]))
    assert same(found)
    assert found["asked"] == found["answered"] == {}
    assert found["evidence"]["both"]


def test_what_differs_is_named(runs: dict[str, str]) -> None:
    found = run_diff(read_run(runs["one"]), read_run(runs["rent"]))
    assert not same(found)
    assert set(found["asked"]) == {"question"}
    assert "answer" in found["answered"]
    assert not found["steps"][0]["equal"]
    other = run_diff(read_run(runs["one"]), read_run(runs["bm25"]))
    assert set(other["asked"]) == {"system", "controller"}
    assert other["steps"][-1]["actions"][1] is None


def test_the_command_prints_both_sides_and_json(runs: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([runs["one"], runs["again"]], command=diff) == 0
    assert "did and said the same" in capsys.readouterr().out
    assert run([runs["one"], runs["rent"]], command=diff) == 0
    out = capsys.readouterr().out
    assert "A How long is the notice period?" in out
    assert "B How high is the rent?" in out
    assert run([runs["one"], runs["rent"], "--json"], command=diff) == 0
    assert json.loads(capsys.readouterr().out)["intact"]
    assert run([runs["one"], "nowhere"], command=diff) == 2


def test_a_run_that_was_tampered_with_is_exit_1(runs: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    path = Path(runs["bm25"]) / "answer.json"
    path.chmod(0o644)
    path.write_text(path.read_text().replace("30 days", "90 days"))
    assert run([runs["one"], runs["bm25"]], command=diff) == 1
    assert "answer.json was changed" in capsys.readouterr().err
