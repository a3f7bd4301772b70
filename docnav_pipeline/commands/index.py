"""`docnav index`: add, refresh, and remove what vanished."""

from __future__ import annotations

from pathlib import Path

import click

from assets_store.commandline import json_option, print_json, store_option


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=click.Path(path_type=Path))
@store_option
@click.option("--kb", default="default", show_default=True, help="Knowledge base that the documents belong to.")
@click.option("--product-version", default="", help="Version of the product that the documents describe.")
@click.option(
    "--include",
    multiple=True,
    metavar="GLOB",
    help="Only files whose path or name matches; may be given again, holds for the root from now on, '' clears.",
)
@click.option(
    "--exclude",
    multiple=True,
    metavar="GLOB",
    help="No files whose path or name matches; may be given again, holds for the root from now on, '' clears.",
)
@click.option("--plan", "only_plan", is_flag=True, help="Say what would be done and what it would cost, and do nothing.")
@json_option
def index(
    paths: tuple[Path, ...],
    store: str,
    kb: str,
    product_version: str,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    only_plan: bool,
    as_json: bool,
) -> int:
    """Add what is new under PATH, refresh what changed, remove what vanished."""
    from assets_store.terminal import complain, console
    from docnav_pipeline.corpus import refresh_corpus
    from docnav_pipeline.opening import open_or_create, upgrading, writing
    from docnav_pipeline.run import run_index
    from docnav_pipeline.status import failed_documents, status_of

    missing = [str(path) for path in paths if not path.exists()]
    if missing:
        raise click.UsageError(f"no such file or folder: {', '.join(missing)}. Nothing was indexed and nothing removed.")
    if only_plan:
        return _show_plan(store, paths, kb, product_version, _globs(include), _globs(exclude), as_json)
    opened = open_or_create(store)
    with writing(opened), upgrading(opened):
        changes = refresh_corpus(opened, paths, kb, product_version, _globs(include), _globs(exclude))
        run = run_index(opened, changes)
    status = status_of(opened)
    failed = failed_documents(status)
    counts = {name: len(getattr(changes, name)) for name in ("added", "changed", "removed")}
    if as_json:
        keys = ("snapshot", "is_new", "failed_checks", "work", "stages", "seconds")
        print_json({**counts, **{key: getattr(run, key) for key in keys}, "failed": failed, "documents": len(status["documents"])})
    else:
        out = console()
        for entry in failed:
            complain(f"{entry['doc']}: {entry['status']}: {entry['reason']}")
        out.print(_summary(counts, run.is_new, run.seconds, status))
    for name in run.failed_checks:
        complain(f"check {name} failed; see `docnav doctor` and `docnav ui`")
    return 1 if failed or run.failed_checks else 0


def _show_plan(
    store: str,
    paths: tuple[Path, ...],
    kb: str,
    product_version: str,
    include: list[str] | None,
    exclude: list[str] | None,
    as_json: bool,
) -> int:
    from assets_store.terminal import console
    from docnav_pipeline.corpus import list_corpus
    from docnav_pipeline.opening import opened_or_empty
    from docnav_pipeline.plan import make_plan

    with opened_or_empty(store) as opened:
        plan = make_plan(opened, list_corpus(opened, paths, kb, product_version, include, exclude))
    if as_json:
        print_json(plan.as_json())
        return 0
    out = console()
    out.print(f"{plan.added} added, {plan.changed} changed, {plan.removed} removed")
    for stage in plan.stages:
        out.print(f"  {stage.stage}: {stage.documents} documents, about {stage.paragraphs} paragraphs")
    if not plan.stages:
        out.print(
            "  nothing to do in documents" if not plan.removed else "  rows of removed documents leave all tables; no model is called"
        )
    out.print(f"encoder: at most {plan.encode} paragraphs; paragraphs of {plan.estimated} documents are estimated from their size")
    if plan.profiles:
        out.print(f"routing profiles: about {plan.profiles} scopes by a language model")
    out.print(f"language model: {plan.llm_calls} calls, {plan.prompt_tokens + plan.completion_tokens} tokens, cost {plan.cost}")
    return 0


def _globs(given: tuple[str, ...]) -> list[str] | None:
    """Globs of a flag; None where it was not given, none where only '' was."""
    return [glob for glob in given if glob] if given else None


def _summary(counts: dict[str, int], is_new: bool, seconds: float, status: dict[str, object]) -> str:
    snapshot = status["snapshot"]
    assert isinstance(snapshot, dict)
    if not any(counts.values()) and not is_new:
        return f"nothing changed; snapshot {snapshot['id']} is up to date ({seconds:.1f} s)"
    change = ", ".join(f"{n} {name}" for name, n in counts.items() if n) or "no document changed"
    tables = snapshot["counts"]
    return f"{change}; {tables['documents']} documents, {tables['paragraphs']} paragraphs; snapshot {snapshot['id']} ({seconds:.1f} s)"
