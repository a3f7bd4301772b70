"""Rows on their way into and out of a Parquet file: schema, keys, order, and who made them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl
import pyarrow as pa

from assets_store.errors import SchemaError, StoreVersionError
from assets_store.schemas import SCHEMA_VERSION, TableSpec

_KEY = b"docnav"


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a part was made from and by what.

    inputs: for a table of kind "document" doc_id -> doc_version of every document that was looked at, also of those that
        gave no row; for a corpus table "table/part" -> file name.
    maker: stage, code version, settings and models. schema_version: of the docnav that wrote the part.
    """

    inputs: Mapping[str, str] = field(default_factory=dict)
    maker: Mapping[str, Any] = field(default_factory=dict)
    schema_version: int = SCHEMA_VERSION


def checked(spec: TableSpec, rows: pl.DataFrame) -> pa.Table:
    """Rows as an Arrow table in the schema and order of the table.

    Raises SchemaError on missing or unknown columns, on a null where none may be, and on a repeated key.
    """
    missing, unknown = set(spec.names) - set(rows.columns), set(rows.columns) - set(spec.names)
    if missing or unknown:
        raise SchemaError(f"table {spec.name}: expected columns {list(spec.names)}; missing {sorted(missing)}, unknown {sorted(unknown)}")
    rows = rows.select(spec.names).sort(spec.sort)
    repeated = rows.filter(pl.struct(spec.key).is_duplicated())
    if repeated.height:
        raise SchemaError(f"table {spec.name}: key {list(spec.key)} must be unique, found twice: {repeated.select(spec.key).row(0)}")
    for column in spec.columns:
        if not column.null and (nulls := rows[column.name].null_count()):
            first = rows.filter(pl.col(column.name).is_null()).select(spec.key).row(0)
            raise SchemaError(f"table {spec.name}: column {column.name} must have a value, found {nulls} null(s), first at {first}")
    try:
        return rows.to_arrow(compat_level=pl.CompatLevel.oldest()).cast(spec.schema)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        raise SchemaError(f"table {spec.name}: rows do not fit the schema: {error}") from error


def file_metadata(spec: TableSpec, provenance: Provenance) -> dict[bytes, bytes]:
    """What a Parquet file of a table says about itself; equal provenance gives equal bytes."""
    head = {
        "table": spec.name,
        "schema_version": SCHEMA_VERSION,
        "inputs": dict(sorted(provenance.inputs.items())),
        "maker": provenance.maker,
    }
    return {_KEY: json.dumps(head, sort_keys=True, ensure_ascii=False).encode()}


def read_provenance(spec: TableSpec, metadata: Mapping[bytes, bytes] | None, name: str) -> Provenance:
    """Provenance from the metadata of a file; StoreVersionError when a newer docnav wrote it."""
    if metadata is None or _KEY not in metadata:
        raise SchemaError(f"table {spec.name}: {name} carries no docnav metadata; was it written by something else?")
    head = json.loads(metadata[_KEY])
    if head["schema_version"] > SCHEMA_VERSION:
        raise StoreVersionError(
            f"table {spec.name}: {name} has schema version {head['schema_version']}, "
            f"this docnav reads up to {SCHEMA_VERSION}. Upgrade docnav."
        )
    return Provenance(head["inputs"], head["maker"], head["schema_version"])


def to_polars(table: pa.Table) -> pl.DataFrame:
    """An Arrow table as a polars frame."""
    frame = pl.from_arrow(table)
    if not isinstance(frame, pl.DataFrame):
        raise TypeError(f"expected a table, got {type(frame).__name__}")
    return frame


def empty_rows(spec: TableSpec, without: Sequence[str] = ()) -> pl.DataFrame:
    """No rows, with the columns and types of the table except some."""
    return to_polars(spec.schema.empty_table()).drop(without)
