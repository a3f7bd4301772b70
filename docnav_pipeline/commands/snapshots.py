"""`docnav snapshots`, `docnav rollback`, `docnav gc`: committed versions, going back, and clearing away."""

from __future__ import annotations

import click

from assets_store.commandline import json_option, print_json, store_option


@click.command()
@store_option
@json_option
def snapshots(store: str, as_json: bool) -> int:
    """Committed versions, newest first; `*` marks the current one."""
    from assets_store.store import Store
    from assets_store.terminal import console

    log = Store.open(store).log
    current = log.current_id()
    rows = [
        {**{k: log.manifest(i)[k] for k in ("id", "parent", "created", "counts")}, "current": i == current} for i in reversed(log.ids())
    ]
    if as_json:
        print_json({"snapshots": rows})
        return 0
    for row in rows:
        counts = row["counts"]
        mark = "*" if row["current"] else " "
        console().print(f"{mark} {row['id']}  {row['created']}  {counts['documents']} documents, {counts['paragraphs']} paragraphs")
    return 0


@click.command()
@click.argument("snapshot_id", metavar="ID")
@store_option
def rollback(snapshot_id: str, store: str) -> int:
    """Make snapshot ID the current one. The next `docnav index` goes on from there."""
    from assets_store.store import Store
    from assets_store.terminal import console
    from docnav_pipeline.opening import writing

    opened = Store.open(store)
    with writing(opened):
        snapshot = opened.rollback(snapshot_id)
    console().print(f"snapshot {snapshot.id} is current")
    return 0


@click.command()
@store_option
@click.option("--keep", type=click.IntRange(min=1), default=1, show_default=True, help="Newest snapshots to keep, the current one besides.")
@click.option("--replies", is_flag=True, help="Also delete kept replies of language models, which may tell of documents that are gone.")
@json_option
def gc(store: str, keep: int, replies: bool, as_json: bool) -> int:
    """Delete old snapshots and the files that no kept snapshot needs."""
    from assets_store.collect import collect
    from assets_store.store import Store
    from assets_store.terminal import console
    from docnav_pipeline.opening import writing

    opened = Store.open(store)
    with writing(opened):
        done = collect(opened, keep, replies)
    if as_json:
        print_json({"snapshots": done.snapshots, "files": done.files, "bytes": done.bytes})
    else:
        console().print(f"removed {len(done.snapshots)} snapshots, {done.files} files, {done.bytes / 1e6:.1f} MB")
    return 0
