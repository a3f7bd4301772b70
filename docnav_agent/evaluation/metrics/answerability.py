"""Answerability: whether a system answers what the documents answer, and abstains from what they do not.

answerability       mean of the share of answerable questions that are answered and of unanswerable ones that are not (balanced accuracy)
false_sufficient    share of unanswerable questions that are answered all the same: evidence was taken for sufficient that is not

Both in 0..1. A question that failed counts as wrong in both. Applies to questions of data sets that say which are answerable.
"""

from __future__ import annotations

from docnav_agent.evaluation.case import Case
from docnav_agent.evaluation.metrics.base import Measured, MetricSettings, Statistic, Tools, mean_of
from docnav_agent.evaluation.outcome import Outcome

ANSWERED, ABSTAINED, FALSE_SUFFICIENT = "answered_answerable", "abstained_unanswerable", "false_sufficient"

_BALANCED = ((ANSWERED, ""), (ABSTAINED, ""))


class Answerability:
    name = "answerability"
    version = "1"

    @property
    def statistics(self) -> list[Statistic]:
        return [
            Statistic("answerability", "answerability", "Balanced accuracy of answering what can be answered, and no more.", _BALANCED),
            mean_of(FALSE_SUFFICIENT, "false sufficient", "Share of unanswerable questions that were answered.", "lower"),
        ]

    def columns(self, case: Case) -> tuple[str, ...]:
        if case.answerable is None:
            return ()
        return (ANSWERED,) if case.answerable else (ABSTAINED, FALSE_SUFFICIENT)

    def measure(self, case: Case, outcome: Outcome, tools: Tools) -> Measured:
        if case.answerable is None:
            return Measured({})
        if case.answerable:
            return Measured({ANSWERED: float(outcome.answered and not outcome.failed)})
        wrong = outcome.answered or outcome.failed
        return Measured({ABSTAINED: float(not wrong), FALSE_SUFFICIENT: float(wrong)})


def make_metric(settings: MetricSettings) -> Answerability:
    """No setting concerns it."""
    return Answerability()
