"""Multiple-choice accuracy with the answer pattern of LongBench v2.

The chosen option is the label that the system reports, or else the one in "The correct answer is (X)" or "The correct answer is X",
asterisks removed. choice is 1 where it is a right one, else 0. Nothing chosen, no match, an abstention and a question that failed are
wrong. Applies to questions of the form `choice` whose right option is known.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from docnav_agent.evaluation.case import Case
from docnav_agent.evaluation.metrics.base import Measured, MetricSettings, Statistic, Tools, mean_of
from docnav_agent.evaluation.outcome import Outcome

NAME = "choice"


def said_choice(text: str, labels: Sequence[str]) -> str | None:
    """Label that a text gives by the pattern; None where it gives none of the labels."""
    plain = text.replace("*", "")
    names = "|".join(sorted(map(re.escape, labels), key=len, reverse=True))
    found = re.search(rf"The correct answer is \(({names})\)", plain) or re.search(rf"The correct answer is ({names})(?!\w)", plain)
    return found[1] if found else None


class Choice:
    name = NAME
    version = "1"

    @property
    def statistics(self) -> list[Statistic]:
        return [mean_of(NAME, "choice accuracy", "Share of multiple-choice questions with the right option; nothing chosen is wrong.")]

    def columns(self, case: Case) -> tuple[str, ...]:
        return (NAME,) if case.question.form == "choice" and case.right else ()

    def measure(self, case: Case, outcome: Outcome, tools: Tools) -> Measured:
        if not self.columns(case):
            return Measured({})
        chosen = outcome.choice
        if chosen is None and not outcome.failed:
            chosen = said_choice(outcome.answer or "", [option.label for option in case.question.options])
        return Measured({NAME: float(chosen in case.right)}, {"chosen": chosen})


def make_metric(settings: MetricSettings) -> Choice:
    """No setting concerns it."""
    return Choice()
