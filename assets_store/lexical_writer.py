"""Writes a BM25 index of one level: rows are analysed, or taken over from an earlier index, and turned into postings on disk."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from assets_store.lexical_index import FORMAT, PRINT, LexicalIndex
from assets_store.mapped import load_mapped
from assets_store.models.analyzer import ANALYZER_NAME, analyze
from assets_store.postings import Piece, transpose

_MOST = np.iinfo(np.uint16).max
# Pairs of an earlier index that are held in memory at a time.
_PIECE_POSTINGS = 4_000_000


@dataclass(frozen=True, slots=True)
class LexicalCounts:
    """What an index holds. taken_over: rows that came from an earlier index without analysis."""

    rows: int
    terms: int
    taken_over: int


class LexicalWriter:
    """Writes an index into an existing, empty folder, row by row; memory holds the terms and one piece of rows.

    scratch: an empty folder for what is put together at the end. previous: an index from which rows of equal text and language are
    taken over, so that the cost of analysis follows what changed. piece_rows: how many rows are held in memory.
    """

    def __init__(
        self, folder: Path, scratch: Path, k1: float, b: float, previous: LexicalIndex | None = None, piece_rows: int = 16_384
    ) -> None:
        self._folder, self._scratch, self._piece_rows = folder, scratch, piece_rows
        self._k1, self._b = k1, b
        self._known, self._previous = _KnownRows(previous, scratch), previous
        self._numbers: dict[str, int] = {}
        self._rows: list[tuple[NDArray[np.int32], NDArray[np.uint16]]] = []
        self._pieces: list[Path] = []
        self._lengths: list[int] = []
        self._prints: list[bytes] = []

    def append(self, text: str, language: str | None) -> None:
        """Add the next row."""
        print_ = _fingerprint(text, language)
        row = self._known.row(print_)
        if row is None or self._previous is None:
            tokens = analyze(text, language)
            counted = Counter(tokens)
            numbers = self._numbers
            terms = np.fromiter((numbers.setdefault(term, len(numbers)) for term in counted), np.int32, len(counted))
            counts = np.minimum(np.fromiter(counted.values(), np.int64, len(counted)), _MOST).astype(np.uint16)
            self._rows.append((terms, counts))
            self._lengths.append(len(tokens))
        else:
            self._rows.append(self._known.terms_and_counts(self._previous, row, self._numbers))
            self._lengths.append(int(self._previous.lengths[row]))
        self._prints.append(print_)
        if len(self._rows) == self._piece_rows:
            self._put_aside()

    def close(self) -> LexicalCounts:
        """Write the files. Nothing can be added afterwards."""
        self._put_aside()
        terms = sorted(self._numbers)
        new_number = np.empty(len(terms), np.int32)
        new_number[np.fromiter((self._numbers[term] for term in terms), np.int64, len(terms))] = np.arange(len(terms), dtype=np.int32)
        sizes = np.zeros(len(terms), np.int64)
        for _, columns, _ in self._aside():
            sizes += np.bincount(new_number[columns], minlength=len(terms))
        by_row = ((rows, new_number[columns], counts) for rows, columns, counts in self._aside())
        offsets = transpose(by_row, sizes, self._folder, ("rows", "counts"))
        np.save(self._folder / "offsets.npy", offsets)
        np.save(self._folder / "lengths.npy", np.array(self._lengths, dtype=np.int32))
        np.save(self._folder / "prints.npy", np.frombuffer(b"".join(self._prints), dtype=PRINT))
        _write_terms(self._folder / "terms.arrow", terms)
        head = {
            "format": FORMAT,
            "analyzer": ANALYZER_NAME,
            "k1": self._k1,
            "b": self._b,
            "rows": len(self._lengths),
            "terms": len(terms),
            "average_length": sum(self._lengths) / max(1, len(self._lengths)),
        }
        (self._folder / "lexical.json").write_text(json.dumps(head, indent=1), encoding="utf-8")
        return LexicalCounts(rows=len(self._lengths), terms=len(terms), taken_over=self._known.taken)

    def _put_aside(self) -> None:
        if self._rows:
            path = self._scratch / f"rows-{len(self._pieces):06d}.npz"
            terms, counts = zip(*self._rows, strict=True)
            np.savez(
                path, sizes=np.array([part.size for part in terms], np.int64), terms=np.concatenate(terms), counts=np.concatenate(counts)
            )
            self._pieces.append(path)
            self._rows = []

    def _aside(self) -> Iterator[Piece]:
        for path in self._pieces:
            with np.load(path) as arrays:
                yield arrays["sizes"], arrays["terms"], arrays["counts"]


def write_lexical_index(
    folder: Path, texts: Iterable[tuple[str, str | None]], k1: float, b: float, previous: LexicalIndex | None = None
) -> LexicalCounts:
    """Write an index of (text, language) of each row, in order, into an existing, empty folder. See `LexicalWriter`."""
    with TemporaryDirectory(prefix="docnav-") as scratch:
        writer = LexicalWriter(folder, Path(scratch), k1, b, previous)
        for text, language in texts:
            writer.append(text, language)
        return writer.close()


def _fingerprint(text: str, language: str | None) -> bytes:
    head = f"{ANALYZER_NAME}\0{language or ''}\0"
    return hashlib.blake2b((head + text).encode("utf-8", "surrogatepass"), digest_size=PRINT.itemsize).digest()


class _KnownRows:
    """Rows of an earlier index by fingerprint, as terms and counts. taken: rows that were asked for and found."""

    def __init__(self, index: LexicalIndex | None, scratch: Path) -> None:
        self.taken = 0
        self._index = index if index is not None and index.n_rows else None
        self._scratch = scratch
        if self._index is not None:
            # Half of a print finds the row, the other half makes sure: sorted numbers take a tenth of a dict of bytes.
            self._halves = np.frombuffer(self._index.prints.tobytes(), np.uint64).reshape(-1, 2)
            self._order = np.argsort(self._halves[:, 0], kind="stable")
            self._sorted = self._halves[self._order, 0]
            self._new = np.full(len(self._index.terms), -1, dtype=np.int32)

    def row(self, print_: bytes) -> int | None:
        if self._index is None:
            return None
        first, second = np.frombuffer(print_, np.uint64)
        at = int(np.searchsorted(self._sorted, first))
        while at < len(self._sorted) and self._sorted[at] == first:
            row = int(self._order[at])
            if self._halves[row, 1] == second:
                self.taken += 1
                return row
            at += 1
        return None

    def terms_and_counts(self, index: LexicalIndex, row: int, numbers: dict[str, int]) -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
        offsets, terms, counts = self._by_row
        part = slice(int(offsets[row]), int(offsets[row + 1]))
        old = np.asarray(terms[part])
        for number in old[self._new[old] < 0].tolist():
            self._new[number] = numbers.setdefault(index.terms[number].as_py(), len(numbers))
        return self._new[old], np.asarray(counts[part])

    @cached_property
    def _by_row(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.uint16]]:
        """The earlier index turned round: offsets of rows, terms, counts."""
        index = self._index
        assert index is not None
        sizes = np.zeros(index.n_rows, np.int64)
        for _, rows, _ in _by_term(index):
            sizes += np.bincount(rows, minlength=index.n_rows)
        offsets = transpose(_by_term(index), sizes, self._scratch, ("known-terms", "known-counts"))
        terms, counts = (load_mapped(self._scratch / f"{name}.npy") for name in ("known-terms", "known-counts"))
        return offsets, terms, counts


def _by_term(index: LexicalIndex) -> Iterator[Piece]:
    """The postings of an index in pieces of whole terms."""
    first = 0
    while first < len(index.terms):
        last = max(first + 1, int(np.searchsorted(index.offsets, index.offsets[first] + _PIECE_POSTINGS, side="right")) - 1)
        part = slice(int(index.offsets[first]), int(index.offsets[last]))
        yield np.diff(index.offsets[first : last + 1]), np.asarray(index.rows[part]), np.asarray(index.counts[part])
        first = last


def _write_terms(path: Path, terms: list[str]) -> None:
    array = pa.array(terms, pa.large_string())
    batch = pa.record_batch([array], names=["term"])
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, batch.schema) as writer:
        writer.write_batch(batch)
