"""Store: the working state of all tables, and the way to committed snapshots.

    store.json              version, number of shards, token counter: fixed when the store is made
    docnav.toml             settings
    corpus/SHARD.json       source files known per shard
    parts/TABLE/HASH.parquet    immutable files, named by content
    heads/TABLE/PART.json       newest part of each table: what the pipeline has reached, not what readers see
    indexes/HASH/               derived search indexes, immutable
    snapshots/ID.json       one consistent version of everything; CURRENT names the one that readers open
    reports/ID.html         page about the graph of a snapshot, where one was asked for
    dagster/                Dagster's own instance

Writers replace heads, readers open a snapshot, so neither disturbs the other.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from assets_store.errors import NoStore, StoreError, StoreVersionError
from assets_store.files import DAMAGED, Files
from assets_store.ids import file_hash, shard_key
from assets_store.locks import ensure_held, write_lock
from assets_store.migrations import mark_outdated, upgrade_rows
from assets_store.part_writer import PartWriter
from assets_store.rows import Provenance, empty_rows, read_provenance, to_polars
from assets_store.schemas import SCHEMA_VERSION, TABLES, TableSpec
from assets_store.settings import SETTINGS_FILE, Settings, load_settings, settings_to_toml
from assets_store.snapshot import Snapshot, SnapshotLog
from assets_store.tokens import COUNTER_NAME

STORE_FORMAT = 1
# Seconds after which a file written again shows another time; S3 takes requests of clocks that are 15 minutes off.
_SETTLED_S, _SETTLED_BY_ANY_CLOCK_S = 5.0, 1000.0
_FACTS = ("format", "schema_version", "shards")
CORPUS_PART = "corpus"  # the one part of a corpus table that is not kept by shard


@dataclass(frozen=True, slots=True)
class Part:
    """One immutable file of a table. name: shard key, or "corpus"."""

    name: str
    file: str
    rows: int
    bytes: int


class _SeenHead(NamedTuple):
    """written: time of its file; seen: when that time was first met, by time.monotonic(); part: None until it is settled."""

    written: float
    seen: float
    part: Part | None


class Store:
    """One store, local or on object storage. Use `open`, `create` or `open_or_create`."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.location = files.location
        if not files.exists("store.json"):
            raise NoStore(
                f"no docnav store at {self.location}: expected a file store.json there. Make one with `docnav index PATH --store DIR`."
            )
        self.facts: dict[str, Any] = files.read_json("store.json")
        if not isinstance(self.facts, dict) or not all(isinstance(self.facts.get(name), int) for name in _FACTS):
            raise StoreError(f"{self.location}/store.json is damaged: expected numbers for {', '.join(_FACTS)}. {DAMAGED}")
        if self.facts["format"] > STORE_FORMAT or self.facts["schema_version"] > SCHEMA_VERSION:
            raise StoreVersionError(
                f"store {self.location} was written by a newer docnav: "
                f"format {self.facts['format']}, schema {self.facts['schema_version']}; "
                f"this one reads up to {STORE_FORMAT} and {SCHEMA_VERSION}. Upgrade docnav."
            )
        self.settings: Settings = load_settings(self._settings_text(), f"{self.location}/{SETTINGS_FILE}")
        if self.settings.shards != self.facts["shards"]:
            raise StoreError(
                f"store {self.location} was made with {self.facts['shards']} shards, {SETTINGS_FILE} says {self.settings.shards}. "
                "The number is part of the store: set it back, or index into a new store."
            )
        self.log = SnapshotLog(files)
        self._provenance: dict[str, Provenance] = {}
        self._heads: dict[str, _SeenHead] = {}

    def _settings_text(self) -> str:
        try:
            return self.files.read_text(SETTINGS_FILE)
        except FileNotFoundError as error:
            raise StoreError(
                f"{self.location}/{SETTINGS_FILE} is lost. Put it back from a copy, or write one with at least the line "
                f"shards = {self.facts['shards']}; settings that are missing there have their defaults."
            ) from error

    @classmethod
    def open(cls, location: str | Path) -> Store:
        """The store at a place; NoStore when there is none."""
        return cls(Files(location))

    @classmethod
    def create(cls, location: str | Path, settings: Settings) -> Store:
        """A new, empty store; StoreError when there is one already."""
        files = Files(location)
        if files.exists("store.json"):
            raise StoreError(f"{files.location} already holds a docnav store; open it, or choose another --store.")
        facts = {
            "format": STORE_FORMAT,
            "schema_version": SCHEMA_VERSION,
            "shards": settings.shards,
            "token_counter": COUNTER_NAME,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        if not files.exists(SETTINGS_FILE):
            files.write(SETTINGS_FILE, settings_to_toml(settings).encode())
        files.write("store.json", json.dumps(facts, indent=1).encode())
        return cls(files)

    @property
    def shard_keys(self) -> list[str]:
        """Part names of tables that are kept by shard, in order."""
        return [shard_key(n) for n in range(self.settings.shards)]

    @contextmanager
    def writing(
        self, timeout_s: float = 0, on_wait: Callable[[], None] | None = None, shards: Sequence[str] | None = None, ticket: str = ""
    ) -> Iterator[None]:
        """Hold the right to write, to some shards or to everything; see `write_lock`. Readers never wait and are never waited for."""
        with write_lock(self.files, timeout_s, on_wait, shards, ticket):
            yield

    # -- working state ---------------------------------------------------------------------------------------------

    def head(self, table: str, part: str) -> Part | None:
        """Newest part of a table, None when it was never written."""
        return next((found for found in self.heads(table) if found.name == part), None)

    def heads(self, table: str) -> list[Part]:
        """All newest parts of a table, by name."""
        times = self.files.modified(f"heads/{table}")
        names = sorted(name for name in times if name.endswith(".json") and not name.startswith("."))
        return [self._head(f"heads/{table}/{name}", times[name]) for name in names]

    def _head(self, path: str, written: float) -> Part:
        """A head as last read when its file was not written since: on object storage every read is a request.

        Times there are whole seconds, so one time may stand for two writings. A head is kept once it was read long enough
        after its time was first seen, by the clock of this process, or after its time itself, where clocks may be trusted so far.
        """
        now = time.monotonic()
        known = self._heads.get(path)
        if known is not None and known.written == written and known.part is not None:
            return known.part
        try:
            part = Part(**self.files.read_json(path))
        except TypeError as error:
            raise StoreError(f"{self.location}/{path} is damaged: {error}. {DAMAGED}") from error
        seen = known.seen if known is not None and known.written == written else now
        trusted = _SETTLED_S if self.files.is_local else _SETTLED_BY_ANY_CLOCK_S
        is_settled = now - seen > _SETTLED_S or time.time() - written > trusted
        self._heads[path] = _SeenHead(written, seen, part if is_settled else None)
        return part

    def provenance(self, table: str, part: str) -> Provenance:
        """What the newest part was made from; empty when it was never written."""
        head = self.head(table, part)
        if head is None:
            return Provenance()
        if head.file not in self._provenance:
            path = f"parts/{table}/{head.file}"
            try:
                schema = pq.read_schema(self.files.local(path))
            except (pa.ArrowInvalid, OSError) as error:
                raise _damaged(self.files, path, error) from error
            found = read_provenance(TABLES[table], schema.metadata, head.file)
            self._provenance[head.file] = mark_outdated(TABLES[table], schema, found)
        return self._provenance[head.file]

    def read(
        self, table: str, parts: Sequence[str] | None = None, columns: Sequence[str] | None = None, documents: Collection[str] | None = None
    ) -> pl.DataFrame:
        """Rows of the newest parts, all of them or some by name, in order of part and of the table's sort.

        documents: only rows of these; of the files only the pieces are read that may hold some.
        """
        wanted = None if parts is None else set(parts)
        found = [part for part in self.heads(table) if wanted is None or part.name in wanted]
        return read_parts(self.files, TABLES[table], [part.file for part in found], columns, documents)

    def write(self, spec: TableSpec, part: str, rows: pl.DataFrame, provenance: Provenance) -> Part:
        """Check rows, write them as one immutable file and make it the newest part."""
        with self.writer(spec, part, provenance) as writer:
            writer.append(rows)
        head = self.head(spec.name, part)
        if head is None:
            raise StoreError(f"part {part} of table {spec.name} vanished right after it was written; does another program delete files?")
        return head

    @contextmanager
    def writer(self, spec: TableSpec, part: str, provenance: Provenance) -> Iterator[PartWriter]:
        """Write a part piece by piece, as one immutable file that becomes the newest part at the end, and only when nothing was raised.

        Equal pieces give an equal file. See `PartWriter`.
        """
        self._raise_version()
        with self.files.scratch() as folder:
            writer = PartWriter(folder / f"{spec.name}.parquet", spec, provenance)
            try:
                yield writer
            finally:
                writer.close()
            file = f"{file_hash(writer.path, length=32)}.parquet"
            size = writer.path.stat().st_size
            self.files.put_once(f"parts/{spec.name}/{file}", writer.path)
            self.set_head(spec.name, Part(part, file, writer.rows, size))

    def _raise_version(self) -> None:
        """Let no older docnav open the store from now on: it could not read what this one writes."""
        if self.facts["schema_version"] < SCHEMA_VERSION:
            self.facts["schema_version"] = SCHEMA_VERSION
            self.files.write("store.json", json.dumps(self.facts, indent=1).encode())

    def set_head(self, table: str, part: Part) -> None:
        """Make a part the newest of its table."""
        ensure_held(self.files)
        self.files.write(f"heads/{table}/{part.name}.json", json.dumps(asdict(part)).encode())

    # -- snapshots -------------------------------------------------------------------------------------------------

    def snapshot(self, snapshot_id: str | None = None) -> Snapshot:
        """A committed version, the current one by default; NoStore when nothing was committed, UnknownSnapshot otherwise."""
        return self.log.open(snapshot_id)

    def matches(self, snapshot: Snapshot) -> bool:
        """Whether the working state is what the snapshot holds."""
        return bool(snapshot.manifest["tables"] == self._heads_by_table())

    def _heads_by_table(self) -> dict[str, dict[str, dict[str, Any]]]:
        return {name: {part.name: asdict(part) for part in self.heads(name)} for name in TABLES}

    def commit(self, index_folder: str, models: Mapping[str, str], counts: Mapping[str, int]) -> tuple[Snapshot, bool]:
        """Make the working state the current snapshot; (snapshot, False) when it is the current one already."""
        return self.log.commit(
            {
                "schema_version": SCHEMA_VERSION,
                "tables": self._heads_by_table(),
                "index": index_folder,
                "models": dict(models),
                "settings": self.settings.model_dump(mode="json", exclude={"agent", "source", "refresh"}),
                "counts": dict(counts),
            }
        )

    def rollback(self, snapshot_id: str) -> Snapshot:
        """Make an older snapshot current and the working state equal to it."""
        snapshot = self.log.open(snapshot_id)
        for table, parts in snapshot.manifest["tables"].items():
            for name in {part.name for part in self.heads(table)} - set(parts):
                self.files.delete(f"heads/{table}/{name}.json")
            for part in parts.values():
                self.set_head(table, Part(**part))
        self.log.set_current(snapshot.id)
        return snapshot


def _damaged(files: Files, path: str, error: Exception) -> StoreError:
    reason = " ".join(str(error).split())[:200]
    return StoreError(f"{files.location}/{path} is lost or damaged: {reason}. `docnav doctor` says what to do.")


def read_parts(
    files: Files,
    spec: TableSpec,
    names: Sequence[str],
    columns: Sequence[str] | None,
    documents: Collection[str] | None = None,
) -> pl.DataFrame:
    """Rows of some files of a table, one after another. documents: only rows of these."""
    tables = []
    only = None if documents is None else pc.field("doc_id").isin(pa.array(sorted(documents), pa.string()))
    for name in names:
        path = f"parts/{spec.name}/{name}"
        try:
            with pq.ParquetFile(files.local(path)) as file:
                version = read_provenance(spec, file.schema_arrow.metadata, name).schema_version
            as_is = version == SCHEMA_VERSION
            table = pq.read_table(
                files.local(path),
                columns=list(columns) if columns is not None and as_is else None,
                filters=only,
            )
        except (pa.ArrowInvalid, OSError) as error:
            raise _damaged(files, path, error) from error
        if version < SCHEMA_VERSION:
            table = upgrade_rows(spec, table, version, name)
            table = table if columns is None else table.select(columns)
        tables.append(table.replace_schema_metadata(None))
    if not tables:
        frame = empty_rows(spec)
        return frame if columns is None else frame.select(columns)
    return to_polars(pa.concat_tables(tables))
