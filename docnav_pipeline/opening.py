"""Open a store for writing, making it first where there is none."""

from __future__ import annotations

from pathlib import Path

from assets_store.errors import NoStore, SettingsError
from assets_store.files import Files
from assets_store.settings import SETTINGS_FILE, Profile, load_settings
from assets_store.store import Store


def open_or_create(location: str, profile: Profile | None = None) -> Store:
    """The store at a place, or a new one with the settings of a docnav.toml that waits there.

    Raises SettingsError when a profile is asked for that is not the store's.
    """
    try:
        store = Store.open(location)
    except NoStore:
        return create(location, profile or "local")
    if profile is not None and profile != store.settings.profile:
        raise SettingsError(
            f"store {store.location} was made with profile {store.settings.profile!r}, not {profile!r}. "
            "A profile is chosen when a store is made: use another --store."
        )
    return store


def create(location: str, profile: Profile) -> Store:
    """A new store. A docnav.toml in the folder is taken as it is; StoreError where a store stands already."""
    files = Files(location)
    if files.is_local and Path(files.root).is_file():
        raise SettingsError(f"{files.root} is a file; --store needs a folder.")
    text = files.read_text(SETTINGS_FILE) if files.exists(SETTINGS_FILE) else f'profile = "{profile}"\n'
    return Store.create(location, load_settings(text, f"{files.location}/{SETTINGS_FILE}"))
