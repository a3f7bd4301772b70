"""Recall of gold documents at token budgets, for data sets whose gold names documents only.

documents@B   share of the gold documents of which at least 20 words stand within the first B words of evidence, 0..1

Applies to questions with gold that are not marked unanswerable. A question that failed has 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from docnav_agent.evaluation.case import Case
from docnav_agent.evaluation.metrics.base import Measured, MetricSettings, Statistic, Tools, mean_of
from docnav_agent.evaluation.metrics.evidence import within
from docnav_agent.evaluation.outcome import Outcome
from docnav_agent.evaluation.words import stem

MIN_WORDS = 20


class Documents:
    """budgets: words."""

    name = "documents"
    version = "1"

    def __init__(self, budgets: Sequence[int]) -> None:
        self.budgets = tuple(sorted(set(budgets)))

    @property
    def statistics(self) -> list[Statistic]:
        return [
            mean_of(f"documents@{b}", f"documents @{b}", f"Share of gold documents with {MIN_WORDS} words within the first {b} words.")
            for b in self.budgets
        ]

    def columns(self, case: Case) -> tuple[str, ...]:
        return tuple(f"documents@{budget}" for budget in self.budgets) if case.gold_documents else ()

    def measure(self, case: Case, outcome: Outcome, tools: Tools) -> Measured:
        wanted = {stem(doc) for doc in case.gold_documents}
        values = {}
        for budget in self.budgets if wanted else ():
            held: Counter[str] = Counter()
            for piece in within(outcome.evidence, budget):
                held[piece.doc] += len(piece.tokens)
            values[f"documents@{budget}"] = sum(held[doc] >= MIN_WORDS for doc in wanted) / len(wanted)
        return Measured(values)


def make_metric(settings: MetricSettings) -> Documents:
    """At the budgets of the settings."""
    return Documents(settings.budgets)
