"""A run of a suite against an earlier one: where it has lost, so that a change that makes answers worse is noticed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assets_store.errors import SourceError
from docnav_agent.evaluation.harness import Harness
from docnav_agent.evaluation.intervals import Difference, difference, draw
from docnav_agent.evaluation.metrics import make_metrics
from docnav_agent.evaluation.results import FORMAT, Pair


@dataclass(frozen=True, slots=True)
class Change:
    """One statistic of one system on one data set, now less then. lost: worse, and the interval of the difference leaves zero out."""

    data_set: str
    system: str
    statistic: str
    difference: Difference
    lost: bool

    @property
    def line(self) -> str:
        """For people."""
        d = self.difference
        what = "lost" if self.lost else "changed"
        return f"{self.data_set} {self.system} {self.statistic}: {what} by {d.value:+.4f} ({d.low:+.4f} to {d.high:+.4f}, n = {d.n})"


@dataclass(frozen=True, slots=True)
class Against:
    """changes: that leave zero out, losses first. compared: statistics that were looked at. notices: what could not be compared."""

    changes: tuple[Change, ...]
    compared: int
    notices: tuple[str, ...]

    @property
    def losses(self) -> tuple[Change, ...]:
        return tuple(change for change in self.changes if change.lost)


def read_base(path: Path) -> dict[str, Any]:
    """The JSON of an earlier run. Raises SourceError."""
    try:
        base = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SourceError(f"cannot read the results {path} to compare with: {error}; name an evaluation.json of `docnav eval`") from error
    if not isinstance(base, dict) or base.get("format") != FORMAT:
        raise SourceError(f"{path} holds no results of the format {FORMAT}; name an evaluation.json of `docnav eval`")
    return base


def compare(harness: Harness, pairs: Sequence[Pair], base: Mapping[str, Any]) -> Against:
    """Differences on the questions that both runs have, with intervals as in the report. Raises SourceError where nothing is comparable."""
    suite = harness.suite
    statistics = [s for metric in make_metrics(suite.metric_names, suite.metrics.settings()) for s in metric.statistics]
    looked_at = [s for s in statistics if s.better != "neither" and (not suite.gate or s.name in suite.gate)]
    earlier = {(entry["data_set"], entry["system"]): entry for entry in base["values"]}
    changes: list[Change] = []
    notices = []
    compared = 0
    for pair in pairs:
        place = (pair.data_set.name, pair.system)
        then = _rows(earlier.pop(place, None))
        common = [(case, value) for case, value in zip(pair.data_set.cases, pair.values(), strict=True) if case.id in then]
        if len(common) < max(len(then), len(pair.data_set.cases)):
            notices.append(f"{place[0]} {place[1]}: {len(common)} questions are in both runs, of {len(then)} then and {len(pair.runs)} now")
        if not common:
            continue
        weights = draw([case.cluster for case, _ in common], suite.intervals.resamples, suite.intervals.seed)
        now, before = [value for _, value in common], [then[case.id] for case, _ in common]
        for statistic in looked_at:
            got = difference(statistic, now, before, weights, suite.intervals.confidence)
            compared += bool(got.n)
            if got.n and got.significant:
                lost = got.high < 0 if statistic.better == "higher" else got.low > 0
                changes.append(Change(*place, statistic.name, got, lost))
    notices += [f"{data_set} {system}: not in this run" for data_set, system in earlier]
    if not compared:
        raise SourceError("nothing in the two runs can be compared: no data set, system and statistic is in both")
    return Against(tuple(sorted(changes, key=lambda c: (not c.lost, c.data_set, c.system, c.statistic))), compared, tuple(notices))


def _rows(entry: Mapping[str, Any] | None) -> dict[str, dict[str, float]]:
    if entry is None:
        return {}
    columns = entry["columns"]
    return {
        name: {column: value for column, value in zip(columns, values, strict=True) if value is not None}
        for name, values in entry["rows"].items()
    }
