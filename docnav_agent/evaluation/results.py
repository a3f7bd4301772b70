"""The results of a suite as one JSON document: statistics with intervals, costs, comparisons, and the values of every question."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any

from docnav_agent.evaluation.case import Case
from docnav_agent.evaluation.datasets import load_data_set
from docnav_agent.evaluation.datasets.base import DataSet
from docnav_agent.evaluation.harness import Harness
from docnav_agent.evaluation.indexing import write_json
from docnav_agent.evaluation.intervals import Weights, difference, draw, interval
from docnav_agent.evaluation.kept_rows import read_rows
from docnav_agent.evaluation.metrics import NEEDS, make_metrics
from docnav_agent.evaluation.metrics.base import Statistic
from docnav_agent.evaluation.metrics.options import with_questions
from docnav_agent.evaluation.scoring import values_of
from docnav_agent.evaluation.tables import FAILED

FORMAT = "docnav-evaluation-1"
FILE = "evaluation.json"
_COSTS = ("llm_calls", "prompt_tokens", "completion_tokens", "cost", "seconds")


@dataclass(frozen=True, slots=True)
class Pair:
    """One system on one data set, as far as it was asked. runs, scores: rows by question, and of all metrics."""

    data_set: DataSet
    system: str
    runs: Mapping[str, Mapping[str, Any]]
    scores: Sequence[Mapping[str, Any]]

    @property
    def is_whole(self) -> bool:
        """Whether every question was asked."""
        return all(case.id in self.runs for case in self.data_set.cases)

    def values(self) -> list[dict[str, float]]:
        """Values by column, of each question in the order of the data set."""
        found = with_questions(self.data_set.cases, values_of(self.scores))
        return [found.get(case.id, {}) for case in self.data_set.cases]


def read_pairs(harness: Harness) -> list[Pair]:
    """What there is of a suite in its folder; pairs that were not asked to the end are left out."""
    pairs = []
    for entry in harness.suite.dataset:
        data_set = load_data_set(entry, harness.out)
        names = {case.id for case in data_set.cases}
        for system in harness.suite.system:
            place = f"{entry.name}/{system.name}.parquet"
            runs = {row["question_id"]: row for row in read_rows(harness.out / "runs" / place) if row["question_id"] in names}
            metrics = set(harness.suite.metric_names)
            scores = {
                (row["question_id"], row["metric"]): row
                for row in read_rows(harness.out / "scores" / place)
                if row["question_id"] in names and row["metric"] in metrics
            }
            pair = Pair(data_set, system.name, runs, list(scores.values()))
            if runs and pair.is_whole:
                pairs.append(pair)
    return pairs


def evaluation_json(harness: Harness, pairs: Sequence[Pair]) -> dict[str, Any]:
    """Everything that the report shows, and the values that a later run is compared with. A number that does not exist is null."""
    suite = harness.suite
    statistics = [s for metric in make_metrics(suite.metric_names, suite.metrics.settings()) for s in metric.statistics]
    sets = {pair.data_set.name: pair.data_set for pair in pairs}
    drawn = {
        name: draw([case.cluster for case in data_set.cases], suite.intervals.resamples, suite.intervals.seed)
        for name, data_set in sets.items()
    }
    results = [_result(harness, pair, statistics, drawn[pair.data_set.name]) for pair in pairs]
    there = {name for result in results for name in result["statistics"]}
    judge = suite.judge.model if any("judge" in NEEDS[name] for name in suite.metric_names) else ""
    answering = sorted({result["model"] for result in results if result["model"]})
    return {
        "format": FORMAT,
        "title": suite.title,
        "made_by": _version(),
        "answer": suite.answer,
        "budget": suite.spending,
        "intervals": suite.intervals.model_dump(mode="json"),
        "judge": judge,
        "judge_is_answerer": bool(judge) and judge in answering,
        "models": answering,
        "reference": suite.reference or suite.system[0].name,
        "headline": headline(suite.metrics.headline, [s.name for s in statistics], there),
        "metrics": [
            {"name": s.name, "title": s.title, "definition": s.definition, "better": s.better} for s in statistics if s.name in there
        ],
        "data_sets": [_data_set(harness, data_set) for data_set in sets.values()],
        "results": results,
        "comparisons": _comparisons(suite.reference or suite.system[0].name, pairs, statistics, drawn, suite.intervals.confidence),
        "values": [_values(pair) for pair in pairs],
    }


def write_results(harness: Harness, results: Mapping[str, Any]) -> Path:
    """The JSON file of the results."""
    write_json(harness.out / FILE, results)
    return harness.out / FILE


def headline(wanted: str, names: Sequence[str], there: set[str]) -> str:
    """The statistic to look at first: the one that is wanted, else recall at 1,000 words, else the first that there is."""
    for name in (wanted, "recall@1000", *names):
        if name in there:
            return name
    return ""


def number(value: float) -> float | None:
    """A number for JSON: six digits, null where there is none."""
    return round(value, 6) if math.isfinite(value) else None


def _result(harness: Harness, pair: Pair, statistics: Sequence[Statistic], weights: Weights) -> dict[str, Any]:
    rows = [pair.runs[case.id] for case in pair.data_set.cases]
    values = pair.values()
    found = {}
    for statistic in statistics:
        got = interval(statistic, values, weights, harness.suite.intervals.confidence)
        if got.n:
            found[statistic.name] = {"value": number(got.value), "low": number(got.low), "high": number(got.high), "n": got.n}
    return {
        "data_set": pair.data_set.name,
        "system": pair.system,
        **harness.facts(pair.data_set.name, pair.system),
        "questions": len(rows),
        "failed": sum(row["status"] == FAILED for row in rows),
        "unscored": sum(row["status"] == FAILED for row in pair.scores),
        "statistics": found,
        "cost": _cost(rows),
        "judge_cost": {name: _sum(pair.scores, name) for name in _COSTS},
    }


def _cost(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Totals, and what a question takes: means, and the median of seconds."""
    n = max(1, len(rows))
    return {
        **{name: _sum(rows, name) for name in _COSTS},
        "per_question": {
            **{name: round(_sum(rows, name) / n, 6) for name in _COSTS},
            "steps": round(_sum(rows, "steps") / n, 3),
            "evidence_tokens": round(sum(item["n_tokens"] for row in rows for item in row["evidence"] or ()) / n, 1),
            "median_seconds": round(median(row["seconds"] for row in rows), 6),
        },
    }


def _sum(rows: Sequence[Mapping[str, Any]], name: str) -> float:
    return round(math.fsum(float(row[name] or 0) for row in rows), 6)


def _data_set(harness: Harness, data_set: DataSet) -> dict[str, Any]:
    return {
        "name": data_set.name,
        "questions": len(data_set.cases),
        "with_gold": sum(bool(case.located) for case in data_set.cases),
        "unanswerable": sum(case.answerable is False for case in data_set.cases),
        "clusters": len({case.cluster for case in data_set.cases}),
        "fingerprint": data_set.fingerprint,
        "notices": list(data_set.notices),
        "index": harness.index_costs(data_set.name),
    }


def _comparisons(
    reference: str, pairs: Sequence[Pair], statistics: Sequence[Statistic], drawn: Mapping[str, Weights], confidence: float
) -> list[dict[str, Any]]:
    """Each system less the reference, on every data set that both were asked."""
    base = {pair.data_set.name: pair.values() for pair in pairs if pair.system == reference}
    found = []
    for pair in pairs:
        if pair.system == reference or pair.data_set.name not in base:
            continue
        own = pair.values()
        for statistic in statistics:
            if statistic.better == "neither":
                continue
            got = difference(statistic, own, base[pair.data_set.name], drawn[pair.data_set.name], confidence)
            if got.n:
                found.append(
                    {
                        "data_set": pair.data_set.name,
                        "system": pair.system,
                        "statistic": statistic.name,
                        **{name: number(getattr(got, name)) for name in ("value", "low", "high", "p")},
                        "n": got.n,
                        "significant": got.significant,
                    }
                )
    return found


def _values(pair: Pair) -> dict[str, Any]:
    """Values of every question, column by column, for a later comparison."""
    values = pair.values()
    columns = sorted({name for value in values for name in value})
    cases: Sequence[Case] = pair.data_set.cases
    return {
        "data_set": pair.data_set.name,
        "system": pair.system,
        "columns": columns,
        "rows": {
            case.id: [number(value[name]) if name in value else None for name in columns] for case, value in zip(cases, values, strict=True)
        },
    }


def _version() -> str:
    try:
        return f"docnav {version('docnav')}"
    except PackageNotFoundError:
        return "docnav"
