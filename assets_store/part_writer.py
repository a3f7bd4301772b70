"""A Parquet file of a table, written piece by piece: memory holds one piece, not the part."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pyarrow.parquet as pq

from assets_store.errors import SchemaError
from assets_store.rows import Provenance, checked, file_metadata
from assets_store.schemas import TableSpec


class PartWriter:
    """Rows into one file, which stands at `path` whole once `close` was called.

    Pieces follow the table's first sort column: a piece begins behind the end of the one before, and rows with one value of that column
    are never in two pieces. So that each is checked and sorted by itself, and readers that want some documents skip the others.
    """

    def __init__(self, path: Path, spec: TableSpec, provenance: Provenance) -> None:
        self.path = path
        self.rows = 0
        self._spec = spec
        self._schema = spec.schema.with_metadata(file_metadata(spec, provenance))
        self._writer = pq.ParquetWriter(path, self._schema, compression="zstd", store_schema=True)
        self._last: object = None

    def append(self, rows: pl.DataFrame) -> None:
        """Check and write one piece. Raises SchemaError for rows that do not fit the table, and for a piece out of order."""
        table = checked(self._spec, rows)
        if not table.num_rows:
            return
        first = table.column(self._spec.sort[0])
        if self._last is not None and first[0].as_py() <= self._last:
            raise SchemaError(
                f"table {self._spec.name}: expected a piece behind {self._spec.sort[0]} {self._last!r}, found {first[0].as_py()!r}; "
                "this is a fault of docnav"
            )
        self._last = first[-1].as_py()
        self._writer.write_table(table.replace_schema_metadata(self._schema.metadata), row_group_size=table.num_rows)
        self.rows += table.num_rows

    def close(self) -> None:
        """Finish the file."""
        self._writer.close()
