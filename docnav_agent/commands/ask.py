"""`docnav ask`: one question, one cited answer, one run folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assets_store.commandline import json_option, print_json, store_option
from assets_store.ids import is_encodable
from assets_store.terminal import complain, console, printable
from docnav_agent.commands.common import labels_option, open_search, place

if TYPE_CHECKING:
    from docnav_agent.answer import Answer


@click.command()
@click.argument("question")
@click.option("--system", "system_name", default="docnav", show_default=True, metavar="S", help="System that collects the evidence.")
@click.option("--controller", metavar="C", help="Controller of the system docnav. Without it: as docnav.toml says.")
@click.option(
    "--doc", "docs", multiple=True, metavar="NAME", help="Limit to this document: file name, stem, path or id; may be given again."
)
@click.option("--max-steps", type=click.IntRange(min=1), help="Actions at most.")
@click.option("--budget-tokens", type=click.IntRange(min=1), help="Evidence tokens at most.")
@click.option("--max-seconds", type=click.FloatRange(min=0, min_open=True), help="Seconds at most.")
@click.option(
    "--runs", "runs_dir", type=click.Path(file_okay=False, path_type=Path), help="Folder of run folders. Without it: as docnav.toml says."
)
@labels_option
@store_option
@json_option
@click.pass_context
def ask(
    ctx: click.Context,
    question: str,
    system_name: str,
    controller: str | None,
    docs: tuple[str, ...],
    max_steps: int | None,
    budget_tokens: int | None,
    max_seconds: float | None,
    runs_dir: Path | None,
    labels: tuple[str, ...],
    store: str,
    as_json: bool,
) -> None:
    """Answer QUESTION from the documents of the store, with citations. Exit code 1 when they hold no answer."""
    from assets_store.store import Store
    from docnav_agent.answering import answer_question
    from docnav_agent.budget import Budget
    from docnav_agent.systems import Question, SystemOptions

    if not question.strip():
        raise click.UsageError("the question is empty; give at least one word.")
    if not is_encodable(question):
        raise click.UsageError("the question holds bytes that are no UTF-8; check the encoding of the terminal.")
    settings = Store.open(store).settings.agent
    search = open_search(store, labels)
    budget = Budget.from_settings(settings, max_steps=max_steps, evidence_tokens=budget_tokens, max_seconds=max_seconds)
    options = SystemOptions(controller=controller or settings.controller, runs_dir=runs_dir or Path(settings.runs_dir))
    answer = answer_question(Question("ask", question, docs), search, system_name, options, budget)
    if as_json:
        print_json(answer.row())
    else:
        _show(answer)
    for problem in answer.problems:
        complain(f"citation problem: {problem}")
    if not answer.answered:
        ctx.exit(1)


def _show(answer: Answer) -> None:
    out = console()
    out.print(printable(answer.answer))
    if answer.citations:
        out.print()
    for citation in answer.citations:
        out.print(printable(f"[{citation.evidence_id}] {place(citation.doc, citation.section, citation.page_start, citation.page_end)}"))
    if answer.answered and answer.missing:
        out.print(printable(f"\nNot found in the evidence: {', '.join(answer.missing)}"))
    by = f"{answer.system} ({answer.controller})" if answer.controller else answer.system
    complain(f"{by}: {answer.stop_reason} after {answer.steps} steps, {answer.evidence_tokens} evidence tokens, {answer.seconds:.1f} s")
    if answer.run_dir:
        complain(f"run folder: {answer.run_dir}")
