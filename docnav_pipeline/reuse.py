"""Cost follows change: rows of unchanged documents are kept, the rest is built anew, rows of gone documents are dropped.

A document's rows are kept as long as their key stays the same: the hash of stage, code version, settings and the keys of the
stage before. Keys stand in the provenance of each part, also for documents that gave no row, so that "nothing to do" is known.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from assets_store.rows import Provenance, empty_rows
from assets_store.schemas import TableSpec
from assets_store.store import Store
from docnav_pipeline.memory import give_back_memory

# Documents whose rows are made and held at a time: enough to keep models and columns busy, whatever the size of a shard.
_BATCH = 64

Build = Callable[[list[str]], Mapping[str, pl.DataFrame]]


@dataclass(slots=True)
class Refreshed:
    """Counts of a refresh; documents for tables by shard, parts for corpus tables."""

    reused: int = 0
    recomputed: int = 0
    deleted: int = 0
    seconds: float = 0.0
    rows: dict[str, int] = field(default_factory=dict)
    bytes: dict[str, int] = field(default_factory=dict)

    def __iadd__(self, other: Refreshed) -> Refreshed:
        self.reused += other.reused
        self.recomputed += other.recomputed
        self.deleted += other.deleted
        self.seconds += other.seconds
        for mine, theirs in ((self.rows, other.rows), (self.bytes, other.bytes)):
            for name, n in theirs.items():
                mine[name] = mine.get(name, 0) + n
        return self


def stale_documents(
    store: Store, specs: Sequence[TableSpec], part: str, wanted: Mapping[str, str], retry: Collection[str] = ()
) -> tuple[list[str], set[str]]:
    """Documents of one part that must be built, sorted, and those whose rows must go."""
    held = [store.provenance(spec.name, part).inputs for spec in specs]
    todo = sorted(d for d, key in wanted.items() if d in retry or any(inputs.get(d) != key for inputs in held))
    return todo, {d for inputs in held for d in inputs} - wanted.keys()


def is_up_to_date(store: Store, specs: Sequence[TableSpec], part: str, maker: Mapping[str, Any]) -> bool:
    """Whether a part is there in all tables and was made by this maker, which the keys of its documents tell unless it has none."""
    heads = all(store.head(spec.name, part) is not None for spec in specs)
    return heads and all(store.provenance(spec.name, part).maker == json.loads(json.dumps(maker)) for spec in specs)


def refresh_part(
    store: Store,
    specs: Sequence[TableSpec],
    part: str,
    wanted: Mapping[str, str],
    build: Build,
    maker: Mapping[str, Any],
    retry: Collection[str] = (),
) -> Refreshed:
    """Bring one part of one or more tables up to date.

    wanted: doc_id -> key of every document that the part should hold. build: makes rows (without `doc_version`) by table name
    for some documents, a few at a time; a table that it leaves out has no rows. retry: documents to build although their key is
    unchanged. Nothing is read or written when nothing changed. Memory holds the rows of a few documents, not the part.
    """
    started = time.perf_counter()
    todo, gone = stale_documents(store, specs, part, wanted, retry)
    result = Refreshed(reused=len(wanted) - len(todo), recomputed=len(todo), deleted=len(gone))
    if todo or gone or not is_up_to_date(store, specs, part, maker):
        stale = set(todo)
        with ExitStack() as stack:
            writers = [stack.enter_context(store.writer(spec, part, Provenance(wanted, maker))) for spec in specs]
            for documents in batches(sorted(wanted)):
                mine = [doc_id for doc_id in documents if doc_id in stale]
                built = build(mine) if mine else {}
                kept = [doc_id for doc_id in documents if doc_id not in stale]
                for spec, writer in zip(specs, writers, strict=True):
                    writer.append(_merged(store, spec, part, kept, mine, wanted, built))
        give_back_memory()
    for spec in specs:
        head = store.head(spec.name, part)
        if head is not None:
            result.rows[spec.name], result.bytes[spec.name] = head.rows, head.bytes
    result.seconds = time.perf_counter() - started
    return result


def batches(documents: Sequence[str]) -> Iterator[Sequence[str]]:
    """Documents in groups that are worked on, and kept in one piece of a file, together."""
    for start in range(0, len(documents), _BATCH):
        yield documents[start : start + _BATCH]


def _merged(
    store: Store,
    spec: TableSpec,
    part: str,
    kept: Sequence[str],
    todo: Sequence[str],
    wanted: Mapping[str, str],
    built: Mapping[str, pl.DataFrame],
) -> pl.DataFrame:
    """Rows of some documents: of the last version of the part, and new ones with their key."""
    old = store.read(spec.name, [part], documents=kept) if kept else empty_rows(spec)
    if spec.name not in built:
        return old
    keys = pl.DataFrame({"doc_id": todo, "doc_version": [wanted[d] for d in todo]}, schema={"doc_id": pl.String, "doc_version": pl.String})
    new = built[spec.name].join(keys, on="doc_id", how="left", maintain_order="left")
    return pl.concat([old, new.select(spec.names)], how="vertical_relaxed") if new.height else old


def refresh_corpus_part(
    store: Store, spec: TableSpec, part: str, inputs: Mapping[str, str], build: Callable[[], pl.DataFrame], maker: Mapping[str, Any]
) -> Refreshed:
    """Bring one part of a corpus table up to date: kept when it was made from the same inputs, else built whole."""
    started = time.perf_counter()
    head = store.head(spec.name, part)
    is_good = head is not None and store.provenance(spec.name, part).inputs == inputs
    if not is_good:
        head = store.write(spec, part, build(), Provenance(inputs, maker))
        give_back_memory()
    result = Refreshed(reused=int(is_good), recomputed=int(not is_good), seconds=time.perf_counter() - started)
    if head is not None:
        result.rows[spec.name], result.bytes[spec.name] = head.rows, head.bytes
    return result
