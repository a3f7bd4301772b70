"""Sources that a docnav.toml declares as `[[source]]`: one more way to register roots."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from assets_store.errors import SettingsError, SourceError
from assets_store.ids import content_hash
from assets_store.settings import SETTINGS_FILE, Settings, load_settings
from assets_store.source_settings import SourceSettings
from assets_store.store import Store
from docnav_pipeline.roots import Root, absolute_path

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Declaration:
    """A settings file with its sources. base: folder that its paths are relative to. others: what the file sets beside its sources."""

    origin: str
    base: Path
    settings: Settings
    others: Mapping[str, Any]


def read_declaration(path: Path) -> Declaration:
    """Sources of a docnav.toml. Raises SettingsError where it cannot be read or declares none."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}. Expected a docnav.toml with [[source]] entries.") from error
    settings = load_settings(text, str(path))
    others = {name: value for name, value in tomllib.loads(text).items() if name != "source"}
    found = Declaration(str(path.resolve()), path.resolve().parent, settings, others)
    if not found.settings.source:
        raise SettingsError(f"{path} declares no source; expected at least one [[source]] as docs/settings.md describes it, or give PATHs.")
    return found


def store_declaration(store: Store) -> Declaration | None:
    """Sources of the store's own docnav.toml; None where it declares none. Of one on object storage, the working folder is the base."""
    if not store.settings.source:
        return None
    base = Path(store.files.root) if store.files.is_local else Path.cwd()
    return Declaration(f"{store.location}/{SETTINGS_FILE}", base, store.settings, {})


def declare(store: Store, roots: Sequence[Root], declaration: Declaration) -> tuple[list[Root], list[str]]:
    """Roots as a settings file wants them, and what could not be fetched, as sentences. Buckets and addresses are copied first.

    A root that this file declared before and declares no more is left out, and its documents leave with it; what a person removed
    stays removed. Raises SourceError for a source that does not exist, cannot be listed, or lies in another one.
    """
    faults: list[str] = []
    declared: list[Root] = []
    known = {(root.path, root.kb, root.product_version): root for root in roots}
    for source in declaration.settings.source:
        path = _place(store, source, declaration, faults)
        folder, listed = (path, "") if path.is_dir() else (path.parent, path.name)
        held = known.get((str(folder), source.kb, source.product_version))
        declared.append(
            replace(
                held or Root(str(folder), source.kb, source.product_version),
                include=source.include,
                exclude=source.exclude,
                listed=(listed,),
                labels=source.labels,
                declared=declaration.origin,
            )
        )
    places = [(root.path, root.kb, root.product_version) for root in declared]
    others = [root for root in roots if root.declared != declaration.origin and (root.path, root.kb, root.product_version) not in places]
    for at, root in enumerate(declared):
        _refuse_overlap(root, [*declared[:at], *others], declaration)
    return [*others, *declared], faults


def _place(store: Store, source: SourceSettings, declaration: Declaration, faults: list[str]) -> Path:
    """Local folder or file of a source, brought up to date."""
    if source.folder:
        return absolute_path(declaration.base / Path(source.folder).expanduser(), store.location)
    # Loads a client for the network, which only these sources need.
    from docnav_pipeline.mirror import mirror_addresses, mirror_bucket

    what = source.bucket or source.url_list or "\n".join(source.urls)
    own = user_cache_path("docnav") / "sources" / content_hash(store.location, source.kb, source.product_version, what, length=16)
    target = declaration.base / Path(source.mirror).expanduser() if source.mirror else own
    if source.bucket:
        mirror_bucket(source.bucket, target)
    else:
        limit = declaration.settings.parsing.max_file_mb * _MIB
        faults += mirror_addresses(source.urls or _addresses(declaration.base / source.url_list), target, limit)
    return absolute_path(target, store.location)


def _addresses(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{path} cannot be read: {error}. Expected a text file with one address a line.") from error
    found = [line.partition(" #")[0].strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    wrong = [line for line in found if not line.startswith(("http://", "https://"))]
    if wrong or not found:
        raise SourceError(f"{path}: expected addresses that begin with http:// or https://, found {wrong[0] if wrong else 'none'!r}.")
    return found


def _refuse_overlap(root: Root, others: Sequence[Root], declaration: Declaration) -> None:
    for other in others:
        same = (other.kb, other.product_version) == (root.kb, root.product_version)
        if same and (other.holds(Path(root.path)) or root.holds(Path(other.path))):
            raise SourceError(
                f"{declaration.origin}: source {root.path} and root {other.path} overlap and are of one knowledge base and version. "
                "Nothing was changed; leave one of them out, or give it another kb."
            )
