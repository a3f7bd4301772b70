"""`docnav eval`: run a suite, or go on with it, and write its report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assets_store.commandline import json_option, print_json
from assets_store.terminal import complain, console, printable, progress

if TYPE_CHECKING:
    from docnav_agent.evaluation.harness import PairDone, Progress


@click.command(name="eval")
@click.argument("suite", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="Folder of the results. Without it: evaluation/ and the suite's name."
)
@click.option("--folder", "folders", multiple=True, metavar="NAME=DIR", help="A folder that paths of the suite name as {NAME}.")
@click.option("--dataset", "data_sets", multiple=True, metavar="NAME", help="Run this data set only; may be given again.")
@click.option("--system", "systems", multiple=True, metavar="NAME", help="Run this system only; may be given again.")
@click.option(
    "--against", type=click.Path(dir_okay=False, path_type=Path), help="An earlier evaluation.json: a significant loss is exit 1."
)
@json_option
@click.pass_context
def evaluate(
    ctx: click.Context,
    suite: Path,
    out: Path | None,
    folders: tuple[str, ...],
    data_sets: tuple[str, ...],
    systems: tuple[str, ...],
    against: Path | None,
    as_json: bool,
) -> None:
    """Let systems answer data sets as SUITE says, score them, and write report.html and evaluation.json.

    Finished questions are not asked again. Exit code 1 where questions failed, or something was lost against an earlier run.
    """
    from docnav_agent.evaluation.against import compare, read_base
    from docnav_agent.evaluation.harness import Harness
    from docnav_agent.evaluation.report import write_report
    from docnav_agent.evaluation.results import evaluation_json, read_pairs, write_results
    from docnav_agent.evaluation.suite import chosen, read_suite, write_suite

    whole = read_suite(suite, dict(_folder(text) for text in folders))
    part = chosen(whole, data_sets, systems)
    base = read_base(against) if against is not None else None
    folder = (out or Path("evaluation") / suite.stem).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    write_suite(folder, whole)
    failed = 0
    with _progress() as bars:
        harness = Harness(part, folder, bars)
        for entry in part.dataset:
            for done in harness.run_data_set(entry, part.system):
                failed += done.failed
                complain(_line(done))
    # The report tells all that there is of the suite, also what an earlier call has run.
    reported = Harness(whole, folder)
    pairs = read_pairs(reported)
    results = evaluation_json(reported, pairs)
    found = compare(reported, pairs, base) if base is not None else None
    json_path = write_results(reported, results)
    page = write_report(reported, results, pairs, found)
    losses = found.losses if found is not None else ()
    if as_json:
        lost = [{"data_set": c.data_set, "system": c.system, "statistic": c.statistic, "value": c.difference.value} for c in losses]
        print_json({"report": str(page), "results": str(json_path), "failed": failed, "losses": lost, **_headline(results)})
    else:
        _print_table(results)
    for notice in found.notices if found is not None else ():
        complain(f"against: {notice}")
    for change in losses:
        complain(f"against: {change.line}")
    complain(f"report: {page}")
    if failed or losses:
        ctx.exit(1)


def _folder(text: str) -> tuple[str, str]:
    name, mark, place = text.partition("=")
    if not mark or not name.isidentifier() or not place:
        raise click.UsageError(f"--folder takes NAME=DIR, as in data=../shared/data, found {text!r}")
    return name, place


def _line(done: PairDone) -> str:
    failed = f", {done.failed} failed and will be tried again" if done.failed else ""
    return f"{done.data_set}, {done.system}: {done.asked} of {done.questions} questions asked{failed}"


@contextmanager
def _progress() -> Iterator[Progress]:
    with progress() as bar:

        def begin(what: str, size: int) -> Callable[[], None]:
            task = bar.add_task(what, total=size)
            return lambda: bar.advance(task)

        yield begin


def _headline(results: dict[str, Any]) -> dict[str, Any]:
    rows = [
        {"data_set": r["data_set"], "system": r["system"], **r["statistics"][results["headline"]]}
        for r in results["results"]
        if results["headline"] in r["statistics"]
    ]
    return {"headline": results["headline"], "rows": rows}


def _print_table(results: dict[str, Any]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, show_edge=False)
    for name in ("data set", "system", results["headline"] or "no statistic", "interval", "questions"):
        table.add_column(name)
    for row in _headline(results)["rows"]:
        ends = "" if row["low"] is None else f"{row['low']:.3f} to {row['high']:.3f}"
        cells = (row["data_set"], row["system"], f"{row['value']:.3f}", ends, str(row["n"]))
        table.add_row(*(Text(printable(cell)) for cell in cells))
    console().print(table)
