"""`docnav retrieve`: the evidence of one system for a file of questions, for scoring."""

from __future__ import annotations

import json
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from assets_store.commandline import store_option
from assets_store.terminal import complain, progress
from docnav_agent.commands.common import ablate_option, labels_option, open_search

if TYPE_CHECKING:
    from docnav_agent.budget import Budget
    from docnav_agent.systems import Question, System

FAILED = "failed"


@click.command()
@click.argument("questions", type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(dir_okay=False, path_type=Path), help="EVIDENCE.jsonl to write; replaced when complete."
)
@click.option("--system", "system_name", default="docnav", show_default=True, metavar="S", help="System that collects the evidence.")
@click.option("--controller", metavar="C", help="Controller of the system docnav. Without it: as docnav.toml says.")
@click.option("--budget-tokens", type=click.IntRange(min=1), help="Evidence tokens per question. Without it: as docnav.toml says.")
@click.option("--max-steps", type=click.IntRange(min=1), help="Actions per question at most.")
@click.option("--max-seconds", type=click.FloatRange(min=0, min_open=True), help="Seconds per question at most.")
@click.option("--limit", type=click.IntRange(min=1), help="Ask the first questions only.")
@click.option(
    "--runs", "runs_dir", type=click.Path(file_okay=False, path_type=Path), help="Write a run folder per question below this folder."
)
@ablate_option
@labels_option
@store_option
@click.pass_context
def retrieve(
    ctx: click.Context,
    questions: Path,
    out: Path,
    system_name: str,
    controller: str | None,
    budget_tokens: int | None,
    max_steps: int | None,
    max_seconds: float | None,
    limit: int | None,
    runs_dir: Path | None,
    ablate: str,
    labels: tuple[str, ...],
    store: str,
) -> None:
    """Collect evidence for every question of QUESTIONS.jsonl, up to the budget. Exit code 1 when a question failed."""
    from assets_store.errors import SourceError
    from assets_store.store import Store
    from docnav_agent.ablations import parse_ablations
    from docnav_agent.agent import DocnavSystem
    from docnav_agent.budget import Budget
    from docnav_agent.questions import read_questions
    from docnav_agent.systems import SystemOptions, system

    asked = read_questions(questions, limit)
    settings = Store.open(store).settings.agent
    search = open_search(store, labels)
    budget = Budget.from_settings(settings, max_steps=max_steps, evidence_tokens=budget_tokens, max_seconds=max_seconds, fill=True)
    options = SystemOptions(controller=controller or settings.controller, runs_dir=runs_dir, without=parse_ablations(ablate))
    made = system(system_name, search, options)
    if isinstance(made, DocnavSystem) and made.notice:
        complain(made.notice)
    for question in asked:
        # All names are looked up before the first question is asked: a wrong name is a wrong call, not a failed question.
        search.graph.resolve_documents(question.docs)
    partial = out.with_name(out.name + ".part")
    try:
        with partial.open("w", encoding="utf-8") as file:
            failed = _ask_all(asked, made, budget, file)
        partial.replace(out)
    except OSError as error:
        raise SourceError(f"cannot write {out}: {error.strerror or error}; give a file in a folder that exists") from error
    complain(f"{len(asked) - failed} of {len(asked)} questions by {system_name}: {out}")
    if failed:
        ctx.exit(1)


def _ask_all(asked: list[Question], made: System, budget: Budget, file: IO[str]) -> int:
    """Write one line per question and return how many failed; a failed one has no evidence and says why."""
    failed = 0
    with progress() as bar:
        task = bar.add_task(made.name, total=len(asked))
        for question in asked:
            try:
                row = _row(question, made, budget)
            except Exception as error:
                # One bad question must not stop a batch of thousands; the line tells what happened to it.
                failed += 1
                row = {
                    "question_id": question.id,
                    "evidence": [],
                    "steps": 0,
                    "llm_calls": 0,
                    "tokens": 0,
                    "seconds": 0.0,
                    "stop_reason": FAILED,
                }
                row["error"] = f"{type(error).__name__}: {error}"
                complain(f"question {question.id}: {row['error']}")
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            bar.advance(task)
    return failed


def _row(question: Question, made: System, budget: Budget) -> dict[str, Any]:
    found = made.retrieve(question, budget)
    return {
        "question_id": question.id,
        "evidence": [item.row() for item in found.evidence],
        "steps": found.steps,
        "llm_calls": found.llm_calls,
        "tokens": found.tokens,
        "seconds": round(found.seconds, 4),
        "stop_reason": found.stop_reason,
    }
