"""Source files: registered roots, and what lies below them.

A root is a folder that was given to `docnav index`, with its knowledge base and product version; a file that was given alone
has its folder as root. Listing raises when a place cannot be read, because a failed listing is not an empty corpus.
"""

from __future__ import annotations

import fnmatch
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from assets_store.errors import SourceError
from assets_store.ids import document_id
from assets_store.store import Store

_REGISTRY = "sources.json"
_CHUNK = 1024 * 1024
JSONL_SUFFIX = ".jsonl"
OVERRIDES_SUFFIX = ".docnav.toml"


@dataclass(frozen=True, slots=True)
class Root:
    """One registered root. removed: uris that a person took out with `docnav remove`."""

    path: str
    kb: str
    product_version: str
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One document to be: a file, or one entry of a JSONL file (fragment). sha256: of the file or of the entry."""

    doc_id: str
    doc: str
    uri: str
    root: str
    kb: str
    product_version: str
    fragment: str | None
    sha256: str
    bytes: int
    overrides: str = ""
    access_labels: tuple[str, ...] = field(default=())

    @property
    def path(self) -> Path:
        """Where the file lies on this machine."""
        return Path(self.root) / self.uri.partition("#")[0] if self.fragment is not None else Path(self.root) / self.uri


def read_roots(store: Store) -> list[Root]:
    """Registered roots, in order of registration."""
    if not store.files.exists(_REGISTRY):
        return []
    rows: list[dict[str, Any]] = json.loads(store.files.read(_REGISTRY))
    return [
        Root(row["path"], row["kb"], row["product_version"], *(tuple(row[name]) for name in ("include", "exclude", "removed")))
        for row in rows
    ]


def write_roots(store: Store, roots: Sequence[Root]) -> None:
    """Replace the registry."""
    store.files.write(_REGISTRY, json.dumps([asdict(root) for root in roots], indent=1).encode())


def register(
    roots: Sequence[Root], path: Path, kb: str, product_version: str, include: Sequence[str] = (), exclude: Sequence[str] = ()
) -> tuple[list[Root], Root, Path]:
    """Roots with the one that holds `path`, that root, and the absolute path.

    A path below a root of the same knowledge base and version belongs to that root; a new root takes in the roots below it.
    Raises SourceError when the path does not exist.
    """
    if not path.exists():
        raise SourceError(f"{path} does not exist. Nothing was removed; check the path, or use `docnav remove DOC` to take documents out.")
    absolute = path.resolve()
    folder = absolute if absolute.is_dir() else absolute.parent
    same = [root for root in roots if (root.kb, root.product_version) == (kb, product_version)]
    for root in same:
        if folder == Path(root.path) or Path(root.path) in folder.parents:
            changed = replace(root, include=tuple(include) or root.include, exclude=tuple(exclude) or root.exclude)
            if not absolute.is_dir():  # asking for a file by name takes back its removal
                uri = absolute.relative_to(root.path).as_posix()
                changed = replace(changed, removed=tuple(r for r in root.removed if r.partition("#")[0] != uri))
            return [changed if r == root else r for r in roots], changed, absolute
    new = Root(str(folder), kb, product_version, tuple(include), tuple(exclude))
    below = [root for root in same if folder in Path(root.path).parents]
    return [*(root for root in roots if root not in below), new], new, absolute


def list_sources(root: Root, below: Path, store_location: str) -> Iterator[SourceFile]:
    """Every document below a path of a root, by uri.

    Hidden files and folders, the store itself, files of overrides and files outside the globs are left out. Globs are matched
    against the path relative to the root and against the file name. Raises SourceError for what cannot be read.
    """
    for path in _walk(below, Path(store_location)):
        uri = path.relative_to(root.path).as_posix()
        if _is_wanted(uri, root):
            for source in _documents_of(root, path, uri):
                if source.uri not in root.removed:
                    yield source


def _walk(below: Path, store: Path) -> Iterator[Path]:
    if below.is_file():
        yield below
        return

    def fail(error: OSError) -> None:
        raise SourceError(f"cannot list {error.filename}: {error.strerror}. Nothing was changed; make it readable and run this again.")

    for folder, folders, files in os.walk(below, onerror=fail):
        here = Path(folder)
        folders[:] = sorted(name for name in folders if not name.startswith(".") and here / name != store)
        for name in sorted(files):
            path = here / name
            if not name.startswith(".") and not name.endswith(OVERRIDES_SUFFIX) and path.is_file():
                yield path


def _is_wanted(uri: str, root: Root) -> bool:
    def hits(globs: Iterable[str]) -> bool:
        return any(fnmatch.fnmatch(uri, glob) or fnmatch.fnmatch(PurePosixPath(uri).name, glob) for glob in globs)

    return (not root.include or hits(root.include)) and not hits(root.exclude)


def _documents_of(root: Root, path: Path, uri: str) -> Iterator[SourceFile]:
    try:
        size, digest = path.stat().st_size, _sha256(path)
        beside = path.with_name(path.name + OVERRIDES_SUFFIX)
        overrides = beside.read_text(encoding="utf-8") if beside.is_file() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"cannot read {path}: {error}. Nothing was changed; make it readable and run this again.") from error

    def source(name: str, fragment: str | None, sha256: str, n_bytes: int) -> SourceFile:
        place = uri if fragment is None else f"{uri}#{fragment}"
        return SourceFile(
            document_id(root.kb, root.product_version, place),
            name,
            place,
            root.path,
            root.kb,
            root.product_version,
            fragment,
            sha256,
            n_bytes,
            overrides,
        )

    entries = _jsonl_entries(path) if path.suffix.lower() == JSONL_SUFFIX and size else []
    if not entries:
        yield source(path.name, None, digest, size)
    for fragment, sha256, n_bytes in entries:
        yield source(path.name if fragment is None else fragment, fragment, sha256, n_bytes)


def _jsonl_entries(path: Path) -> list[tuple[str | None, str, int]]:
    from docnav_pipeline.parsing.jsonl import list_entries

    return [(entry.fragment, entry.digest, entry.n_bytes) for entry in list_entries(path)]


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
