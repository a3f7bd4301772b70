"""LOCATE: dense and lexical search over a snapshot's indexes, and the fusion of their rankings."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from assets_store.dense_index import DenseIndex
from assets_store.errors import ModelError, SchemaError, SettingsError
from assets_store.lexical_index import LexicalIndex
from docnav_agent.fusion import fuse_matches, fuse_rankings
from docnav_agent.graph import Graph
from docnav_agent.nodes import LEVELS
from docnav_agent.query import query_analyses
from docnav_agent.rows import Ranges

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
        self._head = _read_head(graph)
        # Per search: asking the same question again at another level or scope is the rule, not the exception.
        self._query_vector = lru_cache(maxsize=256)(lambda query: self.encode([query])[0])
        self._analyses = lru_cache(maxsize=256)(lambda query: query_analyses(query, self._head["languages"]))
        self._lexical = lru_cache(maxsize=len(LEVELS))(lambda level: LexicalIndex.open(graph.folder / level))
        self._dense = lru_cache(maxsize=len(LEVELS))(lambda level: DenseIndex.open(graph.folder / level))

    def locate(
        self, query: str, level: str = "paragraph", scope: Collection[str] | None = None, k: int = 10, mode: str = "hybrid"
    ) -> list[Hit]:
        """Best nodes of a level for a query, best first, equal scores by id.

        scope: node ids whose subtrees are searched, None = everything; an empty scope finds nothing.
        mode: "hybrid" fuses both rankings with how well each node matched, "rrf" by ranks alone, "bm25" and "dense" take one.
        Raises UnknownNode for a scope that is none, ModelError where the encoder is not the one of the stored vectors.
        """
        if level not in LEVELS:
            raise SettingsError(f"unknown level {level!r}; expected one of: {', '.join(LEVELS)}")
        if mode not in MODES:
            raise SettingsError(f"unknown search mode {mode!r}; expected one of: {', '.join(MODES)}")
        ranges = self._ranges(level, scope)
        if k <= 0 or ranges == []:
            return []
        if mode in ("bm25", "dense"):
            rows, scores = self._search(mode, query, level, ranges, k)
            ranking = _by_score(self._ids(level, rows), scores)[:k]
            return [Hit(node_id, score, {mode: rank}) for rank, (node_id, score) in enumerate(ranking, start=1)]
        return self._fused(query, level, ranges, k, plain=mode == "rrf")

    def query_tokens(self, query: str) -> list[str]:
        """Tokens of a query in the languages of the corpus that it may be in, without repeats."""
        return list(dict.fromkeys(token for analysis in self._analyses(query) for token in analysis))

    def idf(self, token: str, level: str = "paragraph") -> float:
        """Weight of a token at a level, larger for a rarer one; 0 for one that no node holds."""
        lexical = self._lexical(level)
        return lexical.idf(token) if lexical.document_frequency(token) else 0.0

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of texts, float32 [n, dim], by the encoder of the stored vectors. Raises ModelError."""
        vectors: NDArray[np.float32] = self._encoder.encode(texts).vectors
        return vectors

    # -- inside

    def _ranges(self, level: str, scope: Collection[str] | None) -> Ranges | None:
        if level == "community":
            rows = self.graph.rows.community_rows(scope)
            return None if rows is None else [(row, row + 1) for row in rows]
        return self.graph.rows.level_ranges(level, scope)

    def _search(self, mode: str, query: str, level: str, ranges: Ranges | None, k: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        if mode == "bm25":
            return self._lexical(level).search(self.query_tokens(query), k, ranges)
        index = self._dense(level)
        # Without a row there is no vector either, and no reason to load an encoder.
        return index.search(self._query_vector(query) if index.dim else np.empty(0, np.float32), k, ranges)

    def _fused(self, query: str, level: str, ranges: Ranges | None, k: int, plain: bool) -> list[Hit]:
        settings = self.graph.settings.search
        depth = max(k, settings.depth)
        rankings, found = {}, []
        for name in ("bm25", "dense"):
            rows, scores = self._search(name, query, level, ranges, depth)
            rankings[name] = [node_id for node_id, _ in _by_score(self._ids(level, rows), scores)[:depth]]
            found.append(rows)
        if plain:
            fused = fuse_rankings(rankings, settings.rrf_k)
        else:
            fused = fuse_matches(rankings, self._matches(query, level, ranges, np.unique(np.concatenate(found))), settings.rrf_k)
        ranks = {name: {node_id: rank for rank, node_id in enumerate(ranking, start=1)} for name, ranking in rankings.items()}
        return [Hit(node_id, score, {name: own[node_id] for name, own in ranks.items() if node_id in own}) for node_id, score in fused[:k]]

    def _matches(self, query: str, level: str, ranges: Ranges | None, rows: NDArray[np.int64]) -> dict[str, dict[str, float]]:
        """How well rows match a query, by ranking: the share of the query's lexical weight that they hold, and their cosine."""
        lexical, dense = self._lexical(level), self._dense(level)
        ids = self._ids(level, rows)
        # The corpus may hold the query in one of several languages; the one that it holds most of sets the scale.
        highest = min((lexical.highest_score(analysis, ranges) for analysis in self._analyses(query)), default=0.0)
        shares = lexical.scores(self.query_tokens(query), rows, ranges) / (highest or 1.0)
        cosines = dense.scores(self._query_vector(query), rows) if dense.dim else np.zeros(rows.size)
        return {
            "bm25": {node_id: min(1.0, float(share)) for node_id, share in zip(ids, shares, strict=True)},
            "dense": {node_id: float(cosine) for node_id, cosine in zip(ids, cosines, strict=True)},
        }

    def _ids(self, level: str, rows: NDArray[np.int64]) -> list[str]:
        return [self.graph.rows.node_id_at(level, row) for row in rows.tolist()]

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


def _by_score(ids: Sequence[str], scores: NDArray[np.float32]) -> list[tuple[str, float]]:
    return sorted(zip(ids, scores.tolist(), strict=True), key=lambda hit: (-hit[1], hit[0]))


def _read_head(graph: Graph) -> dict[str, Any]:
    try:
        head: dict[str, Any] = json.loads((graph.folder / "search.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SchemaError(f"snapshot {graph.snapshot.id} has no search index: {error}; run `docnav index` to write it anew") from error
    return head
