"""The cosine from which two scopes count as alike, learned from the corpus itself."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from assets_store.models.encoder import Vectors
from docnav_pipeline.transforms.node_rows import Rows

# Below so many scopes there is no distribution to learn from.
MIN_SCOPES = 12
# Pairs drawn for the background: quantiles move by less than the rounding below.
_PAIRS = 20_000
_BINS = 200
_SEED = 20
# A threshold on a coarse grid stays the same while a few documents come or go, and so do the edges.
_STEP = 0.02
_MAX = 0.99


def learned_threshold(matrix: Vectors, groups: Rows, nearest: npt.NDArray[np.float64], least: float) -> float:
    """Threshold between the cosines of chance pairs and those of nearest neighbours, in steps of 0.02, from `least` to 0.99.

    matrix: float32 [n, dim], rows of length 1, in a fixed order. groups: int64 [n], document of each row; chance pairs are of two
    documents, unless all rows are of one. nearest: cosine of each row to its nearest.

    Chance pairs and nearest pairs, each with half of the weight, are parted where the variance between the two parts is largest. Below
    12 rows nothing is learned and it is `least`. Source of the parting: Otsu, IEEE Transactions on Systems, Man and Cybernetics 9 (1979).
    """
    n = len(matrix)
    if n < MIN_SCOPES or not len(nearest):
        return least
    chance = _chance_cosines(matrix, groups)
    threshold = np.floor(_otsu(chance, nearest) / _STEP + 1e-6) * _STEP
    return float(round(min(max(threshold, least), max(_MAX, least)), 2))


def _chance_cosines(matrix: Vectors, groups: Rows) -> npt.NDArray[np.float64]:
    """Cosines of pairs drawn at random with a fixed seed: all pairs where there are few."""
    n = len(matrix)
    if n * (n - 1) // 2 <= _PAIRS:
        i, j = np.triu_indices(n, 1)
    else:
        drawn = np.random.default_rng(_SEED).integers(0, n, size=(2, _PAIRS))
        i, j = drawn[:, drawn[0] != drawn[1]]
    apart = groups[i] != groups[j]
    if apart.any():
        i, j = i[apart], j[apart]
    cosines: npt.NDArray[np.float64] = np.round(np.einsum("ij,ij->i", matrix[i], matrix[j], dtype=np.float64), 5)
    return cosines


def _otsu(chance: npt.NDArray[np.float64], nearest: npt.NDArray[np.float64]) -> float:
    """Edge of the bin over -1..1 where the variance between both sides is largest; the middle one of equal edges."""
    edges = np.linspace(-1, 1, _BINS + 1)
    weights = np.histogram(chance, edges)[0] / len(chance) + np.histogram(nearest, edges)[0] / len(nearest)
    weights = weights / weights.sum()
    middles = (edges[:-1] + edges[1:]) / 2
    below, mass = np.cumsum(weights)[:-1], np.cumsum(weights * middles)[:-1]
    total = float((weights * middles).sum())
    spread = below * (1 - below)
    between = np.where(spread > 1e-12, (total * below - mass) ** 2 / np.maximum(spread, 1e-12), 0.0)
    best = np.flatnonzero(between >= between.max() - 1e-12)
    return float(edges[1:-1][best[len(best) // 2]])
