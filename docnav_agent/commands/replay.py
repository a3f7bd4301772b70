"""`docnav replay`: print a stored run again without any model, and check that nothing in it was changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assets_store.commandline import json_option, print_json
from assets_store.terminal import complain, console, printable
from docnav_agent.commands.common import place

if TYPE_CHECKING:
    from docnav_agent.run_folder import StoredRun


@click.command()
@click.argument("run_dir", type=click.Path(path_type=Path))
@json_option
@click.pass_context
def replay(ctx: click.Context, run_dir: Path, as_json: bool) -> None:
    """Show question, walk, answer and citations of RUN_DIR. Exit code 1 when its artifacts were tampered with."""
    from docnav_agent.run_folder import read_run

    run = read_run(run_dir)
    if as_json:
        print_json(
            {
                "run": run.run,
                "steps": list(run.steps),
                "evidence": list(run.evidence.values()),
                "answer": run.answer,
                "intact": not run.problems,
                "problems": list(run.problems),
                "seal": run.seal,
            }
        )
    else:
        _show(run)
    for problem in run.problems:
        complain(f"tampered: {problem}")
    if run.problems:
        ctx.exit(1)


def _show(run: StoredRun) -> None:
    out = console()
    out.print(printable(f"Question: {run.run.get('question')}"))
    out.print(
        printable(
            f"System: {run.run.get('system')} {run.run.get('controller')}, snapshot {run.run.get('snapshot')}, {run.run.get('started')}\n"
        )
    )
    for number, step in enumerate(run.steps, start=1):
        seen = _part(step, "observation")
        out.print(printable(f"{number:>3} {_said(_part(step, 'action'))}"))
        out.print(printable(f"    why: {step.get('why')}"))
        made = [str(name) for name in _list(step.get("evidence_made"))]
        out.print(printable(f"    saw: {seen.get('status')}, {seen.get('message')}{'; made ' + ', '.join(made) if made else ''}"))
    out.print(printable(f"\nAnswer: {run.answer.get('answer')}"))
    # A run that was tampered with is shown too, so nothing is taken for granted about the types of its values.
    for citation in (entry for entry in _list(run.answer.get("citations")) if isinstance(entry, dict)):
        section = [str(title) for title in _list(citation.get("section"))]
        where = place(str(citation.get("doc", "")), section, citation.get("page_start"), citation.get("page_end"))
        out.print(printable(f"[{citation.get('evidence_id')}] {where}"))
    for sentence in (entry for entry in _list(run.answer.get("unsupported")) if isinstance(entry, dict)):
        out.print(printable(f"Not carried by its evidence: {sentence.get('text')} ({sentence.get('fault')})"))
    for line in _list(run.answer.get("back_offs")):
        out.print(printable(f"Stood in: {line}"))
    out.print(printable(f"\nStopped: {run.answer.get('stop_reason', 'did not end')}. Seal: {run.seal}"))


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _part(step: dict[str, Any], name: str) -> dict[str, Any]:
    value = step.get(name)
    return value if isinstance(value, dict) else {}


def _said(action: dict[str, Any]) -> str:
    arguments = ", ".join(f"{name}={value}" for name, value in action.items() if name != "kind" and value not in (None, [], ""))
    return f"{str(action.get('kind')).upper()} {arguments}"
