"""A store as an older docnav left it: the same rows under the schema version before, some columns not there yet."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from assets_store.ids import content_hash
from assets_store.schemas import SCHEMA_VERSION, TABLES
from assets_store.store import Part, Store

OLDER = SCHEMA_VERSION - 1


def make_older(store: Store, without: Mapping[str, Sequence[str]]) -> None:
    """Rewrite the working state and the current snapshot. without: table -> columns of today that the older schema lacks."""
    for table in TABLES:
        for part in store.heads(table):
            rows = pq.ParquetFile(store.files.local(f"parts/{table}/{part.file}")).read()
            head = json.loads(rows.schema.metadata[b"docnav"])
            rows = rows.drop_columns(list(without.get(table, ())))
            rows = rows.replace_schema_metadata({b"docnav": json.dumps({**head, "schema_version": OLDER}).encode()})
            sink = pa.BufferOutputStream()
            pq.write_table(rows, sink)
            data = sink.getvalue().to_pybytes()
            file = f"{content_hash(data, length=32)}.parquet"
            store.files.write(f"parts/{table}/{file}", data)
            store.set_head(table, Part(part.name, file, part.rows, len(data)))
    current = store.log.current_id()
    assert current is not None
    manifest = store.log.manifest(current)
    manifest = {**manifest, "schema_version": OLDER, "tables": store._heads_by_table()}
    store.files.write(f"snapshots/{current}.json", json.dumps(manifest).encode())
    store.files.write("store.json", json.dumps({**store.facts, "schema_version": OLDER}).encode())
