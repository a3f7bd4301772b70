"""The command line: JSON shapes, exit codes, one clear line for wrong use, and hostile text made harmless."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from docnav_agent.cli import run
from tests.factories import HashingEncoder, MadeDocument, make_store

MANUAL = MadeDocument(
    "manual.md",
    "# Cleaning\n\nRinse the pump with water every week.\n\n## Lid\n\nDry the lid.\n\n# Notes\n\nRed \x1b[31mink\u202e is hostile.",
    title="Pump",
    pages=(3, 3, 4),
)
LEASE = MadeDocument("lease.md", "# Notice\n\nThe notice period is 30 days.")


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr("assets_store.models.encoder.load_encoder", lambda settings: HashingEncoder())
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DOCNAV_STORE", raising=False)
    return str(make_store(tmp_path / "store", [MANUAL, LEASE]).location)


def out_json(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def error_line(capsys: pytest.CaptureFixture[str]) -> str:
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Traceback" not in captured.err
    assert captured.err.count("\n") == 1
    return captured.err


def test_the_four_actions_print_their_shapes(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["locate", "rinse the pump", "--store", store, "-k", "2", "--json"]) == 0
    nodes = out_json(capsys)["nodes"]
    assert nodes[0] | {"level": "paragraph", "path": ["Cleaning"], "doc": "manual.md"} == nodes[0]
    assert nodes[0]["score"] >= nodes[1]["score"]
    paragraph = nodes[0]["node_id"]
    assert run(["navigate", paragraph, "--up", "--store", store, "--json"]) == 0
    section = out_json(capsys)["nodes"][0]
    assert (section["level"], section["title"]) == ("section", "Cleaning")
    assert run(["expand", paragraph, "--store", store, "--json"]) == 0
    assert out_json(capsys) == {"nodes": []}
    assert run(["fetch", section["node_id"], "--store", store, "--json"]) == 0
    evidence = out_json(capsys)["evidence"]
    assert [item["text"] for item in evidence] == ["Rinse the pump with water every week.", "Dry the lid."]
    assert evidence[0]["page_start"] == 3
    assert evidence[0]["boxes"][0]["page"] == 3


@pytest.mark.parametrize("level", ["community", "document", "section", "paragraph"])
def test_every_level_can_be_located(store: str, level: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["locate", "pump", "--level", level, "--store", store, "--json"]) == 0
    assert all(node["level"] == level for node in out_json(capsys)["nodes"])


def test_ask_prints_a_cited_answer_and_keeps_the_run(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", "How long is the notice period?", "--store", store, "--json"]) == 0
    answer = out_json(capsys)
    assert answer["answer"] == f"The notice period is 30 days. [{answer['citations'][0]['evidence_id']}]"
    wanted = {"evidence_id", "node_id", "doc", "section", "page_start", "page_end", "boxes"}
    assert wanted <= set(answer["citations"][0])
    assert {"stop_reason", "missing", "run_dir", "steps", "llm_calls", "tokens", "seconds"} <= set(answer)
    assert answer["llm_calls"] == 0
    assert run(["replay", answer["run_dir"], "--json"]) == 0
    replayed = out_json(capsys)
    assert replayed["intact"]
    assert replayed["answer"]["answer"] == answer["answer"]
    assert run(["replay", answer["run_dir"]]) == 0
    assert "The notice period is 30 days." in capsys.readouterr().out


def test_replay_reports_tampering(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(["ask", "How long is the notice period?", "--store", store, "--json"])
    folder = Path(out_json(capsys)["run_dir"])
    path = folder / "answer.json"
    path.chmod(0o644)
    path.write_text(path.read_text().replace("30 days", "90 days"))
    assert run(["replay", str(folder)]) == 1
    assert "tampered: answer.json was changed" in capsys.readouterr().err


@pytest.mark.parametrize("system", ["docnav", "bm25", "dense", "hybrid"])
def test_no_answer_is_exit_1_and_says_what_is_missing(store: str, system: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", "Who painted the Mona Lisa?", "--system", system, "--store", store, "--json"]) == 1
    answer = out_json(capsys)
    assert answer["citations"] == []
    assert "Mona" in answer["missing"]


def test_text_for_people_cannot_control_the_terminal(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ask", "What is hostile ink?", "--store", store]) == 0
    captured = capsys.readouterr()
    assert "\x1b" not in captured.out
    assert "\u202e" not in captured.out
    assert "\\x1b[31mink\\u202e is hostile." in captured.out
    assert "run folder: " in captured.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["locate", "x", "--store", "nowhere"], "nowhere"),
        (["locate", "  ", "--store", "STORE"], "query"),
        (["locate", "x", "--scope", "manual", "--store", "STORE"], "manual"),
        (["locate", "x", "--level", "page", "--store", "STORE"], "page"),
        (["navigate", "manual/p-0", "--up", "--store", "STORE"], "manual/p-0"),
        (["navigate", "manual/p-0", "--store", "STORE"], "--up, --down, --siblings or --outline"),
        (["fetch", "--store", "STORE"], "ID"),
        (["fetch", "manual/p-0", "--store", "STORE"], "manual/p-0"),
        (["ask", " ", "--store", "STORE"], "question is empty"),
        (["ask", "x", "--system", "bm52", "--store", "STORE"], "docnav, bm25, dense, hybrid"),
        (["ask", "x", "--controller", "chess", "--store", "STORE"], "rules"),
        (["ask", "x", "--system", "bm25", "--controller", "chess", "--store", "STORE"], "rules"),
        (["ask", "half \udc80 a pair", "--store", "STORE"], "UTF-8"),
        (["expand", "manual/p-0", "--kind", "nope", "--store", "STORE"], "cross_reference"),
        (["locate", "x", "--store", "nosuch://bucket/store"], "no address of a store"),
        (["ask", "x", "--doc", "leese.md", "--store", "STORE"], "lease"),
        (["ask", "x", "--max-steps", "0", "--store", "STORE"], "--max-steps"),
        (["retrieve", "none.jsonl", "--out", "e.jsonl", "--store", "STORE"], "none.jsonl"),
        (["replay", "nowhere"], "run.json"),
        (["lokate"], "lokate"),
    ],
)
def test_wrong_use_is_exit_2_and_one_line(store: str, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([store if part == "STORE" else part for part in arguments]) == 2
    assert message in error_line(capsys)


def questions(path: Path, *rows: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_retrieve_writes_one_line_per_question(store: str, tmp_path: Path) -> None:
    asked = questions(
        tmp_path / "q.jsonl",
        {"id": "a", "question": "How long is the notice period?"},
        {"id": "b", "question": "How long is the notice period?", "docs": ["manual"]},
    )
    out = tmp_path / "e.jsonl"
    assert run(["retrieve", asked, "--out", str(out), "--store", store, "--runs", str(tmp_path / "runs")]) == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["question_id"] for row in rows] == ["a", "b"]
    assert rows[0]["evidence"][0]["doc"] == "lease.md"
    assert {item["doc"] for item in rows[1]["evidence"]} == {"manual.md"}
    assert {"doc", "text", "page_start", "page_end", "section", "node_id"} <= set(rows[0]["evidence"][0])
    assert {"steps", "llm_calls", "tokens", "seconds", "stop_reason"} <= set(rows[0])
    folders = sorted((tmp_path / "runs").iterdir())
    assert [run(["replay", str(folder)]) for folder in folders] == [0, 0]


def test_one_failing_question_does_not_stop_the_batch(
    store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from docnav_agent.agent import DocnavSystem

    real = DocnavSystem.retrieve

    def retrieve(self: DocnavSystem, question: Any, budget: Any) -> Any:
        if question.id == "bad":
            raise RuntimeError("disk on fire")
        return real(self, question, budget)

    monkeypatch.setattr(DocnavSystem, "retrieve", retrieve)
    asked = questions(tmp_path / "q.jsonl", {"id": "bad", "question": "x"}, {"id": "good", "question": "notice period"})
    out = tmp_path / "e.jsonl"
    assert run(["retrieve", asked, "--out", str(out), "--store", store]) == 1
    bad, good = (json.loads(line) for line in out.read_text().splitlines())
    assert bad["stop_reason"] == "failed"
    assert "disk on fire" in bad["error"]
    assert good["evidence"]
    assert "1 of 2 questions" in capsys.readouterr().err


def test_a_wrong_document_name_stops_before_the_first_question(store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = questions(tmp_path / "q.jsonl", {"id": "a", "question": "x"}, {"id": "b", "question": "x", "docs": ["leese.md"]})
    assert run(["retrieve", asked, "--out", str(tmp_path / "e.jsonl"), "--store", store]) == 2
    assert "lease" in error_line(capsys)
    assert not (tmp_path / "e.jsonl").exists()


def test_the_store_is_read_from_the_environment(store: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("DOCNAV_STORE", store)
    assert run(["locate", "pump", "--json"]) == 0
    assert out_json(capsys)["nodes"]


def test_help_names_every_command_and_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom docnav_agent.cli import run\nrun(['--help'])\n"
        "print([name for name in ('torch', 'polars', 'pyarrow', 'numpy', 'dagster', 'pydantic', 'rich') if name in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert all(f"  {name} " in shown for name in ("ask", "expand", "fetch", "locate", "navigate", "replay", "retrieve"))
    assert shown.splitlines()[-1] == "[]"


def test_an_unexpected_fault_is_one_line_unless_the_traceback_is_asked_for(
    store: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise KeyError("lost")

    monkeypatch.setattr("docnav_agent.search.Search.locate", broken)
    assert run(["locate", "pump", "--store", store]) == 1
    assert "KeyError" in error_line(capsys)
    monkeypatch.setenv("DOCNAV_DEBUG", "1")
    with pytest.raises(KeyError):
        run(["locate", "pump", "--store", store])


def test_a_damaged_store_is_named_in_one_line(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    for part in (Path(store) / "parts" / "tree").iterdir():
        part.write_bytes(b"garbage")
    assert run(["status", "--store", store]) == 2
    assert "lost or damaged" in error_line(capsys)
