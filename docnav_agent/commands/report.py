"""`docnav report`: the page of a stored run, to read and to keep."""

from __future__ import annotations

from pathlib import Path

import click

from assets_store.commandline import store_option
from assets_store.terminal import complain


@click.command()
@click.argument("run_dir", type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="HTML file to write. Without it: RUN_DIR.html beside the run folder."
)
@store_option
@click.pass_context
def report(ctx: click.Context, run_dir: Path, out: Path | None, store: str) -> None:
    """Write RUN_DIR as one HTML page: answer, walk, evidence with its boxes on the page. Exit code 1 when the run was tampered with.

    The store is read for the source files only, so that pages can be drawn; without it they stay blank.
    """
    from assets_store.errors import SourceError
    from docnav_agent.run_folder import read_run
    from docnav_agent.run_report import run_report

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
