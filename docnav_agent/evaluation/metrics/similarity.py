"""Semantic similarity of an answer: cosine of its vector with that of a reference answer, the best over all references, -1..1.

The definition of RAGAS 0.4.3, with the encoder of the suite. No answer, an abstention and a question that failed have 0 and are never
encoded: RAGAS turns an empty text into a space, whose vector is near to everything. Applies to open questions with a reference.
"""

from __future__ import annotations

import numpy as np

from docnav_agent.evaluation.case import Case
from docnav_agent.evaluation.metrics.base import Encode, Measured, MetricSettings, Statistic, Tools, mean_of
from docnav_agent.evaluation.outcome import Outcome

NAME = "similarity"


def cosine(answer: str, reference: str, encode: Encode) -> float:
    """Cosine of two texts; 0 where either is empty or has no direction."""
    if not answer.strip() or not reference.strip():
        return 0.0
    said, wanted = np.asarray(encode([answer, reference]), np.float64)
    length = float(np.linalg.norm(said) * np.linalg.norm(wanted))
    return float(said @ wanted) / length if length else 0.0


class Similarity:
    name = NAME
    version = "1"

    @property
    def statistics(self) -> list[Statistic]:
        return [mean_of(NAME, "similarity", "Cosine of answer and reference answer (RAGAS semantic similarity); 0 for no answer.")]

    def columns(self, case: Case) -> tuple[str, ...]:
        return (NAME,) if case.question.form == "open" and any(text.strip() for text in case.references) else ()

    def measure(self, case: Case, outcome: Outcome, tools: Tools) -> Measured:
        if not self.columns(case):
            return Measured({})
        if not outcome.said:
            return Measured({NAME: 0.0})
        assert tools.encode is not None
        return Measured({NAME: max(cosine(outcome.said, text, tools.encode) for text in case.references if text.strip())})


def make_metric(settings: MetricSettings) -> Similarity:
    """No setting concerns it."""
    return Similarity()
