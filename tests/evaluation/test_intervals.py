"""Intervals: plain statistics by hand, samples that keep documents together, pairs, and what is missing."""

from __future__ import annotations

import math

import numpy as np
import pytest

from docnav_agent.evaluation.intervals import difference, draw, interval
from docnav_agent.evaluation.metrics.base import Statistic, mean_of

MEAN = mean_of("x", "x", "x.")
BALANCED = Statistic("b", "b", "b.", (("t", ""), ("f", "")))
SHARE = Statistic("s", "s", "s.", (("hits", "size"),))
MEDIAN = Statistic("m", "m", "m.", (("x", ""),), "lower", median=True)


def test_a_sample_draws_as_many_documents_as_there_are_and_all_questions_of_each() -> None:
    weights = draw(["a", "a", "a", "b", "c"], 500, 7)
    sizes = np.stack([weights[:, :3].sum(axis=1), weights[:, 3], weights[:, 4]], axis=1)
    assert set(sizes[:, 0].tolist()) <= {0.0, 3.0, 6.0, 9.0}
    assert (sizes[:, 0] / 3 + sizes[:, 1] + sizes[:, 2] == 3).all()
    assert (draw(["a", "b"], 500, 7) == draw(["a", "b"], 500, 7)).all()
    # One document alone still gives an interval: its questions are drawn.
    assert draw(["a"] * 4, 500, 7).std(axis=0).min() > 0


def test_statistics_of_all_questions_are_the_plain_ones() -> None:
    weights = draw(list("abcd"), 500, 7)
    values = [{"x": 1.0}, {"x": 0.0}, {"x": 0.5}, {}]
    got = interval(MEAN, values, weights, 0.95)
    assert (got.value, got.n) == (0.5, 3)
    assert got.low <= 0.5 <= got.high
    assert interval(MEDIAN, [{"x": 9.0}, {"x": 1.0}, {"x": 4.0}, {}], weights, 0.95).value == 4.0
    balanced = interval(BALANCED, [{"t": 1.0}, {"f": 0.0}, {"f": 0.0}, {"f": 1.0}], weights, 0.95)
    assert balanced.value == pytest.approx((1 + 1 / 3) / 2)
    # With one kind of question only, the other part stands for the whole.
    assert interval(BALANCED, [{"t": 1.0}, {"t": 0.0}, {}, {}], weights, 0.95).value == 0.5
    assert interval(SHARE, [{"hits": 2.0, "size": 2.0}, {"hits": 0.0, "size": 1.0}, {}, {}], weights, 0.95).value == pytest.approx(2 / 3)
    none = interval(MEAN, [{}, {}, {}, {}], weights, 0.95)
    assert none.n == 0
    assert math.isnan(none.value)


def test_an_interval_is_as_wide_as_the_standard_error_says() -> None:
    rng = np.random.default_rng(1)
    values = [{"x": float(value)} for value in rng.normal(size=400)]
    got = interval(MEAN, values, draw([str(n) for n in range(400)], 4000, 7), 0.95)
    assert got.high - got.low == pytest.approx(2 * 1.96 * np.std([v["x"] for v in values]) / 20, rel=0.1)
    # Forty documents of ten questions that are alike: the interval is about that of forty questions.
    alike = [{"x": values[n // 10]["x"]} for n in range(400)]
    wide = interval(MEAN, alike, draw([str(n // 10) for n in range(400)], 4000, 7), 0.95)
    assert wide.high - wide.low > 2.5 * (got.high - got.low)


def test_differences_are_paired_by_question_and_leave_out_what_one_system_lacks() -> None:
    clusters = [str(n) for n in range(60)]
    weights = draw(clusters, 2000, 7)
    hard = np.random.default_rng(2).uniform(size=60)
    second = [{"x": float(value)} for value in hard]
    better = [{"x": float(value) + 0.05} for value in hard]
    got = difference(MEAN, better, second, weights, 0.95)
    # The questions differ far more than the systems do; pairing takes that out.
    assert [got.value, got.low, got.high] == pytest.approx([0.05] * 3)
    assert got.significant
    assert got.p == 0.0
    same = difference(MEAN, second, second, weights, 0.95)
    assert (same.value, same.significant, same.p) == (0.0, False, 1.0)
    some = difference(MEAN, [{"x": 1.0}, *[{}] * 59], second, weights, 0.95)
    assert some.n == 1
    assert some.value == pytest.approx(1 - hard[0])
    assert difference(MEAN, [{}] * 60, second, weights, 0.95).n == 0
