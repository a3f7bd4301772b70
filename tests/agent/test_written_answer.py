"""Answers that a language model writes: forms, citations, what is withheld, what stands in when the model fails."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from docnav_agent.answer import MARK, Answer
from docnav_agent.answering import answer_question, ask_stream, labelled
from docnav_agent.budget import Budget
from docnav_agent.run_folder import read_run
from docnav_agent.systems import Form, Option, Question, SystemOptions
from docnav_agent.written_answer import _chosen
from tests.agent.llm_runs import ENOUGH, Reply, Said, data_of, evidence_in, fetch_all, open_search, purpose_of, script, statement, step
from tests.endpoint import Endpoint, scripted_endpoint
from tests.factories import HashingEncoder

NOTICE = "How long is the notice period?"
GOOD = "The notice period is 30 days."


def told(*statements: tuple[str, str], **more: Any) -> Reply:
    """An answer whose statements each cite the passage with some words."""

    def reply(data: str) -> Said:
        return {"statements": [statement(text, *evidence_in(data, words)) for text, words in statements], "missing": [], **more}

    return reply


def answer(
    tmp_path: Path, reply: Reply, form: Form = "open", choices: tuple[str, ...] = (), system: str = "docnav", **agent: Any
) -> tuple[Answer, Endpoint]:
    replies: dict[str, list[Reply]] = {"step": [fetch_all, step("answer", missing=[])], "check": [ENOUGH], "answer": [reply]}
    with scripted_endpoint(script(replies)) as endpoint:
        search = open_search(tmp_path, endpoint.base_url, **agent)
        options = SystemOptions(controller="llm", runs_dir=tmp_path / "runs", answer="llm")
        question = Question("q", NOTICE, form=form, options=labelled(choices))
        given = answer_question(question, search, system, options, Budget())
    return given, endpoint


@pytest.mark.parametrize("system", ["docnav", "bm25", "hybrid"])
def test_a_written_answer_is_cited_checked_and_kept(tmp_path: Path, system: str) -> None:
    given, endpoint = answer(tmp_path, told((GOOD, "30 days")), system=system)
    (citation,) = given.citations
    assert given.answer == f"{GOOD} [{citation.evidence_id}]"
    assert citation.quote == GOOD
    assert citation.doc == "lease.md"
    assert (given.answered, given.answer_by, given.problems, given.unsupported, given.back_offs) == (True, "llm", (), (), ())
    assert given.llm_calls == len(endpoint.requests)
    assert given.tokens == given.prompt_tokens + given.completion_tokens == 110 * len(endpoint.requests)
    run = read_run(given.run_dir or "")
    assert run.problems == ()
    assert run.answer["calls"][-1]["purpose"] == "answer"
    assert run.run["model"] == "made-up"
    assert set(run.run["prompts"]) >= {"navigate", "answer_open"}


def test_the_answer_call_sees_question_and_evidence_and_nothing_else(tmp_path: Path) -> None:
    _, endpoint = answer(tmp_path, told((GOOD, "30 days")))
    (asked,) = [data_of(request) for request in endpoint.requests if purpose_of(request) == "answer"]
    lines = asked.splitlines()
    assert lines[:4] == ["<question>", NOTICE, "</question>", "<evidence>"]
    assert all(line.startswith("[E0") for line in lines[4:-2])
    assert "lease.md" not in asked
    assert "as scripted" not in asked


def test_a_sentence_without_support_is_withheld_and_listed(tmp_path: Path) -> None:
    given, _ = answer(tmp_path, told((GOOD, "30 days"), ("It is renewed every 7 years by Zoltan.", "30 days")))
    assert given.answer.startswith(GOOD)
    assert "Zoltan" not in given.answer
    assert [sentence.text for sentence in given.unsupported] == ["It is renewed every 7 years by Zoltan."]
    assert given.answered


def test_or_it_stays_with_a_mark(tmp_path: Path) -> None:
    given, _ = answer(tmp_path, told((GOOD, "30 days"), ("It is renewed every 7 years.", "30 days")), unsupported="mark")
    assert "It is renewed every 7 years. [unsupported]" in given.answer


def test_when_no_sentence_is_carried_quoted_ones_stand_in_and_it_says_so(tmp_path: Path) -> None:
    given, _ = answer(tmp_path, told(("Dragons live for 900 winters.", "30 days")))
    assert given.answer_by == "extractive"
    assert given.answer.startswith(GOOD)
    assert "no written sentence was carried" in given.back_offs[0]
    assert given.unsupported[0].text == "Dragons live for 900 winters."


def test_a_mark_of_evidence_that_is_not_there_is_mended_or_reported(tmp_path: Path) -> None:
    given, _ = answer(tmp_path, {"statements": [statement(GOOD, "E77"), statement("Ghosts cook soup.", "E78")], "missing": []})
    assert set(MARK.findall(given.answer)) == {citation.evidence_id for citation in given.citations}
    assert given.answer.startswith(GOOD)
    assert "E78, which is no evidence" in given.unsupported[0].fault


def test_it_abstains_with_what_is_missing(tmp_path: Path) -> None:
    given, _ = answer(tmp_path, {"statements": [], "missing": ["the length of the notice"]})
    assert (given.answered, given.citations, given.missing) == (False, (), ("the length of the notice",))
    assert given.answer_by == "llm"
    assert given.stop_reason == "insufficient_evidence"
    assert "the length of the notice" in given.answer


def test_an_option_is_chosen_and_cited(tmp_path: Path) -> None:
    given, endpoint = answer(tmp_path, told((GOOD, "30 days"), choice="B"), "choice", ("14 days", "30 days", "90 days"))
    assert given.choice == "B"
    assert given.answer == f"B: 30 days [{given.citations[0].evidence_id}] {GOOD} [{given.citations[0].evidence_id}]"
    schema = endpoint.requests[-1]["response_format"]["json_schema"]["schema"]["properties"]
    assert schema["choice"]["enum"] == ["A", "B", "C"]
    assert "B: 30 days" in data_of(endpoint.requests[-1])


def test_a_choice_that_is_no_option_is_no_answer(tmp_path: Path) -> None:
    given, _ = answer(tmp_path, told((GOOD, "30 days"), choice="Z"), "choice", ("14 days", "30 days"))
    assert given.choice is None
    assert given.answer_by == "extractive"
    assert "none of the options" in given.back_offs[0]


@pytest.mark.parametrize(
    ("said", "label"),
    [("B", "B"), ("b.", "B"), ("(B) 30 days", "B"), ("Option B", "B"), ("30 days", "B"), ("**B**", "B"), ("", None), ("30", None)],
)
def test_a_choice_is_read_as_models_say_it(said: str, label: str | None) -> None:
    chosen = _chosen(said, (Option("A", "14 days"), Option("B", "30 days")))
    assert (chosen.label if chosen else None) == label


@pytest.mark.parametrize(("said", "verdict"), [("true", True), ("False.", False), ("not stated", None)])
def test_one_option_is_judged(tmp_path: Path, said: str, verdict: bool | None) -> None:
    given, _ = answer(tmp_path, told((GOOD, "30 days"), verdict=said), "true_false", ("The notice period is 30 days.",))
    assert given.verdict is verdict
    assert given.answer.startswith(said.rstrip(".").capitalize())
    assert given.citations


@pytest.mark.parametrize("reply", ["no JSON at all", {"statements": 7}, {"statements": [{"evidence": ["E01"]}]}, 500])
def test_a_failing_answer_is_replaced_by_quoted_sentences_and_recorded(tmp_path: Path, reply: Said) -> None:
    given, _ = answer(tmp_path, reply)
    assert given.answer.startswith(GOOD)
    assert given.answer_by == "extractive"
    assert "quoted sentences stand in" in given.back_offs[-1]
    assert read_run(given.run_dir or "").problems == ()


def test_a_thinking_model_and_bare_texts_are_understood(tmp_path: Path) -> None:
    given, _ = answer(tmp_path, '<think>{hm} 30 days?</think> {"statements": ["The notice period is 30 days [E1] [E2]."]}')
    assert given.answer_by == "llm"
    assert given.answer.startswith(GOOD)


def test_events_come_in_order_and_end_with_the_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assets_store.models.encoder.load_encoder", lambda settings: HashingEncoder())
    replies: dict[str, list[Reply]] = {
        "step": [fetch_all, step("answer", missing=[])], "check": [ENOUGH], "answer": [told((GOOD, "30 days"))]
    }  # fmt: skip
    with scripted_endpoint(script(replies)) as endpoint:
        search = open_search(tmp_path, endpoint.base_url)
        events = []
        for event in ask_stream(NOTICE, search.graph, controller="llm", runs_dir=tmp_path / "runs", budget=Budget()):
            events.append(event)
            if event.kind == "step":
                assert event.step is not None
                # A step is on disk when it is told.
                assert list((tmp_path / "runs").glob(f"*/step_artifacts/{event.step.number:03d}.json"))
    assert [event.kind for event in events] == ["step", "step", "sentence", "answer"]
    assert events[2].text.startswith(GOOD)
    assert events[-1].answer is not None
    assert events[-1].answer.answer.startswith(events[2].text)
