"""The retrieval note: what a run knows, misses and does next, and the state (F, C, E, M) that it is kept for.

The note is validated and capped in size, because it is rewritten after every step and goes into prompts and artifacts. It
is made for navigation: the answer step does not read it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from docnav_agent.evidence import EvidenceItem

if TYPE_CHECKING:
    from docnav_agent.budget import Spent
    from docnav_agent.environment import NodeCard, Observation
    from docnav_agent.systems import Question

MAX_LINE = 300
MAX_QUERY = 4000
MAX_FOUND = 64
MAX_MISSING = 32


class RetrievalNote(BaseModel):
    """found_so_far: one line per useful evidence, each with its evidence id. missing_so_far: terms or facts not found yet."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    query: str = Field(min_length=1, max_length=MAX_QUERY)
    rough_goal: str = Field("", max_length=MAX_LINE)
    found_so_far: tuple[str, ...] = Field((), max_length=MAX_FOUND)
    missing_so_far: tuple[str, ...] = Field((), max_length=MAX_MISSING)
    next_step: str = Field("", max_length=MAX_LINE)
    can_answer: bool = False

    def updated(
        self,
        *,
        rough_goal: str | None = None,
        found: Iterable[str] | None = None,
        missing: Iterable[str] | None = None,
        next_step: str | None = None,
        can_answer: bool | None = None,
    ) -> RetrievalNote:
        """A new note; text past the caps is cut with an ellipsis, the last lines of `found` and the first of `missing` stay."""
        found_lines = tuple(found) if found is not None else self.found_so_far
        missing_lines = tuple(missing) if missing is not None else self.missing_so_far
        return RetrievalNote(
            query=self.query,
            rough_goal=clipped(self.rough_goal if rough_goal is None else rough_goal),
            found_so_far=tuple(clipped(line) for line in found_lines[-MAX_FOUND:]),
            missing_so_far=tuple(clipped(line) for line in missing_lines[:MAX_MISSING]),
            next_step=clipped(self.next_step if next_step is None else next_step),
            can_answer=self.can_answer if can_answer is None else can_answer,
        )


def first_note(question: str) -> RetrievalNote:
    """The note that a run begins with."""
    return RetrievalNote(query=clipped(question, MAX_QUERY), rough_goal=clipped(question), next_step="locate", can_answer=False)


def clipped(text: str, limit: int = MAX_LINE) -> str:
    """Text on one line of at most `limit` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


@dataclass
class RunState:
    """State s_t = (F, C, E, M) of one run, with its note and what it has spent.

    question: with the text to search for; asked: as it was asked, where that is not the same.
    focus: node ids that the run looks into now. candidates: cards of everything shown, by node id.
    evidence: what FETCH brought, in order. missing: what is not found yet. idle_moves: moves since one brought something new.
    kept, rejected: ids of nodes and evidence that screening found to help, or not; most ids are in neither.
    back_offs: where something simpler went on in place of the language model, and why.
    """

    question: Question
    spent: Spent
    note: RetrievalNote
    focus: tuple[str, ...] = ()
    candidates: dict[str, NodeCard] = field(default_factory=dict)
    evidence: list[EvidenceItem] = field(default_factory=list)
    missing: tuple[str, ...] = ()
    last: Observation | None = None
    idle_moves: int = 0
    kept: set[str] = field(default_factory=set)
    rejected: set[str] = field(default_factory=set)
    back_offs: list[str] = field(default_factory=list)
    asked: Question | None = None

    def screen(self, kept: Iterable[str], shown: Iterable[str]) -> None:
        """Take a judgement of what was shown: what is not kept is rejected. Keeping nothing says nothing of the rest."""
        good = set(kept)
        if good:
            self.kept |= good
            self.rejected -= good
            self.rejected |= set(shown) - self.kept

    def fetched(self) -> set[str]:
        """Node ids whose text is evidence already."""
        return {item.node_id for item in self.evidence}
