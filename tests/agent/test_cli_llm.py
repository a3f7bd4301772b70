"""The command line with a language model: streaming, options to choose from, who answers, what is said on stderr."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from docnav_agent.cli import run
from tests.agent.llm_runs import ENOUGH, LEASE, PUMP, Reply, Said, evidence_in, names_in, script, statement, step
from tests.endpoint import scripted_endpoint
from tests.factories import HashingEncoder, make_store

GOOD = "The notice period is 30 days."
NOTICE = "How long is the notice period?"


def written(data: str) -> Said:
    more = {"choice": "B", "verdict": "true"} if "option" in data or "statement" in data else {}
    return {"statements": [statement(GOOD, *evidence_in(data, "30 days"))], "missing": [], **more}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_store(tmp_path_factory.mktemp("cli") / "store", [LEASE, PUMP]).location)


@pytest.fixture
def store(made: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr("assets_store.models.encoder.load_encoder", lambda settings: HashingEncoder())
    monkeypatch.chdir(tmp_path)
    steps: list[Reply] = [lambda data: step("fetch", names_in(data, "30 days")), step("answer", missing=[])]
    with scripted_endpoint(script({"step": steps, "check": [ENOUGH], "answer": [written]})) as endpoint:
        monkeypatch.setenv("DOCNAV_LLM__BASE_URL", endpoint.base_url)
        monkeypatch.setenv("DOCNAV_LLM__MODEL", "made-up")
        yield made


def test_a_configured_model_runs_and_the_answer_streams(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", NOTICE, "--stream", "--store", store]) == 0
    seen = capsys.readouterr()
    assert seen.out.splitlines()[0] == f"{GOOD} [E01]"
    assert "1 locate: search for the question itself" in seen.err
    assert "docnav (llm): answered after 2 steps" in seen.err
    assert "4 calls with 440 tokens" in seen.err


def test_a_stream_as_json_is_one_object_a_line_with_the_answer_last(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", NOTICE, "--stream", "--json", "--store", store]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["event"] for row in rows] == ["step", "step", "sentence", "answer"]
    assert rows[-1]["answer"] == f"{GOOD} [E01]"


def test_options_and_a_statement_to_judge(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", NOTICE, "--choice", "14 days", "--choice", "30 days", "--json", "--store", store]) == 0
    assert json.loads(capsys.readouterr().out)["choice"] == "B"
    assert run(["ask", NOTICE, "--true-false", "It is 30 days.", "--json", "--store", store]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] is True


def test_bm25_with_a_written_answer_and_rules_with_a_quoted_one(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", NOTICE, "--system", "bm25", "--answer", "llm", "--json", "--store", store]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["system"], answer["answer_by"], answer["llm_calls"]) == ("bm25", "llm", 1)
    assert run(["ask", NOTICE, "--controller", "rules", "--json", "--store", store]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["controller"], answer["answer_by"], answer["llm_calls"]) == ("rules", "extractive", 0)


def test_without_an_endpoint_rules_runs_and_says_so(
    store: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DOCNAV_LLM__BASE_URL")
    assert run(["ask", NOTICE, "--controller", "llm", "--store", store]) == 0
    seen = capsys.readouterr()
    assert "no language model is set" in seen.err
    assert "docnav (rules)" in seen.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--ablate", "HX"], "expected some of: HS"),
        (["--answer", "poem"], "auto, extractive, llm"),
        (["--choice", "one"], "2 to 26 options"),
        (["--choice", "a", "--choice", "b", "--true-false", "c"], "either --choice or --true-false"),
    ],
)
def test_wrong_use_is_exit_2_and_one_line(store: str, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", NOTICE, *arguments, "--store", store]) == 2
    seen = capsys.readouterr()
    assert message in seen.err
    assert seen.out == ""


def test_retrieve_fills_the_budget_with_and_without_parts(store: str, tmp_path: Path) -> None:
    asked = tmp_path / "q.jsonl"
    asked.write_text(json.dumps({"id": "a", "question": NOTICE}) + "\n")
    for ablate in ("", "SC"):
        out = tmp_path / f"e{ablate}.jsonl"
        assert run(["retrieve", str(asked), "--out", str(out), "--ablate", ablate, "--store", store]) == 0
        row = json.loads(out.read_text())
        assert row["evidence"][0]["text"] == GOOD
        assert row["llm_calls"] == (0 if ablate else 3)
