"""The corpus: which source files the store knows, kept per shard as `corpus/SHARD.json`.

It is what a listing found, compared by content; the tables follow it. Documents outside the listed path stay as they are.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from assets_store.errors import SourceError
from assets_store.ids import content_hash, document_id, shard_key, shard_of
from assets_store.names import find_documents, name_index
from assets_store.store import Store
from docnav_pipeline.roots import Root, absolute_path, owner, read_roots, register, write_roots
from docnav_pipeline.sources import SourceFile, list_sources


@dataclass(frozen=True, slots=True)
class Changes:
    """What a listing changed, as doc_ids."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)


@dataclass(frozen=True, slots=True)
class Listing:
    """What a look at the sources found. sources: all documents that the store should know, by doc_id; roots: as they are then."""

    changes: Changes
    sources: dict[str, SourceFile]
    roots: list[Root]


def read_corpus(store: Store, shard: str) -> dict[str, SourceFile]:
    """Known source files of one shard, by doc_id."""
    path = f"corpus/{shard}.json"
    if not store.files.exists(path):
        return {}
    rows = store.files.read_json(path)
    return {row["doc_id"]: SourceFile(**{**row, "access_labels": tuple(row["access_labels"])}) for row in rows}


def corpus_digest(store: Store, shard: str) -> str:
    """Hash of the known source files of one shard: changes with every addition, edit and removal."""
    path = f"corpus/{shard}.json"
    return content_hash(store.files.read(path), length=16) if store.files.exists(path) else ""


def refresh_corpus(
    store: Store,
    paths: Iterable[Path],
    kb: str,
    product_version: str,
    include: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
) -> Changes:
    """List paths and bring the corpus up to date: what is new, edited, or vanished below them. See `list_corpus`."""
    listing = list_corpus(store, paths, kb, product_version, include, exclude)
    write_listing(store, listing)
    return listing.changes


def list_corpus(
    store: Store,
    paths: Iterable[Path],
    kb: str,
    product_version: str,
    include: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
) -> Listing:
    """What is new, edited, or vanished below some paths; writes nothing.

    include, exclude: new globs of the roots; None keeps those that they have. Raises SourceError when a path does not exist, is
    never indexed, or cannot be listed.
    """
    roots = read_roots(store)
    wanted = [absolute_path(path, store.location) for path in paths]
    for path in wanted:
        roots = register(roots, path, kb, product_version, include, exclude)
    places: list[tuple[Root, Path]] = []
    for path in dict.fromkeys(path for path in wanted if not any(other in path.parents for other in wanted)):
        root = owner(roots, path, kb, product_version)
        if root is None:
            raise SourceError(f"{path} belongs to no registered root; this is a fault of docnav.")
        places.append((root, path))
    return _listing(store, roots, places)


def list_registered(store: Store, roots: list[Root], only: Sequence[Root] | None = None) -> Listing:
    """What is new, edited, or vanished in all that roots have listed; writes nothing. only: those that are looked at, None for all.

    A file that was listed by name is removed when it is gone and its folder is there. Raises SourceError where a folder is gone or
    cannot be listed, because a disk that is away is not an empty corpus.
    """
    return _listing(store, roots, [(root, Path(root.path) / name) for root in (roots if only is None else only) for name in root.listed])


def write_listing(store: Store, listing: Listing) -> None:
    """Make what a listing found what the store knows. Call it while holding the right to write."""
    # Roots first: a document without a root would be taken for a vanished one.
    if listing.roots != read_roots(store):
        write_roots(store, listing.roots)
    changes = listing.changes
    if changes:
        _write(store, listing.sources, {*changes.added, *changes.changed, *changes.removed})


def _listing(store: Store, roots: list[Root], places: Iterable[tuple[Root, Path]]) -> Listing:
    known = {doc_id: source for shard in store.shard_keys for doc_id, source in read_corpus(store, shard).items()}
    updated = {doc_id: source for doc_id, source in known.items() if _has_root(source, roots)}
    for root, path in places:
        is_gone = str(path) != root.path and not path.exists() and path.parent.is_dir()
        found = [] if is_gone else list(list_sources(root, path, store.location))
        updated = {doc_id: source for doc_id, source in updated.items() if not _is_below(source, root, path)}
        for source in found:
            placed = _without_collision(source, updated)
            updated[placed.doc_id] = placed
    changes = Changes(
        tuple(sorted(updated.keys() - known.keys())),
        tuple(sorted(d for d in updated.keys() & known.keys() if updated[d] != known[d])),
        tuple(sorted(known.keys() - updated.keys())),
    )
    return Listing(changes, updated, roots)


def remove_document(store: Store, name: str) -> list[SourceFile]:
    """Take one document out by doc_id, file name, stem or uri, and remember that, so that a listing does not bring it back.

    The name of a JSONL file takes all its lines out. Raises UnknownDocument when nothing matches, SourceError when documents of
    several files do.
    """
    known = {doc_id: source for shard in store.shard_keys for doc_id, source in read_corpus(store, shard).items()}
    index = name_index((source.doc_id, source.doc, source.uri) for source in known.values())
    found = [known[doc_id] for doc_id in find_documents(index, name, store.location)]
    if len({source.path for source in found}) > 1:
        matches = ", ".join(sorted(f"{source.uri} ({source.doc_id})" for source in found)[:5])
        raise SourceError(f"{name!r} matches {len(found)} documents: {matches}. Nothing was removed; name one by its doc_id.")
    gone = {source.doc_id for source in found}
    roots = [
        replace(root, removed=tuple(sorted({*root.removed, *(s.uri for s in found if _is_of(s, root))}))) for root in read_roots(store)
    ]
    write_roots(store, roots)
    _write(store, {d: s for d, s in known.items() if d not in gone}, gone)
    return found


def _write(store: Store, sources: dict[str, SourceFile], touched: set[str]) -> None:
    shards: dict[str, list[SourceFile]] = defaultdict(list)
    for source in sources.values():
        shards[shard_key(shard_of(source.doc_id, store.settings.shards))].append(source)
    for shard in sorted({shard_key(shard_of(doc_id, store.settings.shards)) for doc_id in touched}):
        rows = [asdict(source) for source in sorted(shards[shard], key=lambda s: s.doc_id)]
        store.files.write(f"corpus/{shard}.json", json.dumps(rows, indent=1).encode())


def _is_of(source: SourceFile, root: Root) -> bool:
    return (source.root, source.kb, source.product_version) == (root.path, root.kb, root.product_version)


def _has_root(source: SourceFile, roots: Iterable[Root]) -> bool:
    return any(_is_of(source, root) for root in roots)


def _is_below(source: SourceFile, root: Root, below: Path) -> bool:
    return _is_of(source, root) and (source.path == below or below in source.path.parents)


def _without_collision(source: SourceFile, others: dict[str, SourceFile]) -> SourceFile:
    """Two roots of one knowledge base may hold the same relative path: the later one's id also depends on its root."""
    other = others.get(source.doc_id)
    if other is None or other.root == source.root:
        return source
    return replace(source, doc_id=document_id(f"{source.kb}\n{source.root}", source.product_version, source.uri))
