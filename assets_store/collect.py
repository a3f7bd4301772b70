"""Clear away: old snapshots, and files that neither a kept snapshot nor the working state needs."""

from __future__ import annotations

from dataclasses import dataclass

from assets_store.schemas import TABLES
from assets_store.store import Store

# Longer than any table takes to write: a run on another machine may be at it.
_FORSAKEN_S = 24 * 3600.0


@dataclass(frozen=True, slots=True)
class Collected:
    """What was removed."""

    snapshots: tuple[str, ...]
    files: int
    bytes: int


def report_path(snapshot_id: str) -> str:
    """Where the page about the graph of a snapshot is. It names documents, so it goes when the snapshot goes."""
    return f"reports/{snapshot_id}.html"


def collect(store: Store, keep: int) -> Collected:
    """Keep the current snapshot and the `keep` newest, the working state, and what they name; remove the rest.

    Call it while holding `store.writing()`. Snapshots go before their files, so that none that is left lacks a file.
    """
    current = store.log.current_id()
    ids = store.log.ids()
    kept = {*ids[-keep:], *([current] if current else [])}
    manifests = [store.log.open(name).manifest for name in sorted(kept)]
    gone = tuple(name for name in ids if name not in kept)
    for name in gone:
        store.files.delete(f"snapshots/{name}.json")
        store.files.delete(report_path(name))
    unneeded: list[str] = []
    for table in TABLES:
        needed = {part["file"] for m in manifests for part in m["tables"].get(table, {}).values()} | {p.file for p in store.heads(table)}
        unneeded += [f"parts/{table}/{file}" for file in store.files.names(f"parts/{table}") if file not in needed]
    unneeded += [f"indexes/{name}" for name in store.files.names("indexes") if name not in {m["index"] for m in manifests}]
    store.files.clear_scratch(_FORSAKEN_S)
    sizes = [store.files.size(path) for path in unneeded]
    for path in unneeded:
        store.files.delete(path)
    return Collected(gone, sum(n for n, _ in sizes), sum(n for _, n in sizes))
