"""A look at all registered sources: what changed since the last one, and whether anything did, found by looking at no content."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from assets_store.errors import SourceError
from assets_store.store import Store
from docnav_pipeline.corpus import Listing, list_registered
from docnav_pipeline.declared import Declaration, declare, read_declaration, store_declaration
from docnav_pipeline.roots import Root, read_roots


def declared_roots(store: Store, given: Declaration | None = None) -> tuple[list[Root], list[str]]:
    """Registered roots as the settings files that declare some want them now, and what could not be fetched.

    given: the only settings file to look at; without it, the store's own and all that were given before.
    """
    roots, faults = read_roots(store), list[str]()
    own = store_declaration(store)
    declarations = [given] if given else [own] if own else []
    if given is None:
        origins = {root.declared for root in roots if root.declared} - {own.origin if own else ""}
        declarations += [read_declaration(Path(origin)) for origin in sorted(origins)]
    for declaration in declarations:
        roots, more = declare(store, roots, declaration)
        faults += more
    return roots, faults


def list_declared(store: Store, declaration: Declaration) -> tuple[Listing, list[str]]:
    """What is new, edited, or vanished in the sources of a settings file, and what could not be fetched; writes nothing to the store."""
    roots, faults = declared_roots(store, declaration)
    return list_registered(store, roots, [root for root in roots if root.declared == declaration.origin]), faults


def shape_of(roots: Iterable[Root], store_location: str) -> str:
    """Hash of names, sizes and times of change of all that roots have listed: another one means that something may have changed.

    The time is that of the inode, which every writing, renaming and copying sets. Raises SourceError for a folder that cannot be listed.
    """
    digest = hashlib.sha256()
    for root in sorted(roots, key=lambda root: (root.path, root.kb, root.product_version)):
        digest.update(repr(root).encode())
        for name in root.listed:
            for path, state in _states(Path(root.path) / name, Path(store_location)):
                facts = f"{path}\n{state.st_size} {state.st_ctime_ns} {state.st_mtime_ns} {state.st_ino}\n"
                digest.update(facts.encode(errors="surrogateescape"))
    return digest.hexdigest()[:16]


def _states(below: Path, store: Path) -> Iterable[tuple[str, os.stat_result]]:
    """Path and state of every file below a folder that is not hidden, in order; of links, of what they lead to."""
    try:
        if not below.is_dir():
            if below.exists():
                yield str(below), below.stat()
            elif not below.parent.is_dir():
                raise FileNotFoundError(2, "No such file or directory", str(below))
            return
        entries = sorted(os.scandir(below), key=lambda entry: entry.name)
    except OSError as error:
        raise SourceError(f"cannot list {error.filename}: {error.strerror}. Nothing was changed; make it readable.") from error
    for entry in entries:
        if entry.name.startswith(".") or Path(entry.path) == store:
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _states(Path(entry.path), store)
            continue
        try:
            yield entry.path, entry.stat()
        except OSError:  # a link that leads nowhere, or a file that went meanwhile
            continue
