"""BM25 index of one level as memory-mapped arrays: written by the pipeline, read by the agent.

    lexical.json    format, analyser, k1, b, number of rows, average length
    terms.arrow     terms in code point order; the position of a term is its number
    offsets.npy     int64 [n_terms + 1], postings of term t are offsets[t]..offsets[t + 1]
    rows.npy        int32 [n_postings], ascending within a term
    counts.npy      uint16 [n_postings], occurrences of the term in the row, at most 65,535
    lengths.npy     int32 [n_rows], tokens of a row
    prints.npy      16 bytes [n_rows], hash of the text and language of a row

Counts are stored rather than finished scores, and hashes of the texts with them, so a rebuild takes over rows that did not
change.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from assets_store.errors import SchemaError, StoreVersionError
from assets_store.models.analyzer import ANALYZER_NAME, analyze
from assets_store.top_rows import top_rows

FORMAT = "docnav-bm25-2"
_MOST = np.iinfo(np.uint16).max
_PRINT = np.dtype("V16")

Ranges = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class LexicalCounts:
    """What an index holds. taken_over: rows that came from an earlier index without analysis."""

    rows: int
    terms: int
    taken_over: int


def write_lexical_index(
    folder: Path, texts: Iterable[tuple[str, str | None]], k1: float, b: float, previous: LexicalIndex | None = None
) -> LexicalCounts:
    """Write an index into an existing, empty folder.

    texts: (text, language) of each row, in order. previous: an index from which rows of equal text and language are taken
    over, so that the cost of analysis follows what changed.
    """
    from scipy.sparse import csr_array

    known = _KnownRows(previous)
    numbers: dict[str, int] = {}
    terms_of_rows: list[NDArray[np.int32]] = []
    counts_of_rows: list[NDArray[np.uint16]] = []
    lengths: list[int] = []
    prints: list[bytes] = []
    for text, language in texts:
        prints.append(_fingerprint(text, language))
        row = known.row(prints[-1])
        if row is None:
            tokens = analyze(text, language)
            counted = Counter(tokens)
            terms_of_rows.append(np.fromiter((numbers.setdefault(term, len(numbers)) for term in counted), np.int32, len(counted)))
            counts_of_rows.append(np.minimum(np.fromiter(counted.values(), np.int64, len(counted)), _MOST).astype(np.uint16))
            lengths.append(len(tokens))
        else:
            terms_of_rows.append(known.terms_of(row, numbers))
            counts_of_rows.append(known.counts_of(row))
            lengths.append(known.length_of(row))
    terms = sorted(numbers)
    new_number = np.empty(len(terms), dtype=np.int32)
    for number, term in enumerate(terms):
        new_number[numbers[term]] = number
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum([part.size for part in terms_of_rows], out=starts[1:])
    columns = new_number[np.concatenate(terms_of_rows)] if starts[-1] else np.empty(0, np.int32)
    counts = np.concatenate(counts_of_rows) if starts[-1] else np.empty(0, np.uint16)
    # Turning rows of terms into terms of rows keeps the rows of a term in ascending order.
    by_term = csr_array((counts, columns, starts), shape=(len(lengths), len(terms))).tocsc()
    np.save(folder / "offsets.npy", by_term.indptr.astype(np.int64))
    np.save(folder / "rows.npy", by_term.indices.astype(np.int32))
    np.save(folder / "counts.npy", by_term.data.astype(np.uint16))
    np.save(folder / "lengths.npy", np.array(lengths, dtype=np.int32))
    np.save(folder / "prints.npy", np.frombuffer(b"".join(prints), dtype=_PRINT))
    _write_terms(folder / "terms.arrow", terms)
    head = {
        "format": FORMAT,
        "analyzer": ANALYZER_NAME,
        "k1": k1,
        "b": b,
        "rows": len(lengths),
        "terms": len(terms),
        "average_length": sum(lengths) / max(1, len(lengths)),
    }
    (folder / "lexical.json").write_text(json.dumps(head, indent=1), encoding="utf-8")
    return LexicalCounts(rows=len(lengths), terms=len(terms), taken_over=known.taken)


def _fingerprint(text: str, language: str | None) -> bytes:
    head = f"{ANALYZER_NAME}\0{language or ''}\0"
    return hashlib.blake2b((head + text).encode("utf-8", "surrogatepass"), digest_size=_PRINT.itemsize).digest()


class _KnownRows:
    """Rows of an earlier index by fingerprint, as terms and counts. taken: rows that were asked for and found."""

    def __init__(self, index: LexicalIndex | None) -> None:
        self.taken = 0
        self._row_of: dict[bytes, int] = {}
        if index is None or not index.n_rows:
            return
        from scipy.sparse import csc_array

        self._row_of = {key: row for row, key in enumerate(index.prints.tolist())}
        by_term = csc_array((index.counts, index.rows, index.offsets), shape=(index.n_rows, len(index.terms)))
        self._by_row = by_term.tocsr()
        self._lengths = index.lengths
        self._terms: list[str] = index.terms.to_pylist()
        self._new = np.full(len(self._terms), -1, dtype=np.int32)

    def row(self, print_: bytes) -> int | None:
        found = self._row_of.get(print_)
        self.taken += found is not None
        return found

    def terms_of(self, row: int, numbers: dict[str, int]) -> NDArray[np.int32]:
        old = self._by_row.indices[self._by_row.indptr[row] : self._by_row.indptr[row + 1]]
        for number in old[self._new[old] < 0].tolist():
            self._new[number] = numbers.setdefault(self._terms[number], len(numbers))
        return np.asarray(self._new[old], dtype=np.int32)

    def counts_of(self, row: int) -> NDArray[np.uint16]:
        return np.asarray(self._by_row.data[self._by_row.indptr[row] : self._by_row.indptr[row + 1]], dtype=np.uint16)

    def length_of(self, row: int) -> int:
        return int(self._lengths[row])


def _write_terms(path: Path, terms: list[str]) -> None:
    array = pa.array(terms, pa.large_string())
    batch = pa.record_batch([array], names=["term"])
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, batch.schema) as writer:
        writer.write_batch(batch)


@dataclass(frozen=True, slots=True)
class LexicalIndex:
    """An opened index. n_rows: rows, also those without a token. average_length: tokens per row."""

    n_rows: int
    k1: float
    b: float
    average_length: float
    terms: pa.Array
    offsets: NDArray[np.int64]
    rows: NDArray[np.int32]
    counts: NDArray[np.uint16]
    lengths: NDArray[np.int32]
    prints: NDArray[np.void]

    @classmethod
    def open(cls, folder: Path) -> LexicalIndex:
        """Open an index, memory-mapped. Raises StoreVersionError where another format or analyser made it."""
        try:
            head = json.loads((folder / "lexical.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise SchemaError(f"no lexical index in {folder}: {error}; run `docnav index` to write it anew") from error
        for key, expected in (("format", FORMAT), ("analyzer", ANALYZER_NAME)):
            if head.get(key) != expected:
                raise StoreVersionError(
                    f"the lexical index was made with {key} {head.get(key)!r}, this version reads {expected!r}; "
                    "run `docnav index` to write it anew"
                )
        names = ("offsets", "rows", "counts", "lengths", "prints")
        arrays = {
            name: np.load(folder / f"{name}.npy", mmap_mode="r" if (folder / f"{name}.npy").stat().st_size > 128 else None)
            for name in names
        }
        terms = pa.ipc.open_file(pa.memory_map(str(folder / "terms.arrow"))).get_batch(0).column("term")
        return cls(head["rows"], head["k1"], head["b"], head["average_length"], terms, **arrays)

    def term_number(self, term: str) -> int | None:
        """Number of a term, None where no row has it."""
        low, high = 0, len(self.terms)
        while low < high:
            middle = (low + high) // 2
            if self.terms[middle].as_py() < term:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self.terms) and self.terms[low].as_py() == term else None

    def document_frequency(self, term: str) -> int:
        """Rows that have the term."""
        number = self.term_number(term)
        return 0 if number is None else int(self.offsets[number + 1] - self.offsets[number])

    def idf(self, term: str) -> float:
        """Weight of a term: ln(1 + (N - df + 0.5) / (df + 0.5)), above 0."""
        return _idf(self.document_frequency(term), self.n_rows)

    def search(self, tokens: Sequence[str], k: int, ranges: Ranges | None = None) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Best rows for query tokens: (rows in ascending order, their BM25 scores); only rows that have a token.

        At least k rows where so many match, more where scores at the k-th place are equal.
        ranges: ascending, disjoint row ranges to which the search is limited; None = all rows. How rare a word is, is counted
        inside them: the name of a device is rare in a library and says nothing inside the device's manual.
        """
        scores = np.zeros(self.n_rows, dtype=np.float32)
        for slices, weight in self._postings(tokens, ranges):
            for part in slices:
                rows = self.rows[part]
                scores[rows] += self._weighted(weight, rows, self.counts[part])
        matched = np.flatnonzero(scores)
        best = matched[top_rows(scores[matched], k)]
        return best, scores[best]

    def scores(self, tokens: Sequence[str], rows: NDArray[np.int64], ranges: Ranges | None = None) -> NDArray[np.float32]:
        """BM25 scores of some rows of the ranges, float32 [len(rows)], as a search in them gives; 0 for a row without a token."""
        scores = np.zeros(rows.size, dtype=np.float32)
        for slices, weight in self._postings(tokens, ranges):
            for part in slices:
                of_term = self.rows[part]
                places = np.searchsorted(of_term, rows)
                has = np.flatnonzero(of_term[np.minimum(places, of_term.size - 1)] == rows)
                scores[has] += self._weighted(weight, rows[has], self.counts[part.start + places[has]])
        return scores

    def highest_score(self, tokens: Sequence[str], ranges: Ranges | None = None) -> float:
        """What a row of the ranges would score that holds every token without end: the sum of idf * (k1 + 1). 0 for no token."""
        n_rows = self._size(ranges)
        return sum(_idf(self._frequency(self._slices(token, ranges)), n_rows) for token in tokens) * (self.k1 + 1)

    def _postings(self, tokens: Sequence[str], ranges: Ranges | None) -> Iterator[tuple[list[slice], float]]:
        """Slices of the postings of each token inside the ranges, none empty, and its weight there.

        In the order of tokens, so that sums of equal queries are equal to the last bit.
        """
        n_rows = self._size(ranges)
        for token, repeats in sorted(Counter(tokens).items()):
            slices = self._slices(token, ranges)
            if slices:
                yield slices, _idf(self._frequency(slices), n_rows) * repeats

    def _slices(self, token: str, ranges: Ranges | None) -> list[slice]:
        number = self.term_number(token)
        if number is None:
            return []
        start, end = int(self.offsets[number]), int(self.offsets[number + 1])
        if ranges is None:
            return [slice(start, end)]
        bounds = start + np.searchsorted(self.rows[start:end], np.array(ranges, dtype=np.int64).reshape(-1, 2))
        return [slice(first, last) for first, last in bounds.tolist() if last > first]

    def _size(self, ranges: Ranges | None) -> int:
        return self.n_rows if ranges is None else sum(end - start for start, end in ranges)

    @staticmethod
    def _frequency(slices: Sequence[slice]) -> int:
        return sum(part.stop - part.start for part in slices)

    def _weighted(self, weight: float, rows: NDArray[Any], counts: NDArray[np.uint16]) -> NDArray[np.float32]:
        tf = counts.astype(np.float32)
        norm = self.k1 * (1 - self.b + self.b * self.lengths[rows] / max(self.average_length, 1e-9))
        return np.asarray(weight * (self.k1 + 1) * tf / (tf + norm), dtype=np.float32)


def _idf(df: int, n_rows: int) -> float:
    return math.log1p((n_rows - df + 0.5) / (df + 0.5))
