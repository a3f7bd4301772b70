"""The rules controller: the walk it takes, second hops, budgets, and that two runs are the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets_store.errors import SettingsError, UnknownDocument
from docnav_agent import controllers
from docnav_agent.actions import Locate
from docnav_agent.agent import MAX_IDLE_MOVES, STOP_REASONS, Agent, DocnavSystem, Run
from docnav_agent.budget import Budget
from docnav_agent.controllers.base import Decision
from docnav_agent.environment import Environment, Observation
from docnav_agent.evidence import EvidenceItem
from docnav_agent.note import RetrievalNote, RunState
from docnav_agent.search import Search
from docnav_agent.systems import Question, SystemOptions
from docnav_pipeline.transforms.title_mentions import TitlePhrases, find_title_mentions, title_edges
from tests.factories import MadeDocument, make_search, make_tables

PEOPLE = [
    MadeDocument("lothar.md", "Lothar was a king of Lorraine. He was the son of Ermengard of Tours.", title="Lothar"),
    MadeDocument("ermengard.md", "She died on 20 March 851 in an abbey.", title="Ermengard of Tours"),
    MadeDocument("pump.md", "Rinse the pump with water every week.", title="Pump"),
    MadeDocument("mother.md", "When mothers die, kings of Lorraine mourn.", title="Mourning"),
]
MANUAL = (
    "# Cleaning\n\nRinse the pump.\n\n# Battery\n\nCharge the battery for two hours.\n\n# Display\n\nThe display turns off after a minute."
)


def run(search: Search, question: str, budget: Budget | None = None, **fields: Any) -> Run:
    return DocnavSystem(search, SystemOptions()).run(Question("q", question, **fields), budget or Budget())


def test_an_edge_of_a_text_leads_to_the_document_that_it_names(tmp_path: Path) -> None:
    question, budget = "When did the mother of Lothar die?", Budget(fill=True)
    search = make_search(tmp_path / "store", PEOPLE, _named_titles(PEOPLE))
    assert [item.doc for item in run(search, question, budget).evidence[:2]] == ["lothar.md", "ermengard.md"]
    without = DocnavSystem(search, SystemOptions(without=frozenset({"LN"}))).run(Question("q", question), budget)
    assert [item.doc for item in without.evidence[:2]] == ["lothar.md", "mother.md"]


def _named_titles(documents: Sequence[MadeDocument]) -> list[dict[str, Any]]:
    """Edges that the pipeline would find between documents."""
    tables = make_tables(documents)
    mentions = find_title_mentions(tables["paragraphs"], TitlePhrases(tables["documents"].select("doc_id", "title").iter_rows()))
    others = mentions.filter(pl.col("source_id").str.split("/").list.first() != pl.col("target_id"))
    return title_edges(others, len(documents), 1.0, "document").to_dicts()


def test_the_walk_goes_from_coarse_to_fine(tmp_path: Path) -> None:
    search = make_search(tmp_path / "store", {"manual.md": MANUAL})
    found = run(search, "How long must the battery charge?")
    kinds = [step.action["kind"] for step in found.steps]
    assert kinds[0] == "locate"
    assert kinds.index("locate") < kinds.index("fetch")
    assert found.evidence[0].text == "Charge the battery for two hours."
    assert found.stop_reason == "answered"
    assert found.note.can_answer


def test_a_run_that_fills_fetches_after_it_could_answer(tmp_path: Path) -> None:
    search = make_search(tmp_path / "store", {f"manual{n}.md": MANUAL for n in range(8)})
    short = run(search, "How long must the battery charge?")
    full = run(search, "How long must the battery charge?", Budget(fill=True))
    assert len(full.evidence) > len(short.evidence)
    assert len(full.evidence) == 24


@pytest.mark.parametrize("fill", [True, False])
@pytest.mark.parametrize("tokens", [1, 8, 20, 60])
def test_evidence_keeps_to_the_budget_but_for_a_first_long_item(tmp_path: Path, tokens: int, fill: bool) -> None:
    search = make_search(tmp_path / "store", {"manual.md": MANUAL})
    found = run(search, "battery display pump", Budget(evidence_tokens=tokens, fill=fill))
    assert sum(item.n_tokens for item in found.evidence) <= tokens or len(found.evidence) == 1


@pytest.mark.parametrize(("budget", "reason"), [(Budget(max_steps=1), "step_limit"), (Budget(max_seconds=1e-9), "time_limit")])
def test_limits_end_a_run_with_their_name(tmp_path: Path, budget: Budget, reason: str) -> None:
    search = make_search(tmp_path / "store", {"manual.md": MANUAL})
    assert run(search, "battery", budget).stop_reason == reason


@pytest.mark.parametrize("question", ["?", "   ...   ", "x" * 5000, "\x1b[31m", "的", "What? " * 400])
def test_odd_questions_end_with_a_named_reason(tmp_path: Path, question: str) -> None:
    search = make_search(tmp_path / "store", {"manual.md": MANUAL, "empty.md": "# Title only"})
    assert run(search, question).stop_reason in STOP_REASONS


def test_a_store_without_text_gives_nothing(tmp_path: Path) -> None:
    search = make_search(tmp_path / "store", {"empty.md": "# Title only"})
    found = run(search, "battery")
    assert found.stop_reason == "nothing_found"
    assert found.evidence == ()


def test_two_runs_are_the_same(tmp_path: Path) -> None:
    search = make_search(tmp_path / "store", PEOPLE)
    one, two = (run(search, "When did the mother of Lothar die?", Budget(fill=True)) for _ in range(2))
    assert one.evidence == two.evidence
    assert [step.action for step in one.steps] == [step.action for step in two.steps]


def test_docs_limit_the_search_and_a_wrong_name_is_an_error(tmp_path: Path) -> None:
    search = make_search(tmp_path / "store", PEOPLE)
    assert {item.doc for item in run(search, "king of Lorraine", Budget(fill=True), docs=("pump.md",)).evidence} == {"pump.md"}
    with pytest.raises(UnknownDocument, match=r"lothar\.md"):
        run(search, "king", docs=("lotar.md",))


def test_an_unknown_controller_lists_those_that_exist(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="expected one of: rules"):
        controllers.controller_name("rule")
    assert controllers.controller_name("auto") == controllers.controller_name(None) == "rules"


class StubbornController:
    """Does the same search again and again."""

    name = "stubborn"

    def decide(self, state: RunState) -> Decision:
        return Decision("again", Locate(query="battery"))

    def reflect(self, state: RunState, observation: Observation) -> RetrievalNote:
        return state.note.updated(next_step=observation.status)

    def order(self, state: RunState) -> list[EvidenceItem]:
        return state.evidence


def test_repeated_moves_end_a_run(tmp_path: Path) -> None:
    search = make_search(tmp_path / "store", {"manual.md": MANUAL})
    found = Agent(Environment(search.graph, search), StubbornController()).run(Question("q", "battery"), Budget(max_steps=50))
    assert found.stop_reason == "nothing_found"
    assert len(found.steps) == 1 + MAX_IDLE_MOVES
    assert found.steps[-1].observation.status == "repeated"


def test_a_decision_is_an_action_or_a_stop() -> None:
    with pytest.raises(ValueError, match="not both"):
        Decision("why")
    with pytest.raises(ValueError, match="not both"):
        Decision("why", Locate(query="x"), stop="answered")
