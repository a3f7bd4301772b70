"""Tables of a snapshot in batches of rows, so that a report needs little memory whatever the size of the corpus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from assets_store.errors import StoreError
from assets_store.rows import empty_rows, to_polars
from assets_store.schemas import TABLES
from assets_store.snapshot import Snapshot

BATCH_ROWS = 65_536


def batches(snapshot: Snapshot, table: str, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Some columns of a table, at most 65,536 rows at a time, in the order of `Snapshot.read`.

    Raises StoreError where a file of the snapshot is lost or damaged.
    """
    for path in snapshot.files(table):
        try:
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches(BATCH_ROWS, columns=list(columns)):
                    yield to_polars(pa.Table.from_batches([batch])).select(columns)
        except (pa.ArrowInvalid, OSError) as error:
            raise StoreError(
                f"{table}/{path.name} of {snapshot.id} is lost or damaged: {error}. `docnav doctor` says what to do."
            ) from error


def gathered(snapshot: Snapshot, table: str, columns: Sequence[str], keep: pl.Expr | None = None) -> pl.DataFrame:
    """Some columns of the rows that pass a filter, all where there is none; the filter sees those columns only."""
    frames = [frame if keep is None else frame.filter(keep) for frame in batches(snapshot, table, columns)]
    return pl.concat([empty_rows(TABLES[table]).select(columns), *frames])


def rows_at(snapshot: Snapshot, table: str, columns: Sequence[str], positions: Sequence[int]) -> dict[int, tuple[object, ...]]:
    """Rows by their position in the table, counted from 0 over all its files."""
    wanted = sorted(set(positions))
    found: dict[int, tuple[object, ...]] = {}
    start = 0
    for frame in batches(snapshot, table, columns):
        here = [position for position in wanted if start <= position < start + frame.height]
        found.update({position: frame.row(position - start) for position in here})
        start += frame.height
    return found
