"""The learned threshold on corpora whose shape is known."""

from __future__ import annotations

import numpy as np
import pytest

from assets_store.models.encoder import Vectors, unit_rows
from docnav_pipeline.transforms.similarity_threshold import learned_threshold


def topics(n: int, n_topics: int, spread: float, seed: int = 3) -> Vectors:
    """n vectors around n_topics directions."""
    rng = np.random.default_rng(seed)
    centres = unit_rows(rng.normal(size=(n_topics, 32)).astype(np.float32))
    return unit_rows((centres[np.arange(n) % n_topics] + spread * rng.normal(size=(n, 32))).astype(np.float32))


def threshold(matrix: Vectors, least: float = 0.0) -> float:
    cosines = matrix @ matrix.T
    np.fill_diagonal(cosines, -1)
    return learned_threshold(matrix, np.arange(len(matrix)), cosines.max(axis=1).astype(np.float64), least)


@pytest.mark.parametrize("n", [40, 400])
def test_it_lies_between_strangers_and_those_of_one_topic(n: int) -> None:
    matrix = topics(n, 8, 0.05)
    same = np.arange(n)[:, None] % 8 == np.arange(n)[None, :] % 8
    cosines = matrix @ matrix.T
    assert np.quantile(cosines[~same], 0.95) < threshold(matrix) + 0.02
    assert threshold(matrix) < np.quantile(cosines[same], 0.05)


def test_few_scopes_teach_nothing() -> None:
    assert threshold(topics(2, 2, 0.1), least=0.5) == 0.5
    assert threshold(topics(11, 2, 0.1), least=0.5) == 0.5


def test_it_is_never_below_the_setting_and_leaves_copies_their_edges() -> None:
    assert threshold(topics(60, 5, 0.3), least=0.9) >= 0.9
    copies = np.repeat(topics(30, 30, 0.0), 2, axis=0)
    assert 0.3 < threshold(copies) < 0.995
    assert threshold(np.repeat(topics(1, 1, 0.0), 40, axis=0)) <= 0.99


def test_it_is_the_same_every_time_and_hardly_moves_for_one_more() -> None:
    matrix = topics(500, 10, 0.1)
    assert threshold(matrix) == threshold(matrix.copy())
    assert abs(threshold(matrix) - threshold(matrix[:-1])) <= 0.02
