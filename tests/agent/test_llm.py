"""The llm controller: what it sees, what its replies do, what happens when they are wrong. The endpoint is a server on loopback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets_store.tokens import count_tokens
from docnav_agent import controllers
from docnav_agent.agent import DocnavSystem, Run
from docnav_agent.budget import Budget
from docnav_agent.controllers.reply import StepReply, step_form
from docnav_agent.prompts import read_prompt
from docnav_agent.systems import Option, Question, SystemOptions, Turn
from tests.agent.llm_runs import ENOUGH, Reply, data_of, fetch_all, names_in, open_search, purpose_of, script, step
from tests.endpoint import Endpoint, scripted_endpoint
from tests.factories import MadeDocument

NOTICE = "How long is the notice period?"


def run(
    tmp_path: Path, steps: list[Reply], check: list[Reply] | None = None, question: str = NOTICE, budget: Budget | None = None, **more: Any
) -> tuple[Run, Endpoint]:
    without = more.pop("without", frozenset())
    with scripted_endpoint(script({"step": steps, "check": check or [ENOUGH]})) as endpoint:
        search = open_search(tmp_path, endpoint.base_url, **more)
        system = DocnavSystem(search, SystemOptions(controller="llm", without=without))
        return system.run(Question("q", question), budget or Budget()), endpoint


def kinds(found: Run) -> list[str]:
    return [step.action["kind"] for step in found.steps]


def test_the_model_fetches_what_it_was_shown_and_ends_the_run(tmp_path: Path) -> None:
    answer = step("answer", found="The notice period is 30 days", missing=[], keep=["E01"])
    found, endpoint = run(tmp_path, [lambda data: step("fetch", names_in(data, "30 days")), answer])
    assert kinds(found) == ["locate", "fetch"]
    assert [item.text for item in found.evidence] == ["The notice period is 30 days."]
    assert found.stop_reason == "answered"
    assert found.note.can_answer
    assert found.note.found_so_far == ("E01: The notice period is 30 days",)
    assert [purpose_of(request) for request in endpoint.requests] == ["step", "step", "check"]
    assert (found.spent.llm_calls, found.spent.prompt_tokens) == (3, 300)
    assert [call.purpose for step in found.steps for call in step.calls] == ["step"]
    assert [call.purpose for call in found.calls] == ["step", "check"]


def test_prompts_begin_alike_and_stay_within_their_tokens(tmp_path: Path) -> None:
    long = MadeDocument("long.md", "\n\n".join(f"# Notice {n}\n\n" + f"The notice period is {n} days. " * 80 for n in range(30)))
    _, endpoint = run(tmp_path, [fetch_all, fetch_all, step("answer")], documents=[long], prompt_tokens=1500, question=NOTICE * 300)
    steps = [request for request in endpoint.requests if purpose_of(request) == "step"]
    assert {request["messages"][0]["content"] for request in steps} == {read_prompt("navigate")}
    assert all(count_tokens(read_prompt("navigate") + "\n" + data_of(request)) <= 1500 for request in steps)
    assert all("<question>" in data_of(request) and names_in(data_of(request)) for request in steps)
    assert "<text>" in data_of(steps[1])


def test_a_schema_names_what_was_shown_and_nothing_else(tmp_path: Path) -> None:
    _, endpoint = run(tmp_path, [fetch_all, step("answer")])
    first, second = (request["response_format"]["json_schema"]["schema"]["properties"] for request in endpoint.requests[:2])
    assert first["targets"]["items"]["enum"] == names_in(data_of(endpoint.requests[0]))
    assert first["action"]["enum"] == ["fetch", "locate", "navigate", "expand"]
    assert "E01" in second["keep"]["items"]["enum"]
    assert "answer" in second["action"]["enum"]


def test_a_target_that_was_never_shown_is_an_observation_with_the_nearest(tmp_path: Path) -> None:
    found, endpoint = run(tmp_path, [step("fetch", ["n44"]), fetch_all, step("answer")])
    assert kinds(found)[:3] == ["locate", "none", "fetch"]
    assert found.steps[1].observation.status == "unknown_target"
    assert "'n44' was not shown (nearest shown: n4" in data_of(endpoint.requests[1])
    assert found.back_offs == ()


def test_a_target_by_full_id_is_good_only_after_it_was_shown(tmp_path: Path) -> None:
    found, _ = run(tmp_path, [step("fetch", ["lease-0000/p-1234"]), fetch_all, step("answer")])
    assert found.steps[1].observation.status == "unknown_target"
    shown = found.steps[0].observation.cards[0].node_id
    found, _ = run(tmp_path / "again", [step("fetch", [shown]), step("answer")])
    assert found.steps[1].action["node_ids"] == [shown]


def test_replies_that_are_no_action_hand_over_to_rules(tmp_path: Path) -> None:
    found, endpoint = run(tmp_path, ["I think we should look around."])
    assert [step.controller for step in found.steps][:3] == ["llm", "llm", "rules"]
    assert found.steps[1].observation.status == "bad_reply"
    assert "rules went on" in found.back_offs[0]
    assert found.stop_reason == "answered"
    assert found.evidence[0].text == "The notice period is 30 days."
    assert len(endpoint.requests) == 4  # each of two replies was sent back once


def test_rules_goes_on_although_everything_was_shown_before(tmp_path: Path) -> None:
    found, _ = run(tmp_path, [step("locate", query="the pump"), "no"], max_bad_replies=1)
    assert found.evidence
    found, _ = run(tmp_path / "more", ["no"], max_bad_replies=4)
    assert [entry.observation.status for entry in found.steps[1:4]] == ["bad_reply"] * 3
    assert found.evidence


def test_without_back_off_a_failing_model_ends_the_run(tmp_path: Path) -> None:
    found, _ = run(tmp_path, ["no"], back_off=False)
    assert found.stop_reason == "model_failed"
    assert found.back_offs == ()


def test_one_bad_reply_between_good_ones_changes_nothing(tmp_path: Path) -> None:
    replies: list[Reply] = ["hm", "hm", lambda data: step("fetch", names_in(data, "30 days")), step("answer", missing=[])]
    found, _ = run(tmp_path, replies)
    assert kinds(found) == ["locate", "none", "fetch"]
    assert found.stop_reason == "answered"


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (step("answer"), "fetch"),  # there is nothing to answer from yet
        (step("fetch"), "fetch"),
        (step("read", keep=["n2"]), "fetch"),
        (step("locate"), "locate"),
        (step("navigate"), "navigate"),
        (step("expand"), "expand"),
        ({"action": "FETCH"}, "fetch"),
        ({"action": "fetch", "targets": "n1, n2", "missing": None, "keep": "n1"}, "fetch"),
    ],
)
def test_what_a_reply_leaves_open_gets_a_default_that_leads_somewhere(tmp_path: Path, reply: dict[str, Any], kind: str) -> None:
    found, _ = run(tmp_path, [reply, step("answer")])
    assert kinds(found)[1] == kind
    assert kind != "fetch" or found.evidence


def test_screening_decides_what_is_shown_and_what_comes_first(tmp_path: Path) -> None:
    replies: list[Reply] = [
        fetch_all,
        lambda data: step("locate", query="pump water", keep=["E02"]),
        step("answer"),
    ]
    found, _ = run(tmp_path, replies)
    assert found.evidence[0].evidence_id == "E02"
    assert found.evidence[0].usefulness > found.evidence[1].usefulness


def test_nodes_that_were_screened_out_leave_the_menu(tmp_path: Path) -> None:
    seen: list[str] = []

    def keep_one(data: str) -> dict[str, Any]:
        seen.append(data)
        return step("navigate", names_in(data, "30 days"), keep=names_in(data, "30 days"), how="up")

    _, endpoint = run(tmp_path, [keep_one, step("answer"), step("answer")])
    after = data_of(endpoint.requests[1])
    assert names_in(seen[0], "pump.md")
    assert not names_in(after, "pump.md")
    assert names_in(after, "30 days")


def test_nothing_is_found_before_a_text_was_fetched_and_names_are_no_facts(tmp_path: Path) -> None:
    early = step("locate", query="pump", found="The pump is red", missing=["n4", "E01, n2", "None", "the rent", "the rent"])
    late = step("fetch", found="n1", missing=["n4"])
    found, _ = run(tmp_path, [early, late, step("answer", missing=["the rent"])])
    assert found.steps[1].note.found_so_far == ()
    assert found.steps[1].note.missing_so_far == ("the rent",)
    assert found.note.found_so_far == ()
    assert found.stop_reason == "no_useful_move"


def test_a_check_sends_a_run_back_with_what_is_missing_and_only_so_often(tmp_path: Path) -> None:
    lacking = {"because": "no rent", "enough": "no", "missing": ["the rent"]}
    done = step("answer", missing=[])
    replies: list[Reply] = [
        lambda data: step("fetch", names_in(data, "30 days")),
        done,
        lambda data: step("fetch", names_in(data, "900 euro")),
        done,
    ]
    found, endpoint = run(tmp_path, replies, [lacking], question="How long is the notice period and how high is the rent?")
    assert kinds(found) == ["locate", "fetch", "fetch"]
    assert [purpose_of(request) for request in endpoint.requests] == ["step", "step", "check", "step", "step"]
    assert "the rent" in data_of(endpoint.requests[3])
    assert found.stop_reason == "answered"


def test_a_check_that_is_not_met_stays_missing(tmp_path: Path) -> None:
    lacking = {"because": "", "enough": "no", "missing": ["the rent"]}
    found, _ = run(tmp_path, [fetch_all, step("answer", missing=[])], [lacking])
    assert found.stop_reason == "no_useful_move"
    assert found.note.missing_so_far == ("the rent",)


def test_checks_can_be_switched_off(tmp_path: Path) -> None:
    found, endpoint = run(tmp_path, [fetch_all, step("answer", missing=[])], sufficiency_checks=0)
    assert found.stop_reason == "answered"
    assert [purpose_of(request) for request in endpoint.requests] == ["step", "step"]


def test_a_check_sees_question_and_evidence_and_nothing_else(tmp_path: Path) -> None:
    _, endpoint = run(tmp_path, [lambda data: step("fetch", names_in(data, "30 days")), step("answer", missing=[])])
    asked = data_of(endpoint.requests[-1])
    assert "[E01] The notice period is 30 days." in asked
    assert "lease.md" not in asked
    assert "pump" not in asked


def test_moves_that_bring_nothing_lead_to_the_best_that_was_shown_and_then_to_the_end(tmp_path: Path) -> None:
    found, endpoint = run(tmp_path, [step("locate", query="notice")])
    assert kinds(found) == ["locate", "locate", "locate", "fetch", "locate", "locate"]
    assert found.evidence[0].text == "The notice period is 30 days."
    assert found.stop_reason == "no_useful_move"
    assert len(endpoint.requests) == 4


def test_a_run_that_fills_goes_on_with_rules_and_says_who_decided(tmp_path: Path) -> None:
    replies: list[Reply] = [lambda data: step("fetch", names_in(data, "30 days")), step("answer", missing=[], keep=["E01"])]
    found, _ = run(tmp_path, replies, budget=Budget(fill=True))
    assert len(found.evidence) == 4
    assert found.evidence[0].text == "The notice period is 30 days."
    assert {step.controller for step in found.steps} == {"llm", "rules"}
    assert found.back_offs == ()


@pytest.mark.parametrize(
    ("budget", "reason"),
    [(Budget(max_llm_tokens=150), "llm_limit"), (Budget(max_cost=0.00015), "cost_limit"), (Budget(max_steps=2), "step_limit")],
)
def test_limits_of_tokens_money_and_steps_end_a_run(tmp_path: Path, budget: Budget, reason: str) -> None:
    found, _ = run(tmp_path, [fetch_all, step("locate", query="rent")], budget=budget, llm={"prompt_price": 1.0, "completion_price": 2.0})
    assert found.stop_reason == reason
    assert found.spent.cost == pytest.approx(found.spent.llm_calls * 120 / 1e6)


def test_replies_are_kept_by_content(tmp_path: Path) -> None:
    folder = str(tmp_path / "kept")
    first, _ = run(tmp_path / "one", [fetch_all, step("answer", missing=[])], cache_dir=folder)
    again, endpoint = run(tmp_path / "two", ["never asked"], ["never asked"], cache_dir=folder)
    assert endpoint.requests == []
    assert again.evidence == first.evidence
    assert (again.spent.llm_calls, again.spent.llm_tokens) == (0, 0)


@pytest.mark.parametrize(("switch", "action"), [("SN", "navigate"), ("LN", "expand"), ("EF", "fetch")])
def test_a_part_that_is_switched_off_is_not_offered(tmp_path: Path, switch: str, action: str) -> None:
    found, endpoint = run(tmp_path, [step(action), step("answer")], without=frozenset({switch}))
    schema = endpoint.requests[0]["response_format"]["json_schema"]["schema"]["properties"]
    assert action not in schema["action"]["enum"]
    assert action not in kinds(found)


def test_the_options_of_a_question_are_searched_for_and_shown_and_repeats_among_them_end_nothing(tmp_path: Path) -> None:
    texts = ("The rent is 900 euro", "Rinse the pump with water", "Rinse the pump with water", "Rinse the pump", "The rent")
    options = tuple(Option(label, text) for label, text in zip("ABCDE", texts, strict=True))
    steps: list[Reply] = [fetch_all, step("answer", missing=[])]
    with scripted_endpoint(script({"step": steps, "check": [ENOUGH]})) as endpoint:
        search = open_search(tmp_path, endpoint.base_url)
        question = Question("q", "Which of these is true?", form="choice", options=options, history=(Turn("user", "About the flat."),))
        found = DocnavSystem(search, SystemOptions(controller="llm")).run(question, Budget())
    assert kinds(found)[:7] == ["locate"] * 6 + ["fetch"]
    assert found.steps[1].why == "search for option A"
    data = data_of(endpoint.requests[0])
    assert "<options>\nA: The rent is 900 euro\n" in data
    assert "<history>\nuser: About the flat.\n</history>" in data
    assert {item.text for item in found.evidence} >= {"The rent is 900 euro a month.", "Rinse the pump with water every week."}
    assert found.question == question


def test_without_the_note_a_prompt_holds_none(tmp_path: Path) -> None:
    _, endpoint = run(tmp_path, [fetch_all, step("answer")], without=frozenset({"NOTE"}))
    assert all("<note>" not in data_of(request) for request in endpoint.requests)


def test_auto_is_llm_where_there_is_a_model(tmp_path: Path) -> None:
    assert controllers.controller_name("auto", has_model=True) == "llm"
    search = open_search(tmp_path, "")
    system = DocnavSystem(search, SystemOptions(controller="llm"))
    assert system.controller == "rules"
    assert "no language model is set" in system.notice


@given(st.dictionaries(st.sampled_from(list(StepReply.model_fields)), st.one_of(st.none(), st.text(), st.integers(), st.lists(st.text()))))
def test_any_reply_with_an_action_is_read_and_kept_small(data: dict[str, Any]) -> None:
    reply = step_form(["fetch"], ["n1"], []).model_validate({**data, "action": "fetch"})
    assert len(json.dumps(reply.model_dump())) < 20_000
