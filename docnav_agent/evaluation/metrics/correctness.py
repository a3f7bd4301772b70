"""RAGAS 0.4.3 Answer Correctness, with both of its parts.

correctness             0.75 · correctness_facts + 0.25 · correctness_cosine
correctness_facts       F1 of statements: a judge splits answer and reference into statements and says which agree
correctness_cosine      cosine of answer and reference, as the metric similarity

All in 0..1 (the cosine may be below 0). Guards: no answer, an abstention and a question that failed have 0 without a call, where
RAGAS gives an empty answer .85; an answer in which the judge finds no statement has 0 facts, where RAGAS says 1; a reference in which
it finds none leaves the question out, counted; a judge that classifies none of the statements has failed. Both parts are reported,
because the second gives any answer about .2 and the first falls with the length of an answer. Applies to open questions with a
reference; of several, the first is taken.
"""

from __future__ import annotations

import asyncio
from typing import Any

from docnav_agent.evaluation.case import Case
from docnav_agent.evaluation.judge import JudgeFailed
from docnav_agent.evaluation.metrics.base import Measured, MetricSettings, Statistic, Tools, mean_of
from docnav_agent.evaluation.metrics.similarity import cosine
from docnav_agent.evaluation.outcome import Outcome
from docnav_agent.evaluation.ragas_parts import load_ragas, ragas_model

WHOLE, FACTS, COSINE = "correctness", "correctness_facts", "correctness_cosine"
WEIGHTS = (0.75, 0.25)


class Correctness:
    name = "correctness"
    version = "1"

    @property
    def statistics(self) -> list[Statistic]:
        return [
            mean_of(WHOLE, "answer correctness", "RAGAS 0.4.3: 0.75 F1 of statements + 0.25 cosine, judged; 0 for no answer."),
            mean_of(FACTS, "correctness: facts", "F1 of the statements of answer and reference, as the judge matches them."),
            mean_of(COSINE, "correctness: cosine", "Cosine of answer and reference."),
        ]

    def columns(self, case: Case) -> tuple[str, ...]:
        return (WHOLE, FACTS, COSINE) if case.question.form == "open" and any(text.strip() for text in case.references) else ()

    def measure(self, case: Case, outcome: Outcome, tools: Tools) -> Measured:
        if not self.columns(case):
            return Measured({})
        if not outcome.said:
            return Measured(dict.fromkeys((WHOLE, FACTS, COSINE), 0.0), {"left out": "no answer"})
        assert tools.judge is not None
        assert tools.encode is not None
        reference = next(text for text in case.references if text.strip())
        replies: list[Any] = []
        metric = load_ragas().AnswerCorrectness(llm=ragas_model(tools.judge, self.name, replies.append), weights=[1.0, 0.0], beta=1.0)
        scored = asyncio.run(metric.ascore(user_input=case.question.text, response=outcome.said, reference=reference))
        said, wanted = replies[0].statements, replies[1].statements
        why: dict[str, Any] = {"answer": said, "reference": wanted}
        if not wanted:
            return Measured({}, {**why, "left out": "the judge found no statement in the reference"})
        facts = 0.0
        if said:
            classes = replies[2]
            if not (classes.TP or classes.FP or classes.FN):
                raise JudgeFailed(f"{self.name}: the judge classified none of {len(said) + len(wanted)} statements")
            facts = float(scored.value)
            why |= {name: [entry.statement for entry in getattr(classes, name)] for name in ("TP", "FP", "FN")}
        near = cosine(outcome.said, reference, tools.encode)
        return Measured({WHOLE: WEIGHTS[0] * facts + WEIGHTS[1] * near, FACTS: facts, COSINE: near}, why)


def make_metric(settings: MetricSettings) -> Correctness:
    """No setting concerns it. Raises SettingsError where RAGAS is not installed, when it is first used."""
    return Correctness()
