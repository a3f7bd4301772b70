"""What a controller is: it looks at the state of a run and decides the next action, or ends the run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from docnav_agent.actions import Expand, Fetch, Locate, Navigate
from docnav_agent.environment import Observation
from docnav_agent.evidence import EvidenceItem
from docnav_agent.note import RetrievalNote, RunState


@dataclass(frozen=True, slots=True)
class Decision:
    """One action with its reason, a reply that was none, or the end of the run: exactly one of `action`, `bad` and `stop` is set.

    bad: what was observed instead of an action, such as a target that was never shown. stop: name of the reason to end, one of
    `docnav_agent.agent.STOP_REASONS`. focus: node ids that the run looks into from now on. note: what the decision knew.
    by: name of the controller that decided, where it is not the one that was asked. planned: done whatever it brings, so that bringing
    nothing new is no reason to end the run.
    """

    why: str
    action: Locate | Navigate | Expand | Fetch | None = None
    stop: str | None = None
    focus: tuple[str, ...] = ()
    bad: Observation | None = None
    note: RetrievalNote | None = None
    by: str = ""
    planned: bool = False

    def __post_init__(self) -> None:
        if sum(part is not None for part in (self.action, self.stop, self.bad)) != 1:
            raise ValueError("a decision is an action, a bad reply or a stop, not both and not neither")


class Controller(Protocol):
    """Controls one run; made anew for each question."""

    name: str

    def decide(self, state: RunState) -> Decision:
        """The next action. Of the state it changes only what was spent and what screening kept."""

    def reflect(self, state: RunState, observation: Observation) -> RetrievalNote:
        """The note after an action; the state holds its evidence and candidates already."""

    def order(self, state: RunState) -> Sequence[EvidenceItem]:
        """All evidence of the run, best first, each rated with its usefulness."""
