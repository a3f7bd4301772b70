"""Made-up cases and outcomes for metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from docnav_agent.evaluation.case import Case, Gold
from docnav_agent.evaluation.outcome import Fetched, Outcome
from docnav_agent.systems import Option, Question

FAILED = Outcome(error="RuntimeError: disk on fire")
OPTIONS = (Option("A", "Blue"), Option("B", "Red"), Option("C", "Green"))


def case(*references: str, gold: Sequence[Gold] = (), **more: Any) -> Case:
    """An open question."""
    return Case(Question("q", "How long is the notice period?"), references, tuple(gold), group="q", **more)


def choice_case(*right: str) -> Case:
    return Case(Question("q", "Which colour?", form="choice", options=OPTIONS), right=right, group="q")


def option_case(name: str, truth: bool, group: str = "q") -> Case:
    return Case(Question(name, "Which colour?", form="true_false", options=OPTIONS[:1]), truth=truth, group=group)


def answer(text: str, *texts: str, **more: Any) -> Outcome:
    """An answer from fetched texts."""
    return Outcome(fetched(*texts), answer=text, answered=True, **more)


def fetched(*texts: str, doc: str = "lease.md", **more: Any) -> tuple[Fetched, ...]:
    return tuple(Fetched(doc, text, n_tokens=len(text.split()), **more) for text in texts)
