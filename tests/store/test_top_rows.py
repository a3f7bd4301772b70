"""The best rows of a score vector."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from assets_store.top_rows import top_rows

scores_lists = st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0, float("-inf")]), max_size=40)


@settings(max_examples=60, deadline=None)
@given(scores_lists, st.integers(-1, 50))
def test_every_row_left_out_scores_less_than_every_row_returned(values: list[float], k: int) -> None:
    scores = np.array(values, dtype=np.float32)
    rows = top_rows(scores, k)
    allowed = np.flatnonzero(scores > -np.inf)
    assert set(rows) <= set(allowed)
    assert len(rows) >= min(max(k, 0), len(allowed))
    left = np.setdiff1d(allowed, rows)
    if len(rows) and len(left):
        assert scores[left].max() < scores[rows].min()
    if k > 0 and len(rows) > k:
        assert (scores[rows] > scores[rows].min()).sum() < k
