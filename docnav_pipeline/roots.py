"""Registered roots: folders that were given to `docnav index`, each with its knowledge base and product version.

A file that was given alone has its folder as root. A path belongs to the deepest root above it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from assets_store.errors import SourceError
from assets_store.ids import file_uri, split_uri
from assets_store.store import Store

_REGISTRY = "sources.json"


@dataclass(frozen=True, slots=True)
class Root:
    """One registered root. include, exclude: globs of the whole root. removed: uris that a person took out with `docnav remove`.

    listed: what of it was given to `docnav index` and is looked at again, as paths relative to it; "" for all of it.
    labels: access labels of its documents. declared: settings file whose `[[source]]` it is, empty for none.
    """

    path: str
    kb: str
    product_version: str
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    declared: str = ""

    def holds(self, path: Path) -> bool:
        """Whether an absolute path is this root or lies below it."""
        return path == Path(self.path) or Path(self.path) in path.parents


def read_roots(store: Store) -> list[Root]:
    """Registered roots, in order of registration."""
    if not store.files.exists(_REGISTRY):
        return []
    rows = store.files.read_json(_REGISTRY)
    return [
        Root(
            path=row["path"],
            kb=row["kb"],
            product_version=row["product_version"],
            include=tuple(row["include"]),
            exclude=tuple(row["exclude"]),
            removed=tuple(row["removed"]),
            # Not in registries of before: what they hold is looked at again once it was given again.
            listed=tuple(row.get("listed", ())),
            labels=tuple(row.get("labels", ())),
            declared=row.get("declared", ""),
        )
        for row in rows
    ]


def write_roots(store: Store, roots: Sequence[Root]) -> None:
    """Replace the registry."""
    store.files.write(_REGISTRY, json.dumps([asdict(root) for root in roots], indent=1).encode())


def absolute_path(path: Path, store_location: str) -> Path:
    """The absolute path of what a person named.

    Raises SourceError when it does not exist, is hidden, or lies in the store, which are never indexed.
    """
    if not path.exists():
        raise SourceError(f"{path} does not exist. Nothing was removed; check the path, or use `docnav remove DOC` to take documents out.")
    absolute, store = path.resolve(), Path(store_location)
    if absolute == store or store in absolute.parents:
        raise SourceError(f"{path} lies in the store {store_location}, which is never indexed. Nothing was changed.")
    if absolute.name.startswith("."):
        raise SourceError(f"{path} is hidden, and hidden files and folders are never indexed. Nothing was changed; give it another name.")
    return absolute


def owner(roots: Sequence[Root], path: Path, kb: str, product_version: str) -> Root | None:
    """The deepest root of a knowledge base and version that holds an absolute path."""
    found = [root for root in roots if (root.kb, root.product_version) == (kb, product_version) and root.holds(path)]
    return max(found, key=lambda root: len(Path(root.path).parts), default=None)


def register(
    roots: Sequence[Root], path: Path, kb: str, product_version: str, include: Sequence[str] | None, exclude: Sequence[str] | None
) -> list[Root]:
    """Roots among which one holds an absolute path.

    A folder takes in the roots of its knowledge base and version that lie below it, with what was removed there; a single file
    takes in none, because only that file is listed. Globs replace those of the root (None keeps them) and are for a whole root:
    SourceError when they are given for a part of one.
    """
    root = owner(roots, path, kb, product_version) or Root(str(path if path.is_dir() else path.parent), kb, product_version)
    if (include is not None or exclude is not None) and str(path) != root.path:
        raise SourceError(
            f"--include and --exclude hold for a whole root, and {path} is a part of {root.path}. Index {root.path} with them."
        )
    if any(part.startswith(".") for part in path.relative_to(root.path).parts):
        raise SourceError(f"{path} lies in a hidden folder, and hidden folders are never indexed. Nothing was changed.")
    changed = replace(
        root, include=root.include if include is None else tuple(include), exclude=root.exclude if exclude is None else tuple(exclude)
    )
    changed = replace(changed, listed=_listed(changed, path))
    taken_in = [other for other in roots if str(path) == root.path and path.is_dir() and _is_below(other, root)]
    for other in taken_in:
        prefix = file_uri(Path(other.path).relative_to(root.path))
        changed = replace(changed, removed=tuple(sorted({*changed.removed, *(f"{prefix}/{uri}" for uri in other.removed)})))
    if not path.is_dir():  # asking for a file by name takes back its removal
        uri = file_uri(path.relative_to(root.path))
        changed = replace(changed, removed=tuple(r for r in changed.removed if file_uri(Path(split_uri(r)[0])) != uri))
    kept = [changed if other == root else other for other in roots if other not in taken_in]
    return kept if changed in kept else [*kept, changed]


def _listed(root: Root, path: Path) -> tuple[str, ...]:
    """What of a root is looked at again once a path of it was given."""
    if str(path) == root.path:
        return ("",) if path.is_dir() else root.listed
    name = path.relative_to(root.path).as_posix()
    is_covered = any(held in ("", name) or name.startswith(f"{held}/") for held in root.listed)
    return root.listed if is_covered else tuple(sorted({*root.listed, name}))


def _is_below(other: Root, root: Root) -> bool:
    same = (other.kb, other.product_version) == (root.kb, root.product_version)
    return same and Path(root.path) in Path(other.path).parents
