"""The report of an evaluation: one HTML page that loads nothing and holds no script; text of documents is escaped wherever it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from assets_store.errors import SourceError
from docnav_agent.evaluation.against import Against
from docnav_agent.evaluation.hardest import hardest_questions
from docnav_agent.evaluation.harness import Harness
from docnav_agent.evaluation.plot import HEIGHT, WIDTH, make_plot
from docnav_agent.evaluation.results import Pair

FILE = "report.html"
# Statistics at budgets that are shown at once; the others open on a click. `documents` is shown where gold names no text.
_FIRST = ("recall", "all")
_KINDS = {
    "recall": "Recall of gold evidence",
    "all": "All gold evidence found",
    "documents": "Recall of gold documents",
    "precision": "Precision",
    "words": "Words used",
    "": "Answers and distances",
}
# Systems that are told the gold evidence are a ceiling, and no best system.
_CEILINGS = frozenset({"oracle"})


def report_html(results: Mapping[str, Any], pairs: Sequence[Pair], hardest: int, against: Against | None = None) -> str:
    """The page. results: of `evaluation_json`; pairs: what the questions are told from."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"n": _number, "signed": _signed}
    template = environment.from_string(files("docnav_agent").joinpath("templates", "evaluation.html").read_text(encoding="utf-8"))
    metrics = {metric["name"]: metric for metric in results["metrics"]}
    sections = []
    for data_set in results["data_sets"]:
        own = [result for result in results["results"] if result["data_set"] == data_set["name"]]
        sections.append(
            {
                **data_set,
                "results": own,
                "tables": _tables(own, metrics),
                "plot": make_plot(own, results["headline"]),
                "comparisons": _by_statistic(results["comparisons"], data_set["name"], metrics),
                "hardest": hardest_questions([p for p in pairs if p.data_set.name == data_set["name"]], results["headline"], hardest),
            }
        )
    overview = {
        system: [next((r for r in section["results"] if r["system"] == system), None) for section in sections]
        for system in dict.fromkeys(result["system"] for result in results["results"])
    }
    return template.render(
        overview=overview,
        results=results,
        sections=sections,
        metrics=metrics,
        against=against,
        width=WIDTH,
        height=HEIGHT,
        notices=_notices(results),
    )


def write_report(
    harness: Harness, results: Mapping[str, Any], pairs: Sequence[Pair], against: Against | None = None, path: Path | None = None
) -> Path:
    """The page, in the folder of the results where no other path is given. Raises SourceError where it cannot be written."""
    path = path or harness.out / FILE
    page = report_html(results, pairs, harness.suite.hardest, against)
    try:
        partial = path.with_name(f"{path.name}.part")
        partial.write_text(page, encoding="utf-8", errors="backslashreplace")
        partial.replace(path)
    except OSError as error:
        raise SourceError(f"cannot write {path}: {error.strerror or error}; give a file in a folder that exists with --out") from error
    return path


def _tables(results: Sequence[Mapping[str, Any]], metrics: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Statistics as tables: one for each kind that is measured at budgets, and one for all others. Best of each column marked."""
    groups: dict[str, list[str]] = {}
    for name in metrics:
        if any(name in result["statistics"] for result in results):
            groups.setdefault(name.split("@")[0] if "@" in name else "", []).append(name)
    tables = []
    for kind, names in sorted(groups.items(), key=lambda group: (group[0] == "", _order(group[0]))):
        fair = [result for result in results if result.get("kind") not in _CEILINGS]
        best = {name: _best([r["statistics"][name]["value"] for r in fair if name in r["statistics"]], metrics[name]) for name in names}
        counts = {result["statistics"][name]["n"] for result in results for name in names if name in result["statistics"]}
        rows = []
        for result in results:
            cells = []
            for name in names:
                cell = result["statistics"].get(name)
                is_best = cell is not None and len(fair) > 1 and result in fair and cell["value"] == best[name]
                cells.append(None if cell is None else {**cell, "best": is_best})
            rows.append((result["system"], cells))
        opened = kind in _FIRST or not kind or "recall" not in groups
        n = counts.pop() if len(counts) == 1 else None
        tables.append({"heads": [metrics[name] for name in names], "rows": rows, "open": opened, "kind": _KINDS.get(kind, kind), "n": n})
    return tables


def _order(kind: str) -> tuple[int, str]:
    return (_FIRST.index(kind) if kind in _FIRST else len(_FIRST), kind)


def _best(values: Sequence[float | None], metric: Mapping[str, Any]) -> float | None:
    known = [value for value in values if value is not None]
    if not known or metric["better"] == "neither":
        return None
    return max(known) if metric["better"] == "higher" else min(known)


def _by_statistic(comparisons: Sequence[Mapping[str, Any]], data_set: str, metrics: Mapping[str, Any]) -> list[dict[str, Any]]:
    own = [entry for entry in comparisons if entry["data_set"] == data_set]
    return [
        {"metric": metric, "rows": rows, "better": metric["better"]}
        for name, metric in metrics.items()
        if (rows := [entry for entry in own if entry["statistic"] == name])
    ]


def _notices(results: Mapping[str, Any]) -> list[str]:
    """What a reader must know before he believes a number."""
    lines = []
    if results["judge_is_answerer"]:
        lines.append(f"The judge {results['judge']} also wrote answers that it judged: it may favour its own.")
    for result in results["results"]:
        place = f"{result['data_set']}, {result['system']}"
        if result["failed"]:
            lines.append(f"{place}: {result['failed']} of {result['questions']} questions failed; they count as 0 and are asked again.")
        if result["unscored"]:
            lines.append(f"{place}: the judge gave no verdict {result['unscored']} times; these count as 0 and are judged again.")
    said = {(result["system"], result["notice"]) for result in results["results"] if result.get("notice")}
    lines += [f"{system}: {notice}" for system, notice in sorted(said)]
    lines += [f"{data_set['name']}: {notice}" for data_set in results["data_sets"] for notice in data_set["notices"]]
    return lines


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    if isinstance(value, int) or (value == int(value) and abs(value) >= 10):
        return f"{int(value):,}"
    return f"{value:.3f}" if abs(value) < 10 else f"{value:,.1f}"


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.3f}" if abs(value) < 10 else f"{value:+,.1f}"
