"""Metrics, one a file, by name. Each module has `make_metric(settings: MetricSettings) -> Metric`, imported when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module

from assets_store.errors import SettingsError
from docnav_agent.evaluation.metrics.base import Metric, MetricSettings

# Metric → what it needs beside the question and what a system did: an answer, the encoder, a judge.
NEEDS: dict[str, frozenset[str]] = {
    "evidence": frozenset(),
    "documents": frozenset(),
    "last_gold": frozenset(),
    "token_f1": frozenset({"answer"}),
    "similarity": frozenset({"answer", "encoder"}),
    "bertscore": frozenset({"answer"}),
    "choice": frozenset({"answer"}),
    "options": frozenset({"answer"}),
    "answerability": frozenset({"answer"}),
    "correctness": frozenset({"answer", "encoder", "judge"}),
    "faithfulness": frozenset({"answer", "judge"}),
    "sufficiency": frozenset({"judge"}),
}


def metric_names() -> list[str]:
    """Names of the metrics."""
    return list(NEEDS)


def make_metrics(names: Sequence[str], settings: MetricSettings) -> list[Metric]:
    """Metrics by name, in the order of the registry. Raises SettingsError listing those that exist."""
    for name in names:
        if name not in NEEDS:
            near = get_close_matches(name, NEEDS, n=1)
            hint = f" (nearest: {near[0]!r})" if near else ""
            raise SettingsError(f"unknown metric {name!r}{hint}; expected some of: {', '.join(NEEDS)}")
    made: list[Metric] = [import_module(f"{__name__}.{name}").make_metric(settings) for name in NEEDS if name in names]
    return made
