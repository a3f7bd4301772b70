"""TF-IDF over paragraphs: cosine of weighted word counts, on the tokens of the lexical index.

tf = 1 + ln(count), idf = ln((1 + N) / (1 + df)) + 1, N and df counted inside the documents asked for; rows brought to length 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from assets_store.lexical_index import LexicalIndex
from docnav_agent.baselines.parts.retriever import Retriever
from docnav_agent.search import Hit, Search
from docnav_agent.systems import NoParameters, System, SystemOptions, read_parameters


class TfIdf:
    """The ranking over the paragraphs of a search."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._index = LexicalIndex.open(search.graph.folder / "paragraph")
        # Questions of a data set ask the same few documents again and again.
        self._weights_in = lru_cache(maxsize=64)(self._weights)

    def __call__(self, query: str, scope: Sequence[str] | None, depth: int) -> list[Hit]:
        """All paragraphs that share a token with the query, at most `depth`, best first, equal scores by id."""
        index = self._index
        idf, lengths, inside = self._weights_in(None if scope is None else tuple(scope))
        scores = np.zeros(index.n_rows)
        asked = 0.0
        for token in self._search.query_tokens(query):
            number = index.term_number(token)
            if number is None:
                continue
            part = slice(int(index.offsets[number]), int(index.offsets[number + 1]))
            scores[index.rows[part]] += idf[number] ** 2 * (1 + np.log(index.counts[part]))
            asked += float(idf[number]) ** 2
        rows = np.flatnonzero((scores > 0) & inside)
        found = scores[rows] / (lengths[rows] * max(asked, 1e-12) ** 0.5)
        ids = [self._search.graph.rows.node_id_at("paragraph", row) for row in rows.tolist()]
        best = sorted(zip(ids, found.tolist(), strict=True), key=lambda hit: (-round(hit[1], 12), hit[0]))[:depth]
        return [Hit(node_id, score, {"tfidf": rank}) for rank, (node_id, score) in enumerate(best, start=1)]

    def _weights(self, scope: tuple[str, ...] | None) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
        """(idf of each term, length of each row, which rows are inside a scope)."""
        index = self._index
        ranges = self._search.graph.rows.level_ranges("paragraph", scope)
        inside = np.full(index.n_rows, ranges is None)
        for start, end in ranges or ():
            inside[start:end] = True
        terms = np.repeat(np.arange(len(index.offsets) - 1), np.diff(index.offsets))
        df = np.bincount(terms[inside[index.rows]], minlength=len(index.offsets) - 1)
        idf = np.log((1 + int(inside.sum())) / (1 + df)) + 1
        weights = (1 + np.log(index.counts.astype(np.float64))) * idf[terms]
        lengths = np.sqrt(np.bincount(index.rows, weights**2, index.n_rows))
        return idf, np.maximum(lengths, 1e-12), inside


def make_system(search: Search, options: SystemOptions) -> System:
    """The baseline over a search; it has no parameters."""
    read_parameters("tfidf", NoParameters, options)
    return Retriever("tfidf", TfIdf(search), search)
