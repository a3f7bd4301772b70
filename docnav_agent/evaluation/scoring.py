"""Metrics of one system's outcomes, question by question; several at a time where a judge is asked."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

from assets_store.ids import content_hash
from docnav_agent.evaluation.case import Case
from docnav_agent.evaluation.judge import Judge, JudgeFailed, calls_row
from docnav_agent.evaluation.kept_rows import KeptRows
from docnav_agent.evaluation.metrics import NEEDS
from docnav_agent.evaluation.metrics.base import Encode, Metric, Tools
from docnav_agent.evaluation.outcome import Outcome
from docnav_agent.evaluation.tables import FAILED, OK, outcome_of, storable

Row = dict[str, Any]


class Scoring:
    """metrics: of the suite. encode, encoder_id: the encoder and its name; judge: None where no metric asks one."""

    def __init__(self, metrics: Sequence[Metric], encode: Encode, encoder_id: str, judge: Judge | None) -> None:
        self.metrics = metrics
        self._encode = encode
        self._encoder_id = encoder_id
        self._judge = judge

    def score(self, cases: Sequence[Case], runs: Mapping[str, Row], kept: KeptRows, done: Callable[[], None]) -> None:
        """Measure what is not measured yet, or was in vain. runs: rows of RUNS by question. done: called with each that is finished."""
        todo = []
        for case in cases:
            outcome = outcome_of(runs[case.id])
            for metric in self.metrics:
                key = self._key(metric, case, outcome)
                earlier = kept.rows.get(score_name(case.id, metric.name))
                if earlier is None or earlier["key"] != key or earlier["status"] == FAILED:
                    tries = 1 + (earlier["tries"] if earlier is not None and earlier["key"] == key else 0)
                    todo.append((metric, case, outcome, key, tries))
                else:
                    done()
        with ThreadPoolExecutor(self._judge.settings.concurrency if self._judge is not None else 1) as pool:
            asked = [pool.submit(self._row, *task) for task in todo if "judge" in NEEDS[task[0].name]]
            for task in todo:
                if "judge" not in NEEDS[task[0].name]:
                    kept.add(self._row(*task))
                    done()
            for row in as_completed(asked):
                kept.add(row.result())
                done()

    def _key(self, metric: Metric, case: Case, outcome: Outcome) -> str:
        needs = NEEDS[metric.name]
        judge = self._judge.name if "judge" in needs and self._judge is not None else ""
        encoder = self._encoder_id if "encoder" in needs else ""
        # What a question took does not change what it is worth.
        of = (outcome.evidence, outcome.answer, outcome.answered, outcome.choice, outcome.verdict, outcome.failed)
        return content_hash(
            metric.name, metric.version, judge, encoder, repr(sorted(s.name for s in metric.statistics)), repr(case), repr(of)
        )

    def _row(self, metric: Metric, case: Case, outcome: Outcome, key: str, tries: int) -> Row:
        begun = time.monotonic()
        calls = self._judge.for_question() if self._judge is not None and "judge" in NEEDS[metric.name] else None
        error, why = "", {}
        try:
            measured = metric.measure(case, outcome, Tools(self._encode, calls))
            values, why = dict(measured.values), dict(measured.why)
        except JudgeFailed as fault:
            error, values = str(fault), dict.fromkeys(metric.columns(case), 0.0)
        took = calls_row(calls.take() if calls is not None else ())
        return {
            "question_id": case.id,
            "metric": metric.name,
            "key": key,
            "status": FAILED if error else OK,
            "error": storable(error),
            "tries": tries,
            "values": [{"column": name, "value": round(float(value), 9)} for name, value in values.items()],
            "why": json.dumps(why),
            "judge": calls.name if calls is not None else "",
            **took,
            "seconds": round(time.monotonic() - begun, 6) if calls is not None else 0.0,
        }


def score_name(question_id: str, metric: str) -> str:
    """What a row of SCORES is known by."""
    return f"{metric} {question_id}"


def values_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Values by question and column, of rows of SCORES."""
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        found.setdefault(row["question_id"], {}).update({entry["column"]: entry["value"] for entry in row["values"] or ()})
    return found
