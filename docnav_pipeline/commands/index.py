"""`docnav index`: add, refresh, and remove what vanished."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assets_store.commandline import json_option, print_json, store_option

if TYPE_CHECKING:
    from assets_store.store import Store
    from docnav_pipeline.corpus import Listing
    from docnav_pipeline.declared import Declaration


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH...]", type=click.Path(path_type=Path))
@store_option
@click.option("--config", type=click.Path(path_type=Path), help="A docnav.toml whose [[source]] entries are indexed instead of PATHs.")
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
    config: Path | None,
    kb: str,
    product_version: str,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    only_plan: bool,
    as_json: bool,
) -> int:
    """Add what is new under PATH, refresh what changed, remove what vanished.

    Without PATH, the sources of a docnav.toml are indexed: the one named by --config, else that of this folder, else that of the store.
    """
    from assets_store.terminal import complain, console
    from docnav_pipeline.corpus import list_corpus, write_listing
    from docnav_pipeline.opening import open_or_create, upgrading, writing
    from docnav_pipeline.run import run_index
    from docnav_pipeline.status import failed_documents, status_of

    missing = [str(path) for path in paths if not path.exists()]
    if missing:
        raise click.UsageError(f"no such file or folder: {', '.join(missing)}. Nothing was indexed and nothing removed.")
    flags = (kb, product_version, _globs(include), _globs(exclude))
    declaration = None if paths and config is None else _declaration(store, config)
    if declaration is not None and (paths or flags != ("default", "", None, None)):
        raise click.UsageError(f"PATHs and flags about them do not go with the sources of {declaration.origin}; write them there.")

    def listing(of: Store) -> Listing:
        return list_corpus(of, paths, *flags) if declaration is None else _declared(of, declaration)

    if only_plan:
        return _show_plan(store, listing, as_json)
    opened = open_or_create(store, settings=declaration)
    with writing(opened), upgrading(opened):
        found = listing(opened)
        write_listing(opened, found)
        changes = found.changes
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


def _declaration(store: str, config: Path | None) -> Declaration:
    """Sources of the settings file that counts where no PATH is given."""
    from assets_store.errors import NoStore
    from assets_store.settings import SETTINGS_FILE
    from assets_store.store import Store
    from docnav_pipeline.declared import read_declaration, store_declaration

    if config is not None or Path(SETTINGS_FILE).is_file():
        return read_declaration(config or Path(SETTINGS_FILE))
    try:
        own = store_declaration(Store.open(store))
    except NoStore:
        own = None
    if own is None:
        raise click.UsageError(
            f"expected PATHs, --config, or a {SETTINGS_FILE} with [[source]] in this folder or in the store; found none."
        )
    return own


def _declared(store: Store, declaration: Declaration) -> Listing:
    """What the sources of a settings file hold; people are told what could not be fetched."""
    from assets_store.terminal import complain
    from docnav_pipeline.watch import list_declared

    found, faults = list_declared(store, declaration)
    for fault in faults:
        complain(fault)
    return found


def _show_plan(store: str, listing: Callable[[Store], Listing], as_json: bool) -> int:
    from assets_store.terminal import console
    from docnav_pipeline.opening import opened_or_empty
    from docnav_pipeline.plan import make_plan

    with opened_or_empty(store) as opened:
        plan = make_plan(opened, listing(opened))
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
