"""Sufficient Context: whether the fetched text is enough for a definite answer, as a judge says who sees no gold answer.

sufficient                      1 or 0
sufficient_unanswerable         the same, of questions that the documents do not answer: here 1 is a mistake of the judge or of the data
sufficient_tokens               tokens of the text that was judged: more text is called sufficient more often, so the two belong together

No text, and a question that failed, are 0 without a call. The prompt is our own, written from the published criteria: smaller
questions first, then an explanation, then the label. It is never the call that lets a run stop. Source: Joren et al., ICLR 2025.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from assets_store.ids import content_hash
from docnav_agent.evaluation.case import Case
from docnav_agent.evaluation.metrics.base import Measured, MetricSettings, Statistic, Tools, mean_of
from docnav_agent.evaluation.outcome import Outcome
from docnav_agent.evaluation.prompts import read_prompt
from docnav_agent.fence import asked_lines, fenced, harmless
from docnav_agent.forms import all_required

NAME, UNANSWERABLE, TOKENS = "sufficient", "sufficient_unanswerable", "sufficient_tokens"
MAX_QUESTION_TOKENS = 1600


class SmallerQuestion(BaseModel):
    """A question on the way, and what the references say to it."""

    model_config = ConfigDict(extra="ignore", json_schema_extra=all_required)

    question: str = ""
    answer: str = ""


class SufficientReply(BaseModel):
    """The verdict as the judge says it."""

    model_config = ConfigDict(extra="ignore", json_schema_extra=all_required)

    steps: list[SmallerQuestion] = Field(default_factory=list)
    explanation: str = ""
    label: int = Field(ge=0, le=1)

    @field_validator("label", mode="before")
    @classmethod
    def _number(cls, value: Any) -> Any:
        return value.strip() if isinstance(value, str) else int(value) if isinstance(value, bool) else value


class Sufficiency:
    name = "sufficiency"

    @property
    def version(self) -> str:
        return f"1-{content_hash(read_prompt('sufficient_context'), read_prompt('sufficient_context_end'), length=8)}"

    @property
    def statistics(self) -> list[Statistic]:
        return [
            mean_of(NAME, "sufficient context", "Share of questions whose fetched text the judge calls sufficient, without a gold answer."),
            mean_of(UNANSWERABLE, "sufficient, unanswerable", "The same of questions that the documents do not answer.", "lower"),
            mean_of(TOKENS, "tokens judged", "Tokens of fetched text that were judged.", "neither"),
        ]

    def columns(self, case: Case) -> tuple[str, ...]:
        return (NAME, TOKENS) if case.answerable is not False else (NAME, UNANSWERABLE, TOKENS)

    def measure(self, case: Case, outcome: Outcome, tools: Tools) -> Measured:
        texts = [item.text for item in outcome.evidence if item.text.strip()]
        label, why = 0, {"left out": "no fetched text"} if not texts else {}
        if texts:
            assert tools.judge is not None
            reply = tools.judge.ask(self.name, read_prompt("sufficient_context"), _data(case, texts), SufficientReply)
            label, why = reply.label, reply.model_dump()
        values = {NAME: float(label), TOKENS: float(outcome.evidence_tokens)}
        if case.answerable is False:
            # A question that failed is no restraint.
            values[UNANSWERABLE] = float(label or outcome.failed)
        return Measured(values, why)


def _data(case: Case, texts: list[str]) -> str:
    asked = asked_lines(case.question, MAX_QUESTION_TOKENS, MAX_QUESTION_TOKENS)
    numbered = [f"[{number}] {harmless(text)}" for number, text in enumerate(texts, start=1)]
    return "\n".join((*asked, fenced("references", numbered), read_prompt("sufficient_context_end")))


def make_metric(settings: MetricSettings) -> Sufficiency:
    """No setting concerns it."""
    return Sufficiency()
