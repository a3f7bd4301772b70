"""RAGAS 0.4.3 Faithfulness: share of the statements of an answer that the fetched text supports, as a judge says, 0..1.

The context is the text that FETCH brought and nothing else: no title, snippet or summary. Guards: no answer, an abstention and a
question that failed have 0 without a call, so that silence does not pay; an answer without any fetched text has 0, where RAGAS raises;
an answer in which the judge finds no statement is left out and counted, where RAGAS gives NaN; a judge that gives no verdict on
statements that it found has failed. Applies to every question; of one with options, to the sentences that give the reasons.
"""

from __future__ import annotations

import asyncio
from typing import Any

from docnav_agent.evaluation.case import Case
from docnav_agent.evaluation.judge import JudgeFailed
from docnav_agent.evaluation.metrics.base import Measured, MetricSettings, Statistic, Tools, mean_of
from docnav_agent.evaluation.outcome import Outcome
from docnav_agent.evaluation.ragas_parts import load_ragas, ragas_model

NAME = "faithfulness"


class Faithfulness:
    name = NAME
    version = "1"

    @property
    def statistics(self) -> list[Statistic]:
        return [mean_of(NAME, "faithfulness", "RAGAS 0.4.3: share of the answer's statements that fetched text supports; 0 for no answer.")]

    def columns(self, case: Case) -> tuple[str, ...]:
        return (NAME,)

    def measure(self, case: Case, outcome: Outcome, tools: Tools) -> Measured:
        if not outcome.said:
            return Measured({NAME: 0.0}, {"left out": "no answer"})
        contexts = [item.text for item in outcome.evidence if item.text.strip()]
        if not contexts:
            return Measured({NAME: 0.0}, {"left out": "no fetched text"})
        assert tools.judge is not None
        replies: list[Any] = []
        metric = load_ragas().Faithfulness(llm=ragas_model(tools.judge, NAME, replies.append))
        asked = {"user_input": case.question.text, "response": outcome.said, "retrieved_contexts": contexts}
        scored = asyncio.run(metric.ascore(**asked))
        if not replies[0].statements:
            return Measured({}, {"left out": "the judge found no statement in the answer"})
        verdicts = replies[1].statements
        if not verdicts:
            raise JudgeFailed(f"{NAME}: the judge gave no verdict on {len(replies[0].statements)} statements")
        return Measured({NAME: float(scored.value)}, {"statements": [[entry.statement, bool(entry.verdict)] for entry in verdicts]})


def make_metric(settings: MetricSettings) -> Faithfulness:
    """No setting concerns it. Raises SettingsError where RAGAS is not installed, when it is first used."""
    return Faithfulness()
