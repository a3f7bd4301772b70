"""The loop: decide, act, note, until the question can be answered or a limit is reached. Computes nothing itself."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from docnav_agent import controllers
from docnav_agent.ablations import parse_ablations
from docnav_agent.actions import signature
from docnav_agent.budget import COST_LIMIT, EVIDENCE_LIMIT, LLM_LIMIT, STEP_LIMIT, TIME_LIMIT, Budget, Spent
from docnav_agent.environment import Environment, Observation
from docnav_agent.evidence import EvidenceItem
from docnav_agent.model import RunModel, configured, open_model
from docnav_agent.note import RetrievalNote, RunState, first_note
from docnav_agent.prompts import prompt_hashes
from docnav_agent.run_folder import RunFolder
from docnav_agent.systems import NoParameters, Question, Retrieval, SystemOptions, read_parameters

if TYPE_CHECKING:
    from collections.abc import Generator

    from docnav_agent.controllers.base import Controller, Decision
    from docnav_agent.model import CallRecord
    from docnav_agent.search import Search

ANSWERED = "answered"
NO_USEFUL_MOVE = "no_useful_move"
NOTHING_FOUND = "nothing_found"
# Evidence was fetched, but no sentence of it answers: said by the answer step.
INSUFFICIENT_EVIDENCE = "insufficient_evidence"
# The language model gave no valid reply several times, and nothing else was allowed to go on.
MODEL_FAILED = "model_failed"
STOP_REASONS = frozenset(
    {
        ANSWERED,
        NO_USEFUL_MOVE,
        NOTHING_FOUND,
        INSUFFICIENT_EVIDENCE,
        MODEL_FAILED,
        STEP_LIMIT,
        EVIDENCE_LIMIT,
        TIME_LIMIT,
        LLM_LIMIT,
        COST_LIMIT,
    }
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
    controller: str = ""
    calls: tuple[CallRecord, ...] = ()

    def artifact(self) -> dict[str, Any]:
        """JSON form. Scores are kept to six digits; cards carry no source text."""
        seen = self.observation
        return {
            "controller": self.controller,
            "action": self.action,
            "why": self.why,
            "tools": list(seen.tools),
            "observation": {"status": seen.status, "message": seen.message, "nodes": [card.row() for card in seen.cards]},
            "new_findings": {"nodes": self.new_nodes, "evidence": [item.evidence_id for item in self.made]},
            "note": self.note.model_dump(mode="json"),
            "seconds": seen.seconds,
            "calls": [call.row() for call in self.calls],
        }


@dataclass(frozen=True, slots=True)
class Run:
    """One finished run. evidence: best first; note: the last one, with `can_answer` as the controller thinks.

    back_offs: where something simpler went on in place of the language model. calls: those made after the last step.
    """

    question: Question
    evidence: tuple[EvidenceItem, ...]
    note: RetrievalNote
    stop_reason: str
    spent: Spent
    seconds: float
    steps: tuple[Step, ...] = field(repr=False, default=())
    back_offs: tuple[str, ...] = ()
    calls: tuple[CallRecord, ...] = ()

    def retrieval(self) -> Retrieval:
        """What every system returns."""
        spent = self.spent
        return Retrieval(
            self.evidence,
            spent.steps,
            spent.llm_calls,
            spent.llm_tokens,
            self.seconds,
            self.stop_reason,
            spent.prompt_tokens,
            spent.completion_tokens,
            spent.cost,
        )


class Agent:
    """Runs one controller in one environment. model: the language model of the controller, whose calls go into the artifacts."""

    def __init__(
        self, environment: Environment, controller: Controller, folder: RunFolder | None = None, model: RunModel | None = None
    ) -> None:
        self.environment = environment
        self.controller = controller
        self.folder = folder
        self.model = model

    def run(self, question: Question, budget: Budget) -> Run:
        """Collect evidence for a question. Every run ends with a reason of STOP_REASONS."""
        return finished(self.walk(question, budget.start()))

    def walk(self, question: Question, spent: Spent) -> Generator[Step, None, Run]:
        """The same, step by step."""
        state = RunState(replace(question, text=question.query), spent, first_note(question.query), asked=question)
        steps: list[Step] = []
        tried: set[str] = set()
        stop = ""
        while not stop:
            stop = spent.limit_reached() or ""
            if stop:
                break
            decision = self.controller.decide(state)
            if decision.note is not None:
                state.note, state.missing = decision.note, decision.note.missing_so_far
            if decision.stop is not None:
                stop = decision.stop
                break
            steps.append(self._step(state, decision, len(steps) + 1, tried))
            yield steps[-1]
            if state.idle_moves >= MAX_IDLE_MOVES:
                stop = NO_USEFUL_MOVE
        if not state.evidence and stop in (NO_USEFUL_MOVE, ANSWERED):
            stop = NOTHING_FOUND
        evidence = tuple(self.controller.order(state))
        return Run(question, evidence, state.note, stop, spent, spent.seconds, tuple(steps), tuple(state.back_offs), self._calls())

    def _step(self, state: RunState, decision: Decision, number: int, tried: set[str]) -> Step:
        state.spent.add_step()
        if decision.focus:
            state.focus = decision.focus
        observation = self._observed(state, decision, number, tried)
        new_nodes = [card for card in observation.cards if card.node_id not in state.candidates]
        state.candidates.update((card.node_id, card) for card in new_nodes)
        state.evidence.extend(observation.evidence)
        for item in observation.evidence:
            state.spent.add_evidence(item.n_tokens)
        if decision.action is not None and observation.status != "switched_off" and not decision.planned:
            state.idle_moves = 0 if new_nodes or observation.evidence else state.idle_moves + 1
        if decision.action is not None:
            state.last = observation
            state.note = self.controller.reflect(state, observation)
            state.missing = state.note.missing_so_far
        ratings = {item.evidence_id: item for item in self.controller.order(state)} if observation.evidence else {}
        made = tuple(ratings.get(item.evidence_id, item) for item in observation.evidence)
        step = Step(
            number,
            decision.action.model_dump(mode="json") if decision.action is not None else {"kind": "none"},
            decision.why,
            observation,
            len(new_nodes),
            state.note,
            made,
            decision.by or self.controller.name,
            self._calls(),
        )
        if self.folder is not None:
            self.folder.write_step(number, step.artifact(), made)
        return step

    def _observed(self, state: RunState, decision: Decision, number: int, tried: set[str]) -> Observation:
        action = decision.action
        if action is None:
            assert decision.bad is not None
            return decision.bad
        mark = signature(action)
        if mark in tried:
            return Observation("repeated", f"the same {action.kind} was done before in this run")
        tried.add(mark)
        return self.environment.perform(
            action, step=number, why=decision.why, fetched=state.evidence, tokens_left=state.spent.evidence_left
        )

    def _calls(self) -> tuple[CallRecord, ...]:
        return self.model.take() if self.model is not None else ()


def finished(walk: Generator[Step, None, Run], seen: Callable[[Step], None] | None = None) -> Run:
    """The run at the end of a walk. seen: called with each step."""
    while True:
        try:
            step = next(walk)
        except StopIteration as end:
            run: Run = end.value
            return run
        if seen is not None:
            seen(step)


class DocnavSystem:
    """The agent behind the protocol of all systems. notice: what a person should know of how it runs, empty for nothing."""

    name = "docnav"

    def __init__(self, search: Search, options: SystemOptions) -> None:
        self.search = search
        self.options = options
        read_parameters(self.name, NoParameters, options)
        settings = search.graph.settings
        self.without = options.without | parse_ablations(settings.agent.ablate)
        wanted = options.controller or settings.agent.controller
        has_model = options.model is not None or configured(settings)
        self.controller = controllers.controller_name(wanted, has_model)
        self.notice = ""
        if self.controller == "llm" and not has_model:
            self.controller = "rules"
            self.notice = "no language model is set (llm.base_url and llm.model), so the controller rules runs in place of llm"
        if "SC" in self.without:
            self.controller = "fixed"

    def run_model(self) -> RunModel | None:
        """The language model for one run; None where the controller needs none."""
        if self.controller != "llm":
            return None
        settings = self.search.graph.settings
        return RunModel(self.options.model or open_model(settings), settings.llm)

    def walk(
        self, question: Question, spent: Spent, folder: RunFolder | None = None, model: RunModel | None = None
    ) -> Generator[Step, None, Run]:
        """One run, step by step. Raises UnknownDocument for a name in `docs` that matches nothing."""
        docs = self.search.graph.resolve_documents(question.docs) if question.docs else []
        environment = Environment(self.search.graph, self.search, docs, self.without)
        controller = controllers.controller(self.controller, self.search, model, self.without)
        return Agent(environment, controller, folder, model).walk(question, spent)

    def run(self, question: Question, budget: Budget, folder: RunFolder | None = None) -> Run:
        """One run with everything that it did. Raises UnknownDocument for a name in `docs` that matches nothing."""
        return finished(self.walk(question, budget.start(), folder, self.run_model()))

    def header(self, question: Question, budget: Budget, model: RunModel | None) -> dict[str, Any]:
        """What `run.json` says of a run of this system."""
        name = model.name if model is not None else ""
        return run_header(question, budget, self.search, self.name, self.controller, self.without, name) | {"notice": self.notice}

    def retrieve(self, question: Question, budget: Budget) -> Retrieval:
        folder, model = None, self.run_model()
        if self.options.runs_dir is not None:
            folder = RunFolder(self.options.runs_dir, self.header(question, budget, model))
        run = finished(self.walk(question, budget.start(), folder, model))
        if folder is not None:
            folder.write_answer(
                {
                    "answer": None,
                    "stop_reason": run.stop_reason,
                    "evidence": [item.evidence_id for item in run.evidence],
                    "back_offs": list(run.back_offs),
                    "calls": [call.row() for call in run.calls],
                }
            )
        return run.retrieval()


def make_system(search: Search, options: SystemOptions) -> DocnavSystem:
    """The system `docnav` of the registry."""
    return DocnavSystem(search, options)


def run_header(
    question: Question, budget: Budget, search: Search, system: str, controller: str, without: Collection[str] = (), model: str = ""
) -> dict[str, Any]:
    """What `run.json` says of a run: question, system, limits, prompts and the snapshot that was read."""
    return {
        "question_id": question.id,
        "question": question.text,
        "docs": list(question.docs),
        "form": question.form,
        "options": [{"label": option.label, "text": option.text} for option in question.options],
        "system": system,
        "controller": controller,
        "without": sorted(without),
        "model": model,
        "prompts": prompt_hashes() if model else {},
        "snapshot": search.graph.snapshot.id,
        "budget": {
            "max_steps": budget.max_steps,
            "evidence_tokens": budget.evidence_tokens,
            "max_seconds": budget.max_seconds,
            "max_llm_tokens": budget.max_llm_tokens,
            "max_cost": budget.max_cost,
            "fill": budget.fill,
        },
    }
