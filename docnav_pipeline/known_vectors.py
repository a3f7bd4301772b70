"""Vectors that need not be made again: those of a document's last version, and of any document of the current snapshot."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from assets_store.errors import StoreError
from assets_store.store import Store

Known = dict[str, tuple[npt.NDArray[np.float32], int]]
_COLUMNS = ("text_hash", "vector", "n_windows")
# Hex digits of a hash that are compared first: 8 bytes a paragraph are held, not the hash.
_DIGITS = 16


class KnownVectors:
    """Vectors of one store by the hash of what was encoded, looked up while its `embeddings` are brought up to date."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def of_documents(self, shard: str, doc_ids: Sequence[str]) -> Known:
        """Vectors of the last version of some documents of a shard."""
        return _known(self._store.read("embeddings", [shard], _COLUMNS, doc_ids))

    def elsewhere(self, hashes: Collection[str]) -> Known:
        """Vectors of some hashes in any shard of the current snapshot: a renamed or moved document has them in another one."""
        wanted, found = pl.Series(sorted(hashes), dtype=pl.String), Known()
        for shard, prefixes in self._prefixes.items():
            # In most shards none is wanted, and then none of its vectors is read.
            if np.isin(_prefix(wanted), prefixes).any():
                try:
                    rows = self._store.snapshot().read("embeddings", _COLUMNS, [shard])
                except StoreError:
                    continue
                found.update(_known(rows.filter(pl.col("text_hash").is_in(wanted.implode()))))
        return found

    @cached_property
    def _prefixes(self) -> dict[str, npt.NDArray[np.uint64]]:
        """First digits of all hashes of each shard, sorted; without shards that are lost or damaged, which are encoded again."""
        prefixes: dict[str, npt.NDArray[np.uint64]] = {}
        if self._store.log.current_id() is None:
            return prefixes
        snapshot = self._store.snapshot()
        for shard in self._store.shard_keys:
            try:
                prefixes[shard] = np.unique(_prefix(snapshot.read("embeddings", ["text_hash"], [shard])["text_hash"]))
            except StoreError:
                continue
        return prefixes


def _prefix(hashes: pl.Series) -> npt.NDArray[np.uint64]:
    return hashes.str.head(_DIGITS).str.to_integer(base=16, dtype=pl.UInt64).to_numpy()


def _known(rows: pl.DataFrame) -> Known:
    return {row[0]: (np.asarray(row[1], dtype=np.float32), row[2]) for row in rows.select(_COLUMNS).iter_rows()}
