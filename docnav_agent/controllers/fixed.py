"""The controller `fixed`: sections, paragraphs inside them, their text. A control without decisions and without a note to decide by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from docnav_agent.actions import MAX_FETCHED_NODES, MAX_QUERY_CHARACTERS, Fetch, Locate
from docnav_agent.controllers import rules
from docnav_agent.controllers.base import Decision
from docnav_agent.environment import NodeCard, Observation
from docnav_agent.evidence import EvidenceItem
from docnav_agent.note import RetrievalNote, RunState

if TYPE_CHECKING:
    from docnav_agent.search import Search

ANSWERED = "answered"
NO_USEFUL_MOVE = "no_useful_move"

SECTIONS = 8
PARAGRAPHS = 60
FETCHED = 8


class FixedController:
    """Controls one run by the same moves for every question; evidence is ordered as `rules` does."""

    name = "fixed"

    def __init__(self, search: Search) -> None:
        self._rules = rules.make_controller(search)
        self._plan: Iterator[Decision] | None = None

    def decide(self, state: RunState) -> Decision:
        """The next move of the sequence."""
        if self._plan is None:
            self._plan = self._sequence(state)
        return next(self._plan)

    def reflect(self, state: RunState, observation: Observation) -> RetrievalNote:
        """The note as it was, with the last observation."""
        return state.note.updated(next_step=observation.message)

    def order(self, state: RunState) -> Sequence[EvidenceItem]:
        """Evidence, best first."""
        return self._rules.order(state)

    def _sequence(self, state: RunState) -> Iterator[Decision]:
        question = state.question.text[:MAX_QUERY_CHARACTERS]
        yield Decision("sections for the question", Locate(query=question, level="section", k=SECTIONS))
        scope = tuple(card.node_id for card in _cards(state))
        yield Decision("paragraphs inside these sections", Locate(query=question, scope=scope, k=PARAGRAPHS))
        found = [card.node_id for card in _cards(state) if card.level == "paragraph"]
        if not found:
            yield Decision("paragraphs of everything", Locate(query=question, k=PARAGRAPHS))
            found = [card.node_id for card in _cards(state) if card.level == "paragraph"]
        size = MAX_FETCHED_NODES if state.spent.budget.fill else FETCHED
        if found:
            yield Decision("the best of them", Fetch(node_ids=tuple(found[:size])))
        yield Decision("the sequence is at its end", stop=ANSWERED if state.evidence else NO_USEFUL_MOVE)


def _cards(state: RunState) -> tuple[NodeCard, ...]:
    return state.last.cards if state.last is not None else ()


def make_controller(search: Search) -> FixedController:
    """A controller for one run."""
    return FixedController(search)
