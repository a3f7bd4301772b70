"""`docnav report`: the page of a stored run or evaluation, to read and to keep."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assets_store.commandline import store_option
from assets_store.terminal import complain

if TYPE_CHECKING:
    from docnav_agent.evaluation.suite import Suite


@click.command()
@click.argument("run_dir", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="HTML file to write. Without it: RUN_DIR.html beside a run folder, report.html inside an evaluation.",
)
@store_option
@click.pass_context
def report(ctx: click.Context, run_dir: Path, out: Path | None, store: str) -> None:
    """Write RUN_DIR as one HTML page: answer, walk, evidence with its boxes on the page. Exit code 1 when the run was tampered with.

    The store is read for the source files only, so that pages can be drawn; without it they stay blank. Of a folder that `docnav eval`
    wrote it is the page of the evaluation, with its numbers as JSON beside it.
    """
    from assets_store.errors import SourceError
    from docnav_agent.evaluation.suite import stored_suite
    from docnav_agent.run_folder import read_run
    from docnav_agent.run_report import run_report

    suite = stored_suite(run_dir)
    if suite is not None:
        complain(f"report: {_evaluation(suite, run_dir, out)}")
        return
    run = read_run(run_dir)
    folder = run_dir.resolve()
    path = out or folder.with_name(f"{folder.name}.html")
    try:
        path.write_text(run_report(run, store), encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise SourceError(f"cannot write {path}: {error.strerror or error}; give a file in a folder that exists with --out") from error
    complain(f"report: {path}")
    for problem in run.problems:
        complain(f"tampered: {problem}")
    if run.problems:
        ctx.exit(1)


def _evaluation(suite: Suite, folder: Path, out: Path | None) -> Path:
    """The page of what an evaluation has so far."""
    from docnav_agent.evaluation.harness import Harness
    from docnav_agent.evaluation.report import write_report
    from docnav_agent.evaluation.results import evaluation_json, read_pairs, write_results

    harness = Harness(suite, folder.resolve())
    pairs = read_pairs(harness)
    results = evaluation_json(harness, pairs)
    write_results(harness, results)
    return write_report(harness, results, pairs, path=out)
