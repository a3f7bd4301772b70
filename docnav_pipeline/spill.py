"""Rows that come in no order, kept on disk until all rows of their shard are there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.ipc as ipc

# Rows held in memory over all shards before they are written out.
_HELD_ROWS = 20_000

Tables = Mapping[str, pl.DataFrame]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the rows of one document in one table lie: a file, or the held frames where the file is None."""

    file: Path | None
    offset: int
    height: int


class Spill:
    """Rows of several tables by shard, in files of a folder that goes with the caller's scratch folder.

    held_rows: over all shards, before they are written out.
    Every frame has a column `doc_id`; the rows of one document in one table come in one frame.
    """

    def __init__(self, folder: Path, held_rows: int = _HELD_ROWS) -> None:
        self._folder, self._held_rows = folder, held_rows
        self._held: dict[tuple[str, str], dict[str, pl.DataFrame]] = defaultdict(dict)
        self._n_held = 0
        self._n_files = 0
        self._files: dict[tuple[str, str], list[Path]] = defaultdict(list)
        # Reading some documents must not cost a look through all files of their shard.
        self._places: dict[tuple[str, str], dict[str, _Place]] = defaultdict(dict)

    def add(self, shard: str, doc_id: str, tables: Tables) -> None:
        """Keep the rows of one document."""
        for table, rows in tables.items():
            self._held[shard, table][doc_id] = rows
            self._places[shard, table][doc_id] = _Place(None, 0, rows.height)
            self._n_held += max(rows.height, 1)
        if self._n_held >= self._held_rows:
            self._write_out()

    def read(self, shard: str, table: str, doc_ids: Sequence[str]) -> pl.DataFrame | None:
        """Rows of some documents, in the order of doc_id and then as they came; None where the shard has none at all."""
        places = self._places.get((shard, table))
        if not places:
            return None
        opened: dict[Path, pa.Table] = {}
        frames = []
        for doc_id in sorted(doc_ids):
            place = places.get(doc_id)
            if place is None:
                continue
            if place.file is None:
                frames.append(self._held[shard, table][doc_id].to_arrow(compat_level=pl.CompatLevel.newest()))
                continue
            if place.file not in opened:
                opened[place.file] = _mapped(place.file)
            frames.append(opened[place.file].slice(place.offset, place.height))
        return pl.DataFrame(pa.concat_tables(frames)) if frames else self._empty(shard, table)

    def drop(self, shard: str) -> None:
        """Forget the rows of a shard."""
        for place in [place for place in self._places if place[0] == shard]:
            self._n_held -= sum(max(rows.height, 1) for rows in self._held.pop(place, {}).values())
            del self._places[place]
            for path in self._files.pop(place, []):
                path.unlink()

    def _empty(self, shard: str, table: str) -> pl.DataFrame:
        held = self._held[shard, table]
        return next(iter(held.values())).clear() if held else pl.DataFrame(_mapped(self._files[shard, table][0]).slice(0, 0))

    def _write_out(self) -> None:
        for (shard, table), held in self._held.items():
            path = self._folder / f"spill-{self._n_files:06d}.arrow"
            pl.concat(held.values()).write_ipc(path)
            self._files[shard, table].append(path)
            self._n_files += 1
            offset = 0
            for doc_id, rows in held.items():
                self._places[shard, table][doc_id] = _Place(path, offset, rows.height)
                offset += rows.height
        self._held.clear()
        self._n_held = 0


def _mapped(path: Path) -> pa.Table:
    """Rows of a file as mapped pages: only what is used is read, and they outlive the file's name."""
    with pa.memory_map(str(path)) as source:
        return ipc.open_file(source).read_all()
