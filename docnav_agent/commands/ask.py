"""`docnav ask`: one question, one cited answer, one run folder; with `--stream`, steps and sentences as they come."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assets_store.commandline import json_option, print_json, store_option
from assets_store.ids import is_encodable
from assets_store.terminal import complain, console, printable
from docnav_agent.commands.common import ablate_option, labels_option, open_search, place

if TYPE_CHECKING:
    from docnav_agent.answer import Answer
    from docnav_agent.answering import Event


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
@click.option("--answer", "answerer", metavar="A", help="Who writes the answer: auto, extractive or llm. Without it: as docnav.toml says.")
@click.option("--choice", "choices", multiple=True, metavar="TEXT", help="An option to choose from; give two or more.")
@click.option("--true-false", "statement", metavar="TEXT", help="Judge this answer to the question: true, false or not stated.")
@click.option("--stream", is_flag=True, help="Show steps and sentences as they come; with --json one JSON object a line, the answer last.")
@ablate_option
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
    answerer: str | None,
    choices: tuple[str, ...],
    statement: str | None,
    stream: bool,
    ablate: str,
    labels: tuple[str, ...],
    store: str,
    as_json: bool,
) -> None:
    """Answer QUESTION from the documents of the store, with citations. Exit code 1 when they hold no answer."""
    from assets_store.store import Store
    from docnav_agent.ablations import parse_ablations
    from docnav_agent.answering import labelled, stream_answer
    from docnav_agent.budget import Budget
    from docnav_agent.systems import Form, Question, SystemOptions

    if not question.strip():
        raise click.UsageError("the question is empty; give at least one word.")
    if not all(is_encodable(text) for text in (question, statement or "", *choices)):
        raise click.UsageError("the question holds bytes that are no UTF-8; check the encoding of the terminal.")
    if choices and statement is not None:
        raise click.UsageError("give either --choice or --true-false.")
    settings = Store.open(store).settings.agent
    search = open_search(store, labels)
    budget = Budget.from_settings(settings, max_steps=max_steps, evidence_tokens=budget_tokens, max_seconds=max_seconds)
    options = SystemOptions(
        controller=controller or settings.controller,
        runs_dir=runs_dir or Path(settings.runs_dir),
        without=parse_ablations(ablate),
        answer=answerer,
    )
    form: Form = "choice" if choices else "true_false" if statement is not None else "open"
    asked = Question("ask", question, docs, form=form, options=labelled([statement] if statement is not None else choices))
    answer = None
    for event in stream_answer(asked, search, system_name, options, budget):
        answer = event.answer
        if stream:
            _tell(event, as_json)
    assert answer is not None
    if as_json and not stream:
        print_json(answer.row())
    elif not as_json:
        _show(answer, with_text=not (stream and answer.answered))
    for problem in answer.problems:
        complain(f"citation problem: {problem}")
    for sentence in answer.unsupported:
        complain(f"not carried by its evidence: {sentence.text} ({sentence.fault})")
    for back_off in answer.back_offs:
        complain(back_off)
    if not answer.answered:
        ctx.exit(1)


def _tell(event: Event, as_json: bool) -> None:
    """One event: steps on stderr, sentences on stdout; as JSON all of it on stdout."""
    if as_json:
        row: dict[str, Any] = {"event": event.kind}
        if event.step is not None:
            row |= {"step": event.step.number, **event.step.artifact()}
        elif event.answer is not None:
            row |= event.answer.row()
        else:
            row["text"] = event.text
        click.echo(json.dumps(row, ensure_ascii=True))
    elif event.step is not None:
        step = event.step
        complain(f"{step.number} {step.action['kind']}: {step.why}; {step.observation.status}, {step.observation.message}")
    elif event.kind == "sentence":
        console().print(printable(event.text))


def _show(answer: Answer, with_text: bool) -> None:
    out = console()
    if with_text:
        out.print(printable(answer.answer))
    if answer.citations:
        out.print()
    for citation in answer.citations:
        out.print(printable(f"[{citation.evidence_id}] {place(citation.doc, citation.section, citation.page_start, citation.page_end)}"))
    if answer.answered and answer.missing:
        out.print(printable(f"\nNot found in the evidence: {', '.join(answer.missing)}"))
    by = f"{answer.system} ({answer.controller})" if answer.controller else answer.system
    calls = f", {answer.llm_calls} calls with {answer.tokens} tokens" if answer.llm_calls else ""
    spent = f"{answer.steps} steps, {answer.evidence_tokens} evidence tokens{calls}, {answer.seconds:.1f} s"
    complain(f"{by}: {answer.stop_reason} after {spent}")
    if answer.run_dir:
        complain(f"run folder: {answer.run_dir}")
