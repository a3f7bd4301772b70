"""Switched-off parts: what a run without each of them does, for the controller rules and for the fixed sequence."""

from __future__ import annotations

from pathlib import Path

import pytest

from assets_store.errors import SettingsError
from docnav_agent.ablations import ABLATIONS, parse_ablations
from docnav_agent.agent import DocnavSystem, Run
from docnav_agent.answering import answer_question
from docnav_agent.budget import Budget
from docnav_agent.environment import SNIPPET_TOKENS
from docnav_agent.run_folder import read_run
from docnav_agent.search import Search
from docnav_agent.systems import Question, SystemOptions
from tests.factories import MadeDocument, make_search

TEXT = "The notice period is 30 days. " + "It runs from the first of a month, whatever the parties write. " * 12
LEASE = MadeDocument("lease.md", f"# Notice\n\n{TEXT}\n\n# Rent\n\nThe rent is 900 euro a month.\n\nRent is due in May.", title="Lease")


@pytest.fixture(scope="module")
def search(tmp_path_factory: pytest.TempPathFactory) -> Search:
    return make_search(tmp_path_factory.mktemp("ablations") / "store", [LEASE, MadeDocument("pump.md", "# Cleaning\n\nRinse the pump.")])


def run(search: Search, *without: str, question: str = "How long is the notice period of the Lease?", fill: bool = False) -> Run:
    return DocnavSystem(search, SystemOptions(without=frozenset(without))).run(Question("q", question), Budget(fill=fill))


def test_names_are_read_in_either_case_and_wrong_ones_listed() -> None:
    assert parse_ablations("hs, LN") == {"HS", "LN"}
    assert parse_ablations("") == frozenset()
    with pytest.raises(SettingsError, match="expected some of: HS, SN, LN, SC, EF, NOTE"):
        parse_ablations("HX")


@pytest.mark.parametrize(("switch", "kind"), [("SN", "navigate"), ("LN", "expand"), ("EF", "fetch")])
def test_a_run_without_a_part_gets_nothing_from_it(search: Search, switch: str, kind: str) -> None:
    found = run(search, switch, fill=True)
    done = [step for step in found.steps if step.action["kind"] == kind]
    assert all(step.observation.status == "switched_off" and not step.observation.cards for step in done)
    assert found.evidence


def test_without_hierarchical_search_only_paragraphs_of_everything_are_found(search: Search) -> None:
    found = run(search, "HS")
    for step in found.steps:
        if step.action["kind"] == "locate" and step.observation.status == "ok":
            assert step.action["level"] == "paragraph"
            assert not step.action["scope"]
    assert found.evidence[0].text.startswith("The notice period is 30 days.")


def test_without_state_control_the_moves_are_the_same_for_every_question(search: Search) -> None:
    one, two = (run(search, "SC", question=question) for question in ("How long is the notice?", "How is the pump rinsed?"))
    assert [step.action["kind"] for step in one.steps] == [step.action["kind"] for step in two.steps] == ["locate", "locate", "fetch"]
    assert one.steps[0].controller == "fixed"
    assert one.evidence[0].doc == "lease.md"


def test_without_fetching_snippets_are_the_evidence_and_still_source_text(search: Search, tmp_path: Path) -> None:
    options = SystemOptions(without=frozenset({"EF"}), runs_dir=tmp_path, controller="rules")
    given = answer_question(Question("q", "How long is the notice period?"), search, "docnav", options, Budget())
    assert given.answer.startswith("The notice period is 30 days.")
    assert given.problems == ()
    for item in given.evidence:
        assert item.level == "snippet"
        assert item.n_tokens <= SNIPPET_TOKENS
        assert item.text in search.graph.paragraph(item.node_id).text
    run_ = read_run(given.run_dir or "")
    assert run_.run["without"] == ["EF"]
    assert run_.problems == ()


def test_every_switch_leaves_a_run_that_ends(search: Search) -> None:
    for switch in ABLATIONS:
        assert run(search, switch).stop_reason
    assert run(search, *ABLATIONS).stop_reason
