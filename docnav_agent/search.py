"""LOCATE: dense and lexical search over a snapshot's indexes, and the fusion of their rankings."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from assets_store.dense_index import DenseIndex
from assets_store.errors import ModelError, SettingsError
from assets_store.lexical_index import LexicalIndex
from assets_store.models.analyzer import analyze
from docnav_agent.fusion import fuse_rankings, ranking_weights
from docnav_agent.graph import LEVELS, Graph, Ranges

if TYPE_CHECKING:
    from assets_store.models.encoder import Encoder

Mode = Literal["hybrid", "bm25", "dense", "rrf"]
MODES: tuple[str, ...] = get_args(Mode)


@dataclass(frozen=True, slots=True)
class Hit:
    """One result. score: higher is better, comparable within one result list. ranks: rank (1 = best) in each ranking that has it."""

    node_id: str
    score: float
    ranks: dict[str, int] = field(default_factory=dict)


class QueryEncoder(Protocol):
    """What a search needs of an encoder."""

    model_id: str

    def encode(self, texts: Sequence[str]) -> Any: ...


class Search:
    """Search over the indexes of a graph's snapshot. encoder: for queries; None loads the one of the settings when first needed."""

    def __init__(self, graph: Graph, encoder: QueryEncoder | None = None) -> None:
        self.graph = graph
        self._given_encoder = encoder
        self._head: dict[str, Any] = json.loads((graph.folder / "search.json").read_text(encoding="utf-8"))
        # Per search: asking the same question again at another level or scope is the rule, not the exception.
        self._query_vector = lru_cache(maxsize=256)(self._encode)

    def locate(
        self, query: str, level: str = "paragraph", scope: Collection[str] | None = None, k: int = 10, mode: str = "hybrid"
    ) -> list[Hit]:
        """Best nodes of a level for a query, best first, equal scores by id.

        scope: node ids whose subtrees are searched, None = everything; an empty scope finds nothing.
        mode: "hybrid" weighs both rankings by the query, "rrf" weighs them alike, "bm25" and "dense" take one.
        Raises UnknownNode for a scope that is none, ModelError where the encoder is not the one of the stored vectors.
        """
        if level not in LEVELS:
            raise SettingsError(f"unknown level {level!r}; expected one of: {', '.join(LEVELS)}")
        if mode not in MODES:
            raise SettingsError(f"unknown search mode {mode!r}; expected one of: {', '.join(MODES)}")
        ranges = self._ranges(level, scope)
        if k <= 0 or ranges == []:
            return []
        if mode == "bm25":
            return self._hits(self.lexical_ranking(query, level, ranges, k), k, "bm25")
        if mode == "dense":
            return self._hits(self.dense_ranking(query, level, ranges, k), k, "dense")
        depth = max(k, int(self._head["depth"]))
        rankings = {
            "bm25": self.lexical_ranking(query, level, ranges, depth),
            "dense": self.dense_ranking(query, level, ranges, depth),
        }
        weights = dict.fromkeys(rankings, 1.0) if mode == "rrf" else self._weights(query, level, rankings)
        ids = {name: [node_id for node_id, _ in ranking] for name, ranking in rankings.items()}
        ranks = {name: {node_id: rank for rank, node_id in enumerate(ranking, start=1)} for name, ranking in ids.items()}
        fused = fuse_rankings(ids, int(self._head["rrf_k"]), weights)
        return [Hit(node_id, score, {name: own[node_id] for name, own in ranks.items() if node_id in own}) for node_id, score in fused[:k]]

    def lexical_ranking(self, query: str, level: str, ranges: Ranges | None, k: int) -> list[tuple[str, float]]:
        """(node id, BM25 score), best first, equal scores by id; at most k. Nodes without a word of the query are left out."""
        return self._ordered(level, *self._lexical(level).search(self.query_tokens(query), k, ranges), k)

    def dense_ranking(self, query: str, level: str, ranges: Ranges | None, k: int) -> list[tuple[str, float]]:
        """(node id, cosine), best first, equal scores by id; at most k."""
        index = self._dense(level)
        if not index.dim:
            return []
        return self._ordered(level, *index.search(self._query_vector(query), k, ranges), k)

    def query_tokens(self, query: str) -> list[str]:
        """Tokens of a query in each language of the corpus, since a question is too short to tell its own."""
        tokens: dict[str, None] = {}
        for language in self._head["languages"] or [None]:
            tokens.update(dict.fromkeys(analyze(query, language)))
        return list(tokens)

    def idf(self, term: str, level: str = "paragraph") -> float:
        """Weight of a token at a level: 0 for one that the corpus does not hold, else above 0, larger for a rarer one."""
        lexical = self._lexical(level)
        return lexical.idf(term) if lexical.document_frequency(term) else 0.0

    def ceiling(self, query: str, level: str = "paragraph") -> float:
        """BM25 score that no node can pass for a query."""
        return (self._lexical(level).k1 + 1) * sum(self.idf(token, level) for token in self.query_tokens(query))

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of texts, float32 [n, dim], by the encoder of the stored vectors. Raises ModelError."""
        vectors: NDArray[np.float32] = self._encoder.encode(texts).vectors
        return vectors

    # -- inside

    def _ranges(self, level: str, scope: Collection[str] | None) -> Ranges | None:
        if level == "community":
            rows = self.graph.community_rows(scope)
            return None if rows is None else [(row, row + 1) for row in rows]
        return self.graph.level_ranges(level, scope)

    def _hits(self, ranking: list[tuple[str, float]], k: int, name: str) -> list[Hit]:
        return [Hit(node_id, score, {name: rank}) for rank, (node_id, score) in enumerate(ranking[:k], start=1)]

    def _ordered(self, level: str, rows: NDArray[np.int64], scores: NDArray[np.float32], k: int) -> list[tuple[str, float]]:
        found = [(self.graph.node_id_at(level, int(row)), float(score)) for row, score in zip(rows, scores, strict=True)]
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))[:k]

    def _weights(self, query: str, level: str, rankings: Mapping[str, Sequence[tuple[str, float]]]) -> dict[str, float]:
        lexical = self._lexical(level)
        return ranking_weights({token: lexical.idf(token) for token in self.query_tokens(query)}, rankings)

    @lru_cache(maxsize=4)  # noqa: B019 - a search lives as long as its process or its snapshot
    def _lexical(self, level: str) -> LexicalIndex:
        return LexicalIndex.open(self.graph.folder / level)

    @lru_cache(maxsize=4)  # noqa: B019
    def _dense(self, level: str) -> DenseIndex:
        return DenseIndex.open(self.graph.folder / level)

    @cached_property
    def _encoder(self) -> QueryEncoder:
        encoder: QueryEncoder | Encoder
        if self._given_encoder is not None:
            encoder = self._given_encoder
        else:
            from assets_store.models.encoder import load_encoder

            encoder = load_encoder(self.graph.settings.embeddings)
        stored = self._head["model"]
        if encoder.model_id != stored:
            raise ModelError(
                f"the vectors of snapshot {self.graph.snapshot.id} were made by {stored!r}, the setting embeddings.model gives "
                f"{encoder.model_id!r}; set embeddings.model to the first, or run `docnav index` to embed with the second"
            )
        return encoder

    def _encode(self, query: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.encode([query])[0]
        return vector
