"""Writes the vectors of one level segment by segment, and their approximate indexes where they are many."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assets_store.dense_index import CHUNK, FORMAT, read_head
from assets_store.errors import SchemaError, StoreVersionError

_CONNECTIVITY = 16
_EXPANSION_ADD = 128
_HASH_BYTES = 16


@dataclass(frozen=True, slots=True)
class DenseCounts:
    """What an index holds. graphs: approximate indexes; kept: those that were taken over from an earlier index."""

    vectors: int
    graphs: int
    kept: int


class DenseWriter:
    """Writes an index into an existing, empty folder; memory holds one segment.

    previous: folder of an earlier index, from which approximate indexes of unchanged segments are taken over.
    """

    def __init__(self, folder: Path, previous: Path | None = None) -> None:
        self._folder, self._previous = folder, previous
        self._stream = (folder / "vectors.f32").open("wb")
        self._dim = 0
        self._present: list[NDArray[np.bool_]] = []
        self._segments: list[dict[str, Any]] = []

    def append(self, vectors: NDArray[np.float32]) -> None:
        """Add a segment. vectors: float32 [n_rows, dim], rows of length 1 or all zeros for none; dim 0 where no row has a vector."""
        first = self._segments[-1]["end"] if self._segments else 0
        n, dim = vectors.shape
        if dim and not self._dim:
            # Segments before this one had no vector at all.
            self._dim = dim
            self._stream.write(bytes(4 * dim * first))
        if dim not in (0, self._dim):
            raise SchemaError(f"vectors of {dim} and of {self._dim} dimensions in one index; rebuild them with one model")
        rows = np.ascontiguousarray(vectors, np.float32) if dim else np.zeros((n, self._dim), np.float32)
        rows.tofile(self._stream)
        self._present.append(np.any(rows, axis=1) if rows.size else np.zeros(n, np.bool_))
        digest = hashlib.blake2b(rows.tobytes(), digest_size=_HASH_BYTES).hexdigest()
        self._segments.append({"first": first, "end": first + n, "hash": digest, "ann": False})

    def close(self, model: str, ann_rows: int) -> DenseCounts:
        """Write what is left. Nothing can be added afterwards.

        model: id of the model that made them. ann_rows: from this many vectors on, approximate indexes are built.
        """
        self._stream.close()
        present = np.concatenate(self._present) if self._present else np.zeros(0, np.bool_)
        np.save(self._folder / "present.npy", present)
        n_vectors = int(present.sum())
        kept = self._write_graphs(model, present) if n_vectors >= ann_rows else 0
        head = {"format": FORMAT, "model": model, "rows": present.size, "dim": self._dim, "segments": self._segments}
        (self._folder / "dense.json").write_text(json.dumps(head, indent=1), encoding="utf-8")
        return DenseCounts(n_vectors, sum(segment["ann"] for segment in self._segments), kept)

    def _write_graphs(self, model: str, present: NDArray[np.bool_]) -> int:
        """Write the graph of each segment that has vectors; how many of them were taken over."""
        vectors = np.memmap(self._folder / "vectors.f32", np.float32, "r", shape=(present.size, self._dim)).view(np.ndarray)
        earlier, kept = _earlier_graphs(self._previous, model), 0
        for number, segment in enumerate(self._segments):
            part = slice(segment["first"], segment["end"])
            rows = np.flatnonzero(present[part])
            if not rows.size:
                continue
            segment["ann"] = True
            path = self._folder / f"ann-{number}.usearch"
            if segment["hash"] in earlier:
                _link(earlier[segment["hash"]], path)
                kept += 1
            else:
                _write_graph(path, vectors[part], rows)
        return kept


def write_dense_index(folder: Path, vectors: NDArray[np.float32], model: str, ann_rows: int) -> DenseCounts:
    """Write an index of one segment into an existing, empty folder. See `DenseWriter`."""
    writer = DenseWriter(folder)
    writer.append(vectors)
    return writer.close(model, ann_rows)


def _earlier_graphs(folder: Path | None, model: str) -> dict[str, Path]:
    """Approximate indexes of an earlier folder by the hash of their vectors."""
    if folder is None:
        return {}
    try:
        head = read_head(folder)
    except (SchemaError, StoreVersionError):
        return {}  # made by another version, or removed meanwhile: built anew
    paths = {s["hash"]: folder / f"ann-{number}.usearch" for number, s in enumerate(head["segments"]) if s["ann"]}
    return {digest: path for digest, path in paths.items() if head["model"] == model and path.exists()}


def _link(source: Path, target: Path) -> None:
    """The same file under a second name, since files of an index never change; a copy where the file system has no such names."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _write_graph(path: Path, vectors: NDArray[np.float32], rows: NDArray[np.int64]) -> None:
    from usearch.index import Index

    index = Index(ndim=vectors.shape[1], metric="ip", dtype="bf16", connectivity=_CONNECTIVITY, expansion_add=_EXPANSION_ADD)
    for start in range(0, rows.size, CHUNK):
        part = rows[start : start + CHUNK]
        index.add(part.astype(np.uint64), vectors[part])
    index.save(str(path))
