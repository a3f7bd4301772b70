"""Snapshots: which file of which table makes a version; commit, open, list, roll back, collect."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from assets_store.errors import NoStore, UnknownSnapshot
from assets_store.files import Files
from assets_store.ids import content_hash
from assets_store.schemas import TABLES

_CURRENT = "CURRENT"
_NOT_CONTENT = ("id", "parent", "created")


class Snapshot:
    """One committed, immutable version of all tables. Reading it takes no lock."""

    def __init__(self, files: Files, manifest: dict[str, Any]) -> None:
        self._files = files
        self.manifest = manifest
        self.id: str = manifest["id"]

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
        """Local folder of a derived index; "index" holds the search indexes."""
        return self._files.local(f"indexes/{self.manifest[name]}")


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
        self._files.write(_CURRENT, snapshot_id.encode())

    def open(self, snapshot_id: str | None = None) -> Snapshot:
        """A snapshot by id, the current one by default."""
        wanted = snapshot_id or self.current_id()
        if wanted is None:
            raise NoStore(
                f"the store at {self._files.location} has no snapshot yet. Run `docnav index PATH --store {self._files.location}`."
            )
        if wanted not in self.ids():
            raise UnknownSnapshot(f"no snapshot {wanted!r} in {self._files.location}; there are: {', '.join(self.ids()) or 'none'}.")
        return Snapshot(self._files, self._files.read_json(f"snapshots/{wanted}.json"))

    def commit(self, content: Mapping[str, Any]) -> tuple[Snapshot, bool]:
        """Write a snapshot and make it current in one step; (current, False) when its content is the current one's."""
        current = self.current_id()
        if current is not None:
            latest = self.open(current)
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
        return Snapshot(self._files, manifest), True
