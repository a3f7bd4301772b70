"""One system asked the questions of one data set: retrieval, and an answer where the suite asks for one. A failure is an outcome."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from assets_store.ids import content_hash
from assets_store.models.language_model import LanguageModel
from docnav_agent.ablations import parse_ablations
from docnav_agent.agent import MODEL_FAILED, DocnavSystem
from docnav_agent.answering import NOT_CARRIED, answer_question
from docnav_agent.budget import Budget
from docnav_agent.evaluation.case import Case
from docnav_agent.evaluation.metrics.choice import said_choice
from docnav_agent.evaluation.outcome import Fetched, Outcome
from docnav_agent.evaluation.prompts import read_prompt
from docnav_agent.evaluation.suite import Suite, SystemEntry
from docnav_agent.fence import asked_lines
from docnav_agent.forms import all_required
from docnav_agent.model import RunModel, configured, open_model
from docnav_agent.prompts import prompt_hashes
from docnav_agent.search import Search
from docnav_agent.systems import Notices, Prepares, Question, SystemOptions, system

# Raised when the same question would be asked in another way.
CODE = "1"
MAX_QUESTION_TOKENS = 1600


class ClosedBookReply(BaseModel):
    model_config = ConfigDict(extra="ignore", json_schema_extra=all_required)

    answer: str = ""


class Asking:
    """A system of a suite over one store.

    cases: of the data set, from which a system that is told the gold evidence knows it. model: the language model; None is that of the
    settings. cache_dir: where systems keep indexes of their own. notice: what a person should know of how the system runs.
    """

    def __init__(
        self, search: Search, entry: SystemEntry, suite: Suite, cases: Sequence[Case], cache_dir: Path, model: LanguageModel | None = None
    ) -> None:
        self._search = search
        self._entry = entry
        self._suite = suite
        settings = search.graph.settings
        self._model = model or (open_model(settings) if configured(settings) else None)
        self._options = SystemOptions(
            controller=entry.controller or settings.agent.controller,
            without=parse_ablations(entry.without),
            answer=None if suite.answer == "none" else suite.answer,
            model=self._model,
            parameters=entry.parameters,
            gold={case.id: case.located for case in cases},
            cache_dir=cache_dir,
        )
        self._system = system(entry.system, search, self._options)
        self.notice = self._system.notice if isinstance(self._system, Notices) else ""
        self.budget = Budget(
            max_steps=suite.budget.max_steps,
            evidence_tokens=suite.evidence_tokens,
            max_seconds=suite.budget.max_seconds,
            max_llm_tokens=suite.budget.max_llm_tokens or None,
            max_cost=suite.budget.max_cost or None,
            fill=suite.fill,
        )

    @property
    def controller(self) -> str:
        """The controller that runs; empty for a system without one."""
        return self._system.controller if isinstance(self._system, DocnavSystem) else ""

    @property
    def model_name(self) -> str:
        """The language model that decides or answers; empty where none is asked."""
        asks = self.controller == "llm" or self._suite.answer == "llm"
        return self._model.name if asks and self._model is not None else ""

    def prepare(self) -> None:
        """Let the system make an index of its own."""
        if isinstance(self._system, Prepares):
            self._system.prepare()

    def key(self, case: Case) -> str:
        """Hash of all that decides what the system does for a question."""
        made = {
            "code": CODE,
            "system": self._entry.model_dump(mode="json", exclude={"name"}),
            "controller": self.controller,
            "budget": self._suite.spending,
            "answer": self._suite.answer,
            "model": self.model_name,
            "prompts": prompt_hashes() if self.model_name else {},
            "snapshot": self._search.graph.snapshot.id,
            "question": repr(case.question),
            "gold": repr(case.located) if self._entry.system == "oracle" else "",
        }
        return content_hash(json.dumps(made, sort_keys=True), length=24)

    def ask(self, case: Case) -> Outcome:
        """What the system does for a question. Whatever goes wrong is an outcome with an error."""
        clock = self.budget.start()
        try:
            if self._suite.answer == "none":
                return self._retrieved(case.question)
            if getattr(self._system, "closed_book", False):
                return self._from_memory(case.question)
            return self._answered(case.question)
        except Exception as error:
            # One bad question must not stop a batch of thousands; the row tells what happened to it.
            return Outcome(error=f"{type(error).__name__}: {error}"[:1000], seconds=clock.seconds)

    def _retrieved(self, question: Question) -> Outcome:
        found = self._system.retrieve(question, self.budget)
        return Outcome(
            evidence=tuple(Fetched.of(item) for item in found.evidence),
            stop_reason=found.stop_reason,
            steps=found.steps,
            llm_calls=found.llm_calls,
            prompt_tokens=found.prompt_tokens,
            completion_tokens=found.completion_tokens,
            cost=found.cost,
            seconds=found.seconds,
            error="the language model gave no valid reply" if found.stop_reason == MODEL_FAILED else "",
        )

    def _answered(self, question: Question) -> Outcome:
        answer = answer_question(question, self._search, self._entry.system, self._options, self.budget, self._system)
        stood_in = next((line for line in answer.back_offs if line.startswith("answer:")), "")
        error = ""
        if answer.stop_reason == MODEL_FAILED:
            error = "the language model gave no valid reply"
        elif stood_in and NOT_CARRIED not in stood_in:
            # Quoted sentences in place of an answer that could not be had say nothing of the model that was to be measured.
            error = stood_in
        return Outcome(
            evidence=tuple(Fetched.of(item) for item in answer.evidence),
            answer=answer.answer,
            answered=answer.answered and not stood_in,
            choice=answer.choice,
            verdict=answer.verdict,
            stop_reason=answer.stop_reason,
            steps=answer.steps,
            llm_calls=answer.llm_calls,
            prompt_tokens=answer.prompt_tokens,
            completion_tokens=answer.completion_tokens,
            cost=answer.cost,
            seconds=answer.seconds,
            error=error,
        )

    def _from_memory(self, question: Question) -> Outcome:
        """An answer without any text; of the extractive answerer an abstention, since there is nothing to quote."""
        spent = self.budget.start()
        if self._suite.answer != "llm" or self._model is None:
            return Outcome(answer="", stop_reason="no_retrieval")
        settings = self._search.graph.settings.llm
        data = "\n".join(asked_lines(question, MAX_QUESTION_TOKENS, MAX_QUESTION_TOKENS))
        reply = RunModel(self._model, settings).ask("answer", read_prompt("closed_book"), data, ClosedBookReply, spent, settings.timeout_s)
        took: dict[str, Any] = {
            "llm_calls": spent.llm_calls,
            "prompt_tokens": spent.prompt_tokens,
            "completion_tokens": spent.completion_tokens,
            "cost": spent.cost,
            "seconds": spent.seconds,
        }
        if reply.value is None:
            return Outcome(error=f"answer: {reply.fault}", **took)
        said = " ".join(reply.value.answer.split())
        labels = {option.label.casefold(): option.label for option in question.options}
        choice = labels.get(said.strip("().").casefold()) or said_choice(said, list(labels.values())) if question.form == "choice" else None
        verdict = {"true": True, "false": False}.get(said.strip(".").casefold()) if question.form == "true_false" else None
        return Outcome(answer=said, answered=bool(said), choice=choice, verdict=verdict, stop_reason="no_retrieval", **took)
