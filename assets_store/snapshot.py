"""Snapshots: which file of which table makes a version; commit, open, list, roll back, collect."""

from __future__ import annotations

import json
import weakref
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from assets_store import leases
from assets_store.errors import NoStore, SchemaError, StoreError, StoreVersionError, UnknownSnapshot
from assets_store.files import DAMAGED, Files
from assets_store.ids import content_hash
from assets_store.locks import ensure_held
from assets_store.schemas import SCHEMA_VERSION, TABLES

_CURRENT = "CURRENT"
_NOT_CONTENT = ("id", "parent", "created")
_NAMED = {"id", "parent", "created", "schema_version", "tables", "index", "models", "settings", "counts"}


class Snapshot:
    """One committed, immutable version of all tables. Reading it waits for no writer.

    release: gives back what keeps the files from `docnav gc`; called when nothing refers to this any more.
    """

    def __init__(self, files: Files, manifest: dict[str, Any], release: Callable[[], None]) -> None:
        self._files = files
        self.manifest = manifest
        self.id: str = manifest["id"]
        weakref.finalize(self, release)

    def files(self, table: str) -> list[Path]:
        """Local Parquet files of a table, by part name; copied to a cache first when the store is remote."""
        parts = self._parts(table)
        return [self._files.local(f"parts/{table}/{parts[name]['file']}") for name in sorted(parts)]

    def read(self, table: str, columns: Sequence[str] | None = None, parts: Sequence[str] | None = None) -> pl.DataFrame:
        """Rows of a table, all or those of some parts, in order of part and of the table's sort."""
        from assets_store.store import read_parts

        known = self._parts(table)
        names = [known[name]["file"] for name in sorted(known) if parts is None or name in parts]
        return read_parts(self._files, TABLES[table], names, columns)

    def _parts(self, table: str) -> dict[str, dict[str, Any]]:
        """Parts of a table by name; none where the snapshot was made before there was such a table."""
        found: dict[str, dict[str, Any]] = self.manifest["tables"].get(table, {})
        return found

    def folder(self, name: str) -> Path:
        """Local folder of a derived index; "index" holds the search indexes. SchemaError where one of its files is lost or cut short."""
        path = f"indexes/{self.manifest[name]}"
        try:
            folder = self._files.local(path)
        except FileNotFoundError as error:
            raise self._lost(f"{path} is lost") from error
        if faults := self._files.faults_of_folder(path):
            raise self._lost(faults[0])
        return folder

    def _lost(self, fault: str) -> SchemaError:
        return SchemaError(
            f"{self._files.location}: search index of snapshot {self.id}: {fault}. "
            "`docnav doctor --repair` takes it away, and the next `docnav index` makes it anew."
        )


class SnapshotLog:
    """The committed versions of one store, oldest first."""

    def __init__(self, files: Files) -> None:
        self._files = files

    def ids(self) -> list[str]:
        """Ids of all snapshots, oldest first."""
        return [name.removesuffix(".json") for name in self._files.names("snapshots") if name.endswith(".json")]

    def current_id(self) -> str | None:
        """Id of the snapshot that readers open, None before the first commit."""
        return self._files.read_text(_CURRENT) if self._files.exists(_CURRENT) else None

    def set_current(self, snapshot_id: str) -> None:
        """Let readers open this snapshot from now on."""
        ensure_held(self._files, look=True)
        self._files.write(_CURRENT, snapshot_id.encode())

    def open(self, snapshot_id: str | None = None) -> Snapshot:
        """A snapshot by id, the current one by default, kept from collection for as long as it is referred to.

        Raises NoStore before the first commit, UnknownSnapshot for an id that is none, StoreError where CURRENT names a lost one.
        """
        if snapshot_id is not None:
            if (found := self._held(snapshot_id)) is None:
                raise UnknownSnapshot(f"no snapshot {snapshot_id!r} in {self._files.location}; there are: {self._listed()}.")
            return found
        wanted = self._known_current()
        while (found := self._held(wanted)) is None:
            # Another process may have committed and collected since CURRENT was read; then it names a new one now.
            before, wanted = wanted, self._known_current()
            if wanted == before:
                raise StoreError(
                    f"{self._files.location}/{_CURRENT} names snapshot {wanted[:80]!r}, which is not there; there are: "
                    f"{self._listed()}. `docnav doctor --repair` makes the newest whole one current."
                )
        return found

    def manifest(self, snapshot_id: str) -> dict[str, Any]:
        """What a snapshot names, for a look only: nothing keeps it from collection."""
        return _read_manifest(self._files, snapshot_id)

    def _known_current(self) -> str:
        current = self.current_id()
        if current is None:
            raise NoStore(
                f"the store at {self._files.location} has no snapshot yet. Run `docnav index PATH --store {self._files.location}`."
            )
        return current

    def _held(self, snapshot_id: str) -> Snapshot | None:
        """A snapshot kept from collection; None when there is none of that id."""
        if snapshot_id not in self.ids():  # an id from a damaged file is no part of a path
            return None
        try:
            manifest = _read_manifest(self._files, snapshot_id)
        except FileNotFoundError:  # collected between the two calls
            return None
        release = leases.hold(self._files, _path(snapshot_id))
        return None if release is None else Snapshot(self._files, manifest, release)

    def _listed(self) -> str:
        return ", ".join(self.ids()) or "none"

    def commit(self, content: Mapping[str, Any]) -> tuple[Snapshot, bool]:
        """Write a snapshot and make it current in one step; (current, False) when its content is the current one's."""
        current = self.current_id()
        if current is not None:
            latest = self.open()
            if {k: v for k, v in latest.manifest.items() if k not in _NOT_CONTENT} == json.loads(json.dumps(content)):
                return latest, False
        number = 1 + max((int(name.partition("-")[0]) for name in self.ids()), default=0)
        digest = content_hash(json.dumps(content, sort_keys=True), length=8)
        manifest = {
            "id": f"{number:06d}-{digest}",
            "parent": current,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            **content,
        }
        self._files.write(f"snapshots/{manifest['id']}.json", json.dumps(manifest, indent=1).encode())
        self.set_current(manifest["id"])
        return self.open(manifest["id"]), True


def _path(snapshot_id: str) -> str:
    return f"snapshots/{snapshot_id}.json"


def _read_manifest(files: Files, snapshot_id: str) -> dict[str, Any]:
    manifest = files.read_json(_path(snapshot_id))
    if not isinstance(manifest, dict) or not manifest.keys() >= _NAMED:
        raise StoreError(f"{files.location}/{_path(snapshot_id)} is damaged: it names no tables. {DAMAGED}")
    if manifest["schema_version"] > SCHEMA_VERSION:
        raise StoreVersionError(
            f"snapshot {snapshot_id} was written by a newer docnav with schema version {manifest['schema_version']}, "
            f"this one reads up to {SCHEMA_VERSION}. Upgrade docnav."
        )
    return manifest
