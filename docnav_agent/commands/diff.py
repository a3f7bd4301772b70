"""`docnav diff`: what two stored runs did and said differently."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from assets_store.commandline import json_option, print_json
from assets_store.terminal import complain, console, printable

MAX_SHOWN = 200


@click.command()
@click.argument("run_a", type=click.Path(path_type=Path))
@click.argument("run_b", type=click.Path(path_type=Path))
@json_option
@click.pass_context
def diff(ctx: click.Context, run_a: Path, run_b: Path, as_json: bool) -> None:
    """Compare RUN_A and RUN_B: question, steps, evidence, answer, what was spent. Exit code 1 when one of them was tampered with."""
    from docnav_agent.run_diff import run_diff
    from docnav_agent.run_folder import read_run

    runs = [read_run(run_a), read_run(run_b)]
    found = run_diff(*runs)
    if as_json:
        print_json(found)
    else:
        _show(found)
    for run in runs:
        for problem in run.problems:
            complain(f"tampered: {run.path}: {problem}")
    if not found["intact"]:
        ctx.exit(1)


def _show(found: dict[str, Any]) -> None:
    from docnav_agent.run_diff import said, same

    out = console()

    def tell(text: str) -> None:
        out.print(printable(text))

    if same(found):
        tell("The runs did and said the same.")
    for part in ("asked", "answered"):
        for key, (first, second) in found[part].items():
            tell(f"{key}:\n  A {_short(first)}\n  B {_short(second)}")
    for step in found["steps"]:
        if not step["equal"]:
            first, second = step["actions"]
            tell(f"step {step['step']}:\n  A {_short(said(first))}\n  B {_short(said(second))}")
    evidence = found["evidence"]
    tell(f"evidence: {len(evidence['both'])} in both, {len(evidence['first'])} in A only, {len(evidence['second'])} in B only")
    for name, mark in (("first", "A"), ("second", "B"), ("changed", "text differs:")):
        for node_id in evidence[name]:
            tell(f"  {mark} {node_id}")
    tell("spent: " + ", ".join(f"{key} {first} / {second}" for key, (first, second) in found["spent"].items()))


def _short(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"
