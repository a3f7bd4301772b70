"""Clear away: old snapshots, and files that neither a kept snapshot nor the working state needs."""

from __future__ import annotations

from dataclasses import dataclass

from assets_store.schemas import TABLES
from assets_store.store import Store


@dataclass(frozen=True, slots=True)
class Collected:
    """What was removed."""

    snapshots: tuple[str, ...]
    files: int
    bytes: int


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
    n_files = n_bytes = 0
    for table in TABLES:
        needed = {part["file"] for m in manifests for part in m["tables"].get(table, {}).values()} | {p.file for p in store.heads(table)}
        for file in set(store.files.names(f"parts/{table}")) - needed:
            path = f"parts/{table}/{file}"
            n_bytes += store.files.size(path)
            n_files += 1
            store.files.delete(path)
    for folder in set(store.files.names("indexes")) - {m["index"] for m in manifests}:
        for file in store.files.names(f"indexes/{folder}"):
            n_bytes += store.files.size(f"indexes/{folder}/{file}") or 0
            n_files += 1
        store.files.delete(f"indexes/{folder}")
    return Collected(gone, n_files, n_bytes)
