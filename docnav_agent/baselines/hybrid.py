"""BM25 and dense paragraphs by plain reciprocal rank fusion, both weighing alike; a cross-encoder reorders the best where one is set."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from docnav_agent.baselines.parts.cross_encoder import load_cross_encoder
from docnav_agent.baselines.parts.retriever import Rank, Retriever, rank_by_search
from docnav_agent.search import Hit, Search
from docnav_agent.systems import System, SystemOptions, read_parameters


class Parameters(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    reranker: str = Field("", description="Folder or hub name of a cross-encoder; empty for fusion alone.")
    rerank_depth: int = Field(50, ge=1, le=1000, description="Paragraphs that the cross-encoder reads.")


def make_system(search: Search, options: SystemOptions) -> System:
    """The baseline over a search. Raises ModelError where the cross-encoder cannot be had."""
    parameters = read_parameters("hybrid", Parameters, options)
    fused = rank_by_search(search, "rrf")
    if not parameters.reranker:
        return Retriever("hybrid", fused, search, "rank fusion only: no cross-encoder is set")
    return Retriever("hybrid", _reranked(fused, search, parameters), search, f"reranked by {parameters.reranker}")


def _reranked(fused: Rank, search: Search, parameters: Parameters) -> Rank:
    """The fused ranking with its first paragraphs in the order of the cross-encoder; equal scores stay in the order of the fusion."""
    score = load_cross_encoder(parameters.reranker)

    def rank(query: str, scope: Sequence[str] | None, depth: int) -> list[Hit]:
        hits = fused(query, scope, max(depth, parameters.rerank_depth))
        first = hits[: parameters.rerank_depth]
        paragraphs = [search.graph.paragraph(hit.node_id) for hit in first]
        scores = score(query, [" > ".join(part for part in (*p.path, p.text) if part) for p in paragraphs])
        order = sorted(range(len(first)), key=lambda at: (-scores[at], at))
        best = [Hit(first[at].node_id, scores[at], {**first[at].ranks, "cross-encoder": place}) for place, at in enumerate(order, start=1)]
        return [*best, *hits[parameters.rerank_depth :]]

    return rank
