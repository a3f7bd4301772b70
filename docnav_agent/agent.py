"""The loop: decide, act, note, until the question can be answered or a limit is reached. Computes nothing itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from docnav_agent import controllers
from docnav_agent.actions import signature
from docnav_agent.budget import COST_LIMIT, EVIDENCE_LIMIT, LLM_LIMIT, STEP_LIMIT, TIME_LIMIT, Budget, Spent
from docnav_agent.environment import Environment, Observation
from docnav_agent.evidence import EvidenceItem
from docnav_agent.note import RetrievalNote, RunState, first_note
from docnav_agent.run_folder import RunFolder
from docnav_agent.systems import Question, Retrieval, SystemOptions

if TYPE_CHECKING:
    from docnav_agent.controllers.base import Controller, Decision
    from docnav_agent.search import Search

ANSWERED = "answered"
NO_USEFUL_MOVE = "no_useful_move"
NOTHING_FOUND = "nothing_found"
# Evidence was fetched, but no sentence of it answers: said by the answer step.
INSUFFICIENT_EVIDENCE = "insufficient_evidence"
STOP_REASONS = frozenset(
    {ANSWERED, NO_USEFUL_MOVE, NOTHING_FOUND, INSUFFICIENT_EVIDENCE, STEP_LIMIT, EVIDENCE_LIMIT, TIME_LIMIT, LLM_LIMIT, COST_LIMIT}
)

# Moves in a row that bring neither a new node nor new text before a run ends, whatever the controller says.
MAX_IDLE_MOVES = 3


@dataclass(frozen=True, slots=True)
class Step:
    """What one step did, as its artifact holds it."""

    number: int
    action: dict[str, Any]
    why: str
    observation: Observation
    new_nodes: int
    note: RetrievalNote
    made: tuple[EvidenceItem, ...]

    def artifact(self) -> dict[str, Any]:
        """JSON form. Scores are kept to six digits; cards carry no source text."""
        seen = self.observation
        return {
            "action": self.action,
            "why": self.why,
            "tools": list(seen.tools),
            "observation": {"status": seen.status, "message": seen.message, "nodes": [card.row() for card in seen.cards]},
            "new_findings": {"nodes": self.new_nodes, "evidence": [item.evidence_id for item in self.made]},
            "note": self.note.model_dump(mode="json"),
            "seconds": seen.seconds,
        }


@dataclass(frozen=True, slots=True)
class Run:
    """One finished run. evidence: best first; note: the last one; can_answer: what the controller thinks."""

    question: Question
    evidence: tuple[EvidenceItem, ...]
    note: RetrievalNote
    stop_reason: str
    spent: Spent
    seconds: float
    steps: tuple[Step, ...] = field(repr=False, default=())

    def retrieval(self) -> Retrieval:
        """What every system returns."""
        spent = self.spent
        return Retrieval(self.evidence, spent.steps, spent.llm_calls, spent.llm_tokens, self.seconds, self.stop_reason)


class Agent:
    """Runs one controller in one environment."""

    def __init__(self, environment: Environment, controller: Controller, folder: RunFolder | None = None) -> None:
        self.environment = environment
        self.controller = controller
        self.folder = folder

    def run(self, question: Question, budget: Budget) -> Run:
        """Collect evidence for a question. Every run ends with a reason of STOP_REASONS."""
        spent = budget.start()
        state = RunState(question, spent, first_note(question.text))
        steps: list[Step] = []
        tried: set[str] = set()
        stop = ""
        while not stop:
            stop = spent.limit_reached() or ""
            if stop:
                break
            decision = self.controller.decide(state)
            if decision.action is None:
                stop = decision.stop or NO_USEFUL_MOVE
                break
            steps.append(self._step(state, decision, len(steps) + 1, tried))
            if state.idle_moves >= MAX_IDLE_MOVES:
                stop = NO_USEFUL_MOVE
        if not state.evidence and stop in (NO_USEFUL_MOVE, ANSWERED):
            stop = NOTHING_FOUND
        evidence = tuple(self.controller.order(state))
        return Run(question, evidence, state.note, stop, spent, spent.seconds, tuple(steps))

    def _step(self, state: RunState, decision: Decision, number: int, tried: set[str]) -> Step:
        action = decision.action
        assert action is not None
        state.spent.add_step()
        if decision.focus:
            state.focus = decision.focus
        mark = signature(action)
        if mark in tried:
            observation = Observation("repeated", f"the same {action.kind} was done before in this run")
        else:
            tried.add(mark)
            observation = self.environment.perform(
                action, step=number, why=decision.why, fetched=state.evidence, tokens_left=state.spent.evidence_left
            )
        new_nodes = [card for card in observation.cards if card.node_id not in state.candidates]
        state.candidates.update((card.node_id, card) for card in new_nodes)
        state.evidence.extend(observation.evidence)
        for item in observation.evidence:
            state.spent.add_evidence(item.n_tokens)
        state.idle_moves = 0 if new_nodes or observation.evidence else state.idle_moves + 1
        state.last = observation
        state.note = self.controller.reflect(state, observation)
        state.missing = state.note.missing_so_far
        ratings = {item.evidence_id: item for item in self.controller.order(state)} if observation.evidence else {}
        made = tuple(ratings.get(item.evidence_id, item) for item in observation.evidence)
        step = Step(number, action.model_dump(mode="json"), decision.why, observation, len(new_nodes), state.note, made)
        if self.folder is not None:
            self.folder.write_step(number, step.artifact(), made)
        return step


class DocnavSystem:
    """The agent behind the protocol of all systems."""

    name = "docnav"

    def __init__(self, search: Search, options: SystemOptions) -> None:
        self.search = search
        self.options = options
        self.controller = controllers.controller_name(options.controller)

    def run(self, question: Question, budget: Budget, folder: RunFolder | None = None) -> Run:
        """One run with everything that it did. Raises UnknownDocument for a name in `docs` that matches nothing."""
        docs = self.search.graph.resolve_documents(question.docs) if question.docs else []
        environment = Environment(self.search.graph, self.search, docs)
        return Agent(environment, controllers.controller(self.controller, self.search), folder).run(question, budget)

    def retrieve(self, question: Question, budget: Budget) -> Retrieval:
        folder = None
        if self.options.runs_dir is not None:
            folder = RunFolder(self.options.runs_dir, run_header(question, budget, self.search, self.name, self.controller))
        run = self.run(question, budget, folder)
        if folder is not None:
            folder.write_answer({"answer": None, "stop_reason": run.stop_reason, "evidence": [item.evidence_id for item in run.evidence]})
        return run.retrieval()


def make_system(search: Search, options: SystemOptions) -> DocnavSystem:
    """The system `docnav` of the registry."""
    return DocnavSystem(search, options)


def run_header(question: Question, budget: Budget, search: Search, system: str, controller: str) -> dict[str, Any]:
    """What `run.json` says of a run: question, system, limits and the snapshot that was read."""
    return {
        "question_id": question.id,
        "question": question.text,
        "docs": list(question.docs),
        "system": system,
        "controller": controller,
        "snapshot": search.graph.snapshot.id,
        "budget": {
            "max_steps": budget.max_steps,
            "evidence_tokens": budget.evidence_tokens,
            "max_seconds": budget.max_seconds,
            "fill": budget.fill,
        },
    }
