"""Clear away: old snapshots, and files that neither a kept snapshot nor the working state needs."""

from __future__ import annotations

from dataclasses import dataclass

from assets_store import leases
from assets_store.models.language_model import REPLIES
from assets_store.schemas import TABLES
from assets_store.store import Store


@dataclass(frozen=True, slots=True)
class Collected:
    """What was removed."""

    snapshots: tuple[str, ...]
    files: int
    bytes: int


def report_path(snapshot_id: str) -> str:
    """Where the page about the graph of a snapshot is. It names documents, so it goes when the snapshot goes."""
    return f"reports/{snapshot_id}.html"


def collect(store: Store, keep: int, replies: bool = False) -> Collected:
    """Keep the current snapshot, the `keep` newest, those that a reader holds open, the working state, and what they name.

    The rest is removed, and so is what a writer that was killed left unfinished. Call it while holding `store.writing()`.
    Snapshots go before their files, so that none that is left lacks a file. replies: also what a language model answered while indexing;
    it lies in the tables too, but a text that comes back would be asked about again.
    """
    current = store.log.current_id()
    ids = store.log.ids()
    kept = {*ids[-keep:], *([current] if current else [])}
    manifests, gone = [], []
    for name in ids:
        manifest = store.log.manifest(name)
        if name not in kept and leases.take(store.files, f"snapshots/{name}.json"):
            gone.append(name)
            store.files.delete(report_path(name))
        else:
            manifests.append(manifest)
    unneeded: list[str] = []
    for table in TABLES:
        needed = {part["file"] for m in manifests for part in m["tables"].get(table, {}).values()} | {p.file for p in store.heads(table)}
        unneeded += [f"parts/{table}/{file}" for file in store.files.names(f"parts/{table}") if file not in needed]
    unneeded += [f"indexes/{name}" for name in store.files.names("indexes") if name not in {m["index"] for m in manifests}]
    if replies:
        unneeded += [f"{REPLIES}/{name}" for name in store.files.names(REPLIES)]
    unneeded += store.files.unfinished()
    sizes = [store.files.size(path) for path in unneeded]
    for path in unneeded:
        store.files.delete(path)
    return Collected(tuple(gone), sum(n for n, _ in sizes), sum(n for _, n in sizes))
