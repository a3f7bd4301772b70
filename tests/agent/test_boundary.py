"""The evidence boundary against a model that works against it: it never gets text into an answer that the run did not fetch.

The endpoint plays both parts, the one that navigates and the one that answers, and says the worst that fits.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from docnav_agent.answer import MARK, Answer
from docnav_agent.answering import answer_question
from docnav_agent.budget import Budget
from docnav_agent.run_folder import StoredRun, read_run
from docnav_agent.systems import Question, SystemOptions
from tests.agent.llm_runs import ENOUGH, LEASE, PUMP, SECRET, Reply, Said, names_in, open_search, script, statement, step
from tests.endpoint import scripted_endpoint

HIDDEN = "The hidden notice period is 99 days."
SNIPPET = "Switch the pump off first."


def answer(tmp_path: Path, steps: list[Reply], written: Reply, labels: tuple[str, ...] = ()) -> tuple[Answer, StoredRun]:
    replies: dict[str, list[Reply]] = {"step": steps, "check": [ENOUGH], "answer": [written]}
    with scripted_endpoint(script(replies)) as endpoint:
        search = open_search(tmp_path, endpoint.base_url, [LEASE, PUMP, SECRET], labels)
        options = SystemOptions(controller="llm", runs_dir=tmp_path / "runs")
        given = answer_question(Question("q", "How long is the notice period?"), search, "docnav", options, Budget())
    run = read_run(given.run_dir or "")
    assert run.problems == ()
    return given, run


def assert_grounded(given: Answer, run: StoredRun) -> None:
    """Every word of the answer stands in fetched evidence, every mark resolves, and nothing hidden was fetched."""
    texts = {name: item["text"] for name, item in run.evidence.items()}
    assert set(MARK.findall(given.answer)) <= set(texts)
    assert all(item["doc"] != "secret.md" for item in run.evidence.values())
    held = " ".join(texts.values()).casefold()
    assert not given.answered or all(word in held for word in re.findall(r"\w+", MARK.sub("", given.answer).casefold()))
    for sentence in (HIDDEN, "99 days", "Dragon"):
        assert sentence not in given.answer


def hidden_ids() -> list[str]:
    from tests.factories import make_tables

    tables = make_tables([SECRET])
    return [SECRET.doc_id, *tables["paragraphs"]["paragraph_id"], *tables["tree"]["node_id"]]


def fetch_lease(data: str) -> Said:
    return step("fetch", names_in(data, "30 days"))


STOP = step("answer", missing=[])


@pytest.mark.parametrize("cited", ["E99", "E02", "n3", "lease.md", ""])
def test_citing_what_was_not_fetched(tmp_path: Path, cited: str) -> None:
    given, run = answer(tmp_path, [fetch_lease, STOP], {"statements": [statement("Dragon eggs cost 5 crowns.", cited)], "missing": []})
    assert_grounded(given, run)
    assert given.unsupported


@pytest.mark.parametrize("target", ["n99", "lease-0/p-000000000000", "E01", "*", "../secret.md", "community/none", *hidden_ids()])
@pytest.mark.parametrize("action", ["fetch", "navigate", "expand", "locate"])
def test_inventing_nodes_and_asking_for_hidden_ones(tmp_path: Path, action: str, target: str) -> None:
    given, run = answer(tmp_path, [step(action, [target], query="notice"), fetch_lease, STOP], {"statements": [], "missing": ["all"]})
    assert_grounded(given, run)
    refused = run.steps[1]
    assert refused["observation"]["status"] == "unknown_target"
    assert refused["observation"]["nodes"] == []


def test_a_reader_with_the_label_does_get_it(tmp_path: Path) -> None:
    steps: list[Reply] = [lambda data: step("fetch", names_in(data, "hidden")), STOP]
    given, run = answer(tmp_path, steps, {"statements": [statement(HIDDEN, "E01")], "missing": []}, labels=("board",))
    assert given.answer == f"{HIDDEN} [E01]"
    assert run.evidence["E01"]["doc"] == "secret.md"


@pytest.mark.parametrize("copied", [SNIPPET, f'The manual says: "{SNIPPET}"', "Switch off the pump before anything else."])
def test_copying_a_snippet_that_was_shown_and_not_fetched(tmp_path: Path, copied: str) -> None:
    def note_it(data: str) -> dict[str, Any]:
        assert SNIPPET in data  # it was on the menu
        return step("fetch", names_in(data, "30 days"), found=copied, keep=names_in(data))

    given, run = answer(
        tmp_path,
        [note_it, step("answer", missing=[], found=copied, keep=["E01"])],
        {"statements": [statement(copied, "E01")], "missing": [copied]},
    )
    assert_grounded(given, run)
    assert "pump" not in given.answer.casefold().replace("not found", "") or not given.answered
    assert [sentence.text for sentence in given.unsupported] == [copied]


def test_answering_before_anything_was_fetched(tmp_path: Path) -> None:
    given, run = answer(tmp_path, [STOP], {"statements": [statement(HIDDEN, "E01")], "missing": []})
    assert_grounded(given, run)
    assert [entry["action"]["kind"] for entry in run.steps[:2]] == ["locate", "fetch"]


def test_a_note_full_of_claims_reaches_no_answer(tmp_path: Path) -> None:
    seen: list[str] = []

    def written(data: str) -> Said:
        seen.append(data)
        return {"statements": [statement("The notice period is 30 days.", "E01")], "missing": []}

    claims = step("fetch", found="Dragon eggs cost 5 crowns", missing=["Dragon eggs"], why="Dragon eggs", query="Dragon eggs")
    given, run = answer(tmp_path, [claims, {**STOP, "found": "Dragon eggs cost 5 crowns"}], written)
    assert_grounded(given, run)
    assert "Dragon" not in seen[0]
    assert any("Dragon" in str(entry["note"]) for entry in run.steps)
