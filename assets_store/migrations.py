"""Older stores: rows that an earlier schema wrote become rows of today on their way out of a file; the file stays as it is.

A change of `schemas.py` raises SCHEMA_VERSION. A new column that may be null needs nothing else: old rows read as null until the
next `docnav index` builds the table anew. Where today's rows follow from the old ones (a new name, another type, a column that
can be computed), an entry in UPGRADES says how, and nothing is built anew. A column that must have a value and follows from
nothing makes old files unreadable, and snapshots that name them; `docnav index` says which.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from assets_store.errors import StoreVersionError
from assets_store.rows import Provenance, read_provenance
from assets_store.schemas import SCHEMA_VERSION, TABLES, TableSpec

if TYPE_CHECKING:
    from assets_store.store import Store

Upgrade = Callable[[pa.Table], pa.Table]

# (table, schema version that wrote the rows) -> the same rows as the next version writes them. Pure, and good for no rows too.
UPGRADES: Mapping[tuple[str, int], Upgrade] = {}


def upgrade_rows(spec: TableSpec, rows: pa.Table, version: int, file: str) -> pa.Table:
    """All columns of rows that a schema version wrote, as today's table has them; new ones are null.

    Raises StoreVersionError where a column that must have a value is missing, or one cannot become what it is today.
    """
    rows = _stepped(spec, rows, version)
    columns = []
    for column in spec.columns:
        if column.name not in rows.column_names:
            if not column.null:
                raise _unreadable(spec, version, file, f"column {column.name}, which must have a value, is not in it")
            columns.append(pa.nulls(rows.num_rows, column.type))
            continue
        try:
            columns.append(rows[column.name].cast(column.type))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
            raise _unreadable(spec, version, file, f"column {column.name}: {error}") from error
    return pa.table(columns, schema=spec.schema)


def is_outdated(spec: TableSpec, schema: pa.Schema, version: int) -> bool:
    """Whether rows of a file lack something that a clean build gives them: a column, after all upgrades."""
    if version >= SCHEMA_VERSION:
        return False
    types = {field.name: field.type for field in _stepped(spec, schema.empty_table(), version).schema}
    return any(types.get(column.name) != column.type for column in spec.columns)


def mark_outdated(spec: TableSpec, schema: pa.Schema, provenance: Provenance) -> Provenance:
    """Provenance of a file whose keys fit nothing of today where its rows are outdated, so that the next run builds them anew.

    They are marked and not dropped: a document whose root is away keeps its rows until it can be read again.
    """
    if not is_outdated(spec, schema, provenance.schema_version):
        return provenance
    return replace(provenance, inputs={k: f"{key}@{provenance.schema_version}" for k, key in provenance.inputs.items()})


def outdated_tables(store: Store) -> list[str]:
    """Tables of the working state that the next run builds anew because an older docnav wrote them."""
    return [name for name, spec in TABLES.items() if any(_is_file_outdated(store, spec, part.file) for part in store.heads(name))]


def drop_unreadable(store: Store) -> list[str]:
    """Take parts out of the working state that an older docnav wrote and this one cannot read, so that the next run builds them.

    Returns the tables. Call it while holding the right to write.
    """
    dropped = set()
    for name in TABLES:
        for part in store.heads(name):
            if _fault(store, name, part.file):
                store.files.delete(f"heads/{name}/{part.name}.json")
                dropped.add(name)
    return sorted(dropped)


def unreadable_snapshots(store: Store) -> dict[str, str]:
    """Snapshots with a file that an older docnav wrote and this one cannot read -> the reason. Reads the ends of all files."""
    faults: dict[str, str] = {}
    known: dict[tuple[str, str], str] = {}
    for snapshot_id in store.log.ids():
        for table, parts in store.log.manifest(snapshot_id)["tables"].items():
            if table not in TABLES:
                continue
            for part in parts.values():
                key = (table, part["file"])
                if key not in known:
                    known[key] = _fault(store, *key)
                if known[key]:
                    faults.setdefault(snapshot_id, known[key])
    return faults


def _fault(store: Store, table: str, file: str) -> str:
    """Why a file of an older schema cannot be read; empty when it can, and for what is lost or damaged, which is for `docnav doctor`."""
    spec = TABLES[table]
    try:
        schema, version = _schema_of(store, spec, file)
    except (pa.ArrowInvalid, OSError):
        return ""
    try:
        upgrade_rows(spec, schema.empty_table(), version, file)
    except StoreVersionError as error:
        return str(error)
    return ""


def _is_file_outdated(store: Store, spec: TableSpec, file: str) -> bool:
    try:
        schema, version = _schema_of(store, spec, file)
    except (pa.ArrowInvalid, OSError):
        return False  # lost or damaged, which is for `docnav doctor`
    return is_outdated(spec, schema, version)


def _schema_of(store: Store, spec: TableSpec, file: str) -> tuple[pa.Schema, int]:
    with store.files.open(f"parts/{spec.name}/{file}") as stream:
        schema = pq.read_schema(stream)
    return schema, read_provenance(spec, schema.metadata, file).schema_version


def _stepped(spec: TableSpec, rows: pa.Table, version: int) -> pa.Table:
    for step in range(version, SCHEMA_VERSION):
        if (upgrade := UPGRADES.get((spec.name, step))) is not None:
            rows = upgrade(rows)
    return rows


def _unreadable(spec: TableSpec, version: int, file: str, reason: str) -> StoreVersionError:
    return StoreVersionError(
        f"table {spec.name}: {file} was written by an older docnav with schema version {version}, this one reads {SCHEMA_VERSION}: "
        f"{reason}. Open the current snapshot after `docnav index`, or read this one with the docnav that wrote it."
    )
