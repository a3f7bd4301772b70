"""Rows that come in no order, kept on disk until all rows of their shard are there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

# Rows held in memory over all shards before they are written out.
_HELD_ROWS = 20_000

Tables = Mapping[str, pl.DataFrame]


class Spill:
    """Rows of several tables by shard, in files of a folder that goes with the caller's scratch folder.

    held_rows: over all shards, before they are written out.
    Every frame has a column `doc_id`; the rows of one document in one table come in one frame.
    """

    def __init__(self, folder: Path, held_rows: int = _HELD_ROWS) -> None:
        self._folder, self._held_rows = folder, held_rows
        self._held: dict[tuple[str, str], list[pl.DataFrame]] = defaultdict(list)
        self._n_held = 0
        self._n_files = 0
        self._files: dict[tuple[str, str], list[Path]] = defaultdict(list)

    def add(self, shard: str, tables: Tables) -> None:
        """Keep rows of one document."""
        for table, rows in tables.items():
            self._held[shard, table].append(rows)
            self._n_held += max(rows.height, 1)
        if self._n_held >= self._held_rows:
            self._write_out()

    def read(self, shard: str, table: str, doc_ids: Sequence[str]) -> pl.DataFrame | None:
        """Rows of some documents, in the order of doc_id and then as they came; None where the shard has none at all."""
        wanted = pl.col("doc_id").is_in(doc_ids)
        frames = [pl.scan_ipc(path).filter(wanted).collect() for path in self._files[shard, table]]
        frames += [rows.filter(wanted) for rows in self._held[shard, table]]
        return pl.concat(frames).sort("doc_id", maintain_order=True) if frames else None

    def drop(self, shard: str) -> None:
        """Forget the rows of a shard."""
        for place in [place for place in {*self._held, *self._files} if place[0] == shard]:
            self._n_held -= sum(max(rows.height, 1) for rows in self._held.pop(place, []))
            for path in self._files.pop(place, []):
                path.unlink()

    def _write_out(self) -> None:
        for place, frames in self._held.items():
            if frames:
                path = self._folder / f"spill-{self._n_files:06d}.arrow"
                pl.concat(frames).write_ipc(path)
                self._files[place].append(path)
                self._n_files += 1
        self._held.clear()
        self._n_held = 0
