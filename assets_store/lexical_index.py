"""BM25 index of one level as memory-mapped arrays, written by `lexical_writer`.

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
from assets_store.mapped import load_mapped
from assets_store.models.analyzer import ANALYZER_NAME
from assets_store.top_rows import top_rows

FORMAT = "docnav-bm25-2"
PRINT = np.dtype("V16")

# From this many rows on a word is worth the look whether the rows found so far are enough.
_COMMON = 10_000
_SLACK = 1e-4

Ranges = Sequence[tuple[int, int]]


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
        arrays = {name: load_mapped(folder / f"{name}.npy") for name in names}
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
        postings = list(self._postings(tokens, ranges))
        # What the tokens from each place on can add to a row at most.
        left = np.cumsum([0.0, *(weight * (self.k1 + 1) for _, weight in reversed(postings))])[::-1]
        for at, (slices, weight) in enumerate(postings):
            # The words before weigh less than half as long as more than half is left, and then no row can be sure of its place.
            is_time = self._frequency(slices) > _COMMON and 2 * left[at] < left[0]
            if is_time and (best := self._candidates(scores, k, float(left[at]))) is not None:
                # No other row can come among the best any more, so the common words are looked up in these alone.
                held = scores[best]
                self._add(held, best, postings[at:])
                final = top_rows(held, k)
                return best[final], held[final]
            for part in slices:
                rows = self.rows[part]
                scores[rows] += self._weighted(weight, rows, self.counts[part])
        matched = np.flatnonzero(scores)
        best = matched[top_rows(scores[matched], k)]
        return best, scores[best]

    def _candidates(self, scores: NDArray[np.float32], k: int, left: float) -> NDArray[np.int64] | None:
        """Rows that can be among the k best when a row may still gain `left`; None where a row without a token so far can be."""
        matched = np.flatnonzero(scores)
        if matched.size <= k:
            return None
        held = scores[matched]
        floor = float(np.partition(held, held.size - k)[held.size - k])
        # The sums are in single precision.
        return matched[held >= floor - left - _SLACK * floor] if floor > left * (1 + _SLACK) else None

    def scores(self, tokens: Sequence[str], rows: NDArray[np.int64], ranges: Ranges | None = None) -> NDArray[np.float32]:
        """BM25 scores of some rows of the ranges, float32 [len(rows)], as a search in them gives; 0 for a row without a token."""
        scores = np.zeros(rows.size, dtype=np.float32)
        self._add(scores, rows, self._postings(tokens, ranges))
        return scores

    def _add(self, scores: NDArray[np.float32], rows: NDArray[np.int64], postings: Iterable[tuple[list[slice], float]]) -> None:
        """Add what tokens give to some rows. scores: float32 [len(rows)]."""
        for slices, weight in postings:
            for part in slices:
                of_term = self.rows[part]
                places = np.searchsorted(of_term, rows)
                has = np.flatnonzero(of_term[np.minimum(places, of_term.size - 1)] == rows)
                scores[has] += self._weighted(weight, rows[has], self.counts[part.start + places[has]])

    def highest_score(self, tokens: Sequence[str], ranges: Ranges | None = None) -> float:
        """What a row of the ranges would score that holds every token without end: the sum of idf * (k1 + 1). 0 for no token."""
        n_rows = self._size(ranges)
        return sum(_idf(self._frequency(self._slices(token, ranges)), n_rows) for token in tokens) * (self.k1 + 1)

    def _postings(self, tokens: Sequence[str], ranges: Ranges | None) -> Iterator[tuple[list[slice], float]]:
        """Slices of the postings of each token inside the ranges, none empty, and its weight there.

        The weightiest first, equal ones by token, so that sums of equal queries are equal to the last bit.
        """
        n_rows = self._size(ranges)
        found = []
        for token, repeats in Counter(tokens).items():
            slices = self._slices(token, ranges)
            if slices:
                found.append((-_idf(self._frequency(slices), n_rows) * repeats, token, slices))
        for weight, _, slices in sorted(found):
            yield slices, -weight

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
