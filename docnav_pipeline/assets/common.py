"""What all assets share: how they are declared, and the metadata they report."""

import json
from collections.abc import Mapping
from typing import Any

import dagster as dg
import pyarrow as pa

from assets_store.ids import content_hash
from assets_store.schemas import TABLES, Column, TableSpec
from assets_store.store import Store
from docnav_pipeline.column_lineage import column_lineage
from docnav_pipeline.reuse import Refreshed

OWNERS = ["team:docnav"]
_SAMPLE_ROWS = 3
_SAMPLE_CHARACTERS = 80
# A sample is read from one part of the table, and only from small ones: it must not cost what building the table costs.
_SAMPLE_BYTES = 4 * 1024 * 1024


def column_schema(spec: TableSpec) -> dg.TableSchema:
    """Columns of a table for the Dagster catalogue."""
    return dg.TableSchema(
        columns=[
            dg.TableColumn(c.name, str(c.type), c.doc, constraints=dg.TableColumnConstraints(nullable=c.null, unique=spec.key == (c.name,)))
            for c in spec.columns
        ]
    )


def catalogue(spec: TableSpec) -> dict[str, dg.TableSchema]:
    """Metadata of an asset that comes from the schema of its table."""
    return {"dagster/column_schema": column_schema(spec)}


def result(store: Store, spec: TableSpec, refreshed: Refreshed, more: Mapping[str, Any] | None = None) -> dg.MaterializeResult[None]:
    """Counts, size, time and a sample of a table that was brought up to date.

    The data version is the hash of all files of the table, because a run has one for all its shards: a run that changed nothing
    gives the one of before, whatever shards it was for.
    """
    metadata: dict[str, Any] = {
        "dagster/row_count": refreshed.rows.get(spec.name, 0),
        "reused": refreshed.reused,
        "recomputed": refreshed.recomputed,
        "deleted": refreshed.deleted,
        "bytes": refreshed.bytes.get(spec.name, 0),
        "seconds": round(refreshed.seconds, 3),
        **(more or {}),
    }
    if spec.kind == "corpus":
        # A corpus table is made from all documents: a part whose inputs changed is built whole, any other one is the same as a full build.
        n_parts = refreshed.reused + refreshed.recomputed
        metadata["update"] = f"{refreshed.recomputed} of {n_parts} parts rebuilt whole" if refreshed.recomputed else "kept: same inputs"
    lineage = column_lineage(spec.name)
    if lineage is not None:
        metadata["dagster/column_lineage"] = lineage
    sample = sample_markdown(store, spec)
    if sample:
        metadata["sample"] = dg.MetadataValue.md(sample)
    files = {part.name: part.file for part in store.heads(spec.name)}
    version = content_hash(json.dumps(files, sort_keys=True), length=16)
    return dg.MaterializeResult(asset_key=spec.name, metadata=metadata, data_version=dg.DataVersion(version))


def sample_markdown(store: Store, spec: TableSpec) -> str:
    """First rows of a table as a Markdown table; empty when there are none."""
    part = next((p for p in store.heads(spec.name) if p.rows and p.bytes <= _SAMPLE_BYTES), None)
    if part is None:
        return ""
    columns = [c.name for c in TABLES[spec.name].columns if _tells_no_text(c)]
    rows = store.read(spec.name, [part.name], columns).head(_SAMPLE_ROWS)
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    lines += ["| " + " | ".join(_cell(value) for value in row) + " |" for row in rows.iter_rows()]
    return "\n".join(lines)


def _tells_no_text(column: Column) -> bool:
    # The event log keeps samples for good, so they must hold nothing of a document that is removed later.
    of_fixed_words = column.name.endswith("_id") or column.name in ("kind", "type", "sub_type", "status", "media_type", "made_by")
    return of_fixed_words or not (pa.types.is_string(column.type) or pa.types.is_nested(column.type))


def _cell(value: Any) -> str:
    text = " ".join(str(value).split())[:_SAMPLE_CHARACTERS]
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("`", "'")
