"""Open a store for writing, making it first where there is none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import tomli_w

from assets_store.errors import NoStore, SettingsError, StoreError
from assets_store.files import Files
from assets_store.migrations import drop_unreadable, outdated_tables, unreadable_snapshots
from assets_store.schemas import SCHEMA_VERSION
from assets_store.settings import SETTINGS_FILE, Profile, load_settings
from assets_store.store import Store
from assets_store.terminal import complain
from docnav_pipeline.declared import Declaration


def open_or_create(location: str, profile: Profile | None = None, settings: Declaration | None = None) -> Store:
    """The store at a place, or a new one with the settings of a docnav.toml that waits there, else of the one that declares its sources.

    Raises SettingsError when a profile is asked for that is not the store's, or when a file sets what the store has otherwise.
    """
    try:
        store = Store.open(location)
    except NoStore:
        try:
            return create(location, profile or "local", settings)
        except StoreError:
            store = Store.open(location)  # another process made it between the two looks
    if profile is not None and profile != store.settings.profile:
        raise SettingsError(
            f"store {store.location} was made with profile {store.settings.profile!r}, not {profile!r}. "
            "A profile is chosen when a store is made: use another --store."
        )
    if settings is not None:
        _refuse_other_settings(store, settings)
    return store


def _refuse_other_settings(store: Store, declaration: Declaration) -> None:
    """What a file that declares sources sets beside them must hold in the store, or it would be without effect and nobody would know."""
    held = store.settings.model_dump()
    other = sorted(name for name, value in declaration.others.items() if _differs(value, held[name]))
    if other:
        raise SettingsError(
            f"{declaration.origin} sets {', '.join(other)} otherwise than {store.location}/{SETTINGS_FILE}, which counts. "
            "Set them there, or leave them out."
        )


def _differs(said: Any, held: Any) -> bool:
    if isinstance(said, dict) and isinstance(held, dict):
        return any(_differs(value, held[key]) for key, value in said.items())
    return bool(said != held)


def create(location: str, profile: Profile, settings: Declaration | None = None) -> Store:
    """A new store. A docnav.toml in the folder is taken as it is, else the settings given; StoreError where a store stands already."""
    files = Files(location)
    if files.is_local and Path(files.root).is_file():
        raise SettingsError(f"{files.root} is a file; --store needs a folder.")
    given = {"profile": profile, **(settings.others if settings else {})}
    text = files.read_text(SETTINGS_FILE) if files.exists(SETTINGS_FILE) else tomli_w.dumps(given)
    if settings is not None and not files.exists(SETTINGS_FILE):
        files.write(SETTINGS_FILE, text.encode())
    return Store.create(location, load_settings(text, f"{files.location}/{SETTINGS_FILE}"))


def create_from(location: str, config: Path) -> Store:
    """A new store whose docnav.toml is a copy of a file, with the sources that it declares.

    Raises SettingsError where the file cannot be read or says what is no setting, or where another one waits in the folder already, and
    StoreError where a store stands.
    """
    files = Files(location)
    try:
        text = config.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{config} cannot be read: {error}. Expected a docnav.toml as docs/settings.md describes it.") from error
    settings = load_settings(text, str(config))
    if files.exists(SETTINGS_FILE) and files.read_text(SETTINGS_FILE) != text:
        raise SettingsError(f"{files.location}/{SETTINGS_FILE} differs from {config}. Leave --config out, or remove one of the two.")
    files.write(SETTINGS_FILE, text.encode())
    return Store.create(location, settings)


@contextmanager
def writing(store: Store) -> Iterator[None]:
    """The right to write to a store, once every other process that writes to it has ended; people are told that they wait."""
    said = f"another process is writing to {store.location}; waiting for it to end"
    with store.writing(timeout_s=-1, on_wait=lambda: complain(said)):
        yield


@contextmanager
def upgrading(store: Store) -> Iterator[None]:
    """Tell people what a run makes of a store that an older docnav wrote. Enter it while holding the right to write."""
    before = store.facts["schema_version"]
    outdated: list[str] = []
    if before < SCHEMA_VERSION:
        outdated = sorted({*outdated_tables(store), *drop_unreadable(store)})
    yield
    if before == SCHEMA_VERSION or Store.open(store.location).facts["schema_version"] == before:
        return
    made = f"made anew: {', '.join(outdated)}" if outdated else "no table had to be made anew"
    complain(f"store {store.location} was upgraded from schema version {before} to {SCHEMA_VERSION}; {made}")
    for snapshot_id, reason in unreadable_snapshots(store).items():
        complain(f"snapshot {snapshot_id} can no longer be read: {reason}")


@contextmanager
def opened_or_empty(location: str) -> Iterator[Store]:
    """The store at a place for looking only; where there is none, an empty one that is gone afterwards, with the settings it would have."""
    try:
        store = Store.open(location)
    except NoStore:
        files = Files(location)
        text = files.read_text(SETTINGS_FILE) if files.exists(SETTINGS_FILE) else ""
        with TemporaryDirectory(prefix="docnav-plan-") as folder:
            yield Store.create(folder, load_settings(text, f"{files.location}/{SETTINGS_FILE}"))
        return
    yield store
