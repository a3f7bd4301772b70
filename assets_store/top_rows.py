"""The best rows of a score vector, with ties kept whole so that the caller can order them by id."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def top_rows(scores: NDArray[np.float32], k: int, slack: float = 0.0) -> NDArray[np.int64]:
    """Positions of the k highest scores and of all that equal the lowest of them, in ascending order of position.

    scores: float32 [n]; positions that must not be returned hold -inf. slack: how far below the lowest still counts as equal.
    """
    if k <= 0 or scores.size == 0:
        return np.empty(0, dtype=np.int64)
    floor = np.float32(-np.inf)
    if scores.size > k:
        floor = np.partition(scores, scores.size - k)[scores.size - k]
    if floor == -np.inf:
        return np.flatnonzero(scores > -np.inf)
    return np.flatnonzero(scores >= floor - np.float32(slack))
