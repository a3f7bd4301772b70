"""Results that survive a kill: each row goes to a journal when it is there, and the journal becomes a Parquet file at the end."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock

Row = dict[str, Any]


class KeptRows:
    """Rows of one file, by name. Open it in a `with`: one process at a time, others wait.

    path: of the Parquet file; the journal lies beside it. name_of: row → what it is known by. A row that is added takes the place of
    an earlier one of its name.
    """

    def __init__(self, path: Path, schema: pa.Schema, name_of: Callable[[Mapping[str, Any]], str]) -> None:
        self.path = path
        self.rows: dict[str, Row] = {}
        self._schema = schema
        self._name_of = name_of
        self._journal = path.with_name(f"{path.name}.journal")
        self._lock = FileLock(path.with_name(f"{path.name}.lock"))
        self._file: IO[str] | None = None

    def __enter__(self) -> KeptRows:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._lock.acquire()
        self.rows = {self._name_of(row): row for row in read_rows(self.path)}
        if self._journal.exists():
            # Left by a run that was killed; its last line may be cut, and nothing may be written behind that.
            self._write()
        self._file = self._journal.open("w", encoding="utf-8")
        return self

    def __exit__(self, *_: object) -> None:
        assert self._file is not None
        self._file.close()
        if self._journal.stat().st_size:
            self._write()
        self._journal.unlink()
        self._lock.release()

    def add(self, row: Row) -> None:
        """Keep a row. It is there also when the process is killed right after."""
        assert self._file is not None
        self.rows[self._name_of(row)] = row
        self._file.write(json.dumps(row) + "\n")
        self._file.flush()

    def _write(self) -> None:
        write_rows(self.path, [self.rows[name] for name in sorted(self.rows)], self._schema)


def read_rows(path: Path) -> list[Row]:
    """Rows of a Parquet file, and after them those of a journal beside it that a killed run left; none where there is neither."""
    rows: list[Row] = pq.read_table(path).to_pylist() if path.exists() else []
    journal = path.with_name(f"{path.name}.journal")
    if journal.exists():
        for line in journal.read_text(encoding="utf-8").splitlines():
            try:
                rows.append(json.loads(line))
            except ValueError:
                # The last line of a run that was killed while it wrote; its question is asked again.
                continue
    return rows


def write_rows(path: Path, rows: list[Row], schema: pa.Schema) -> None:
    """A Parquet file, complete once it is visible."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.part")
    pq.write_table(pa.Table.from_pylist(rows, schema), partial, compression="zstd")
    partial.replace(path)
