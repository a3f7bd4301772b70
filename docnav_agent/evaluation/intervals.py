"""Bootstrap intervals of statistics and of differences between systems: by question, clustered by document, paired.

A sample draws clusters with replacement, as many as there are, and for each drawn one its questions with replacement. So questions
about one document, which are easy or hard together, do not count as independent, and one document alone still gives an interval.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from docnav_agent.evaluation.metrics.base import Statistic

Values = Sequence[Mapping[str, float]]
Weights = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """value: of the questions as they are; low, high: of the samples. n: questions with a value; 0 = none, and no value either."""

    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class Difference:
    """First less second, over the n questions that both have. p: two-sided share of samples on the other side of zero."""

    value: float
    low: float
    high: float
    n: int
    p: float

    @property
    def significant(self) -> bool:
        """Whether the interval leaves zero out."""
        return self.low > 0 or self.high < 0


def draw(clusters: Sequence[str], resamples: int, seed: int) -> Weights:
    """How often each question is in each sample, float64 [resamples, n_questions]. clusters: of each question."""
    rng = np.random.default_rng(seed)
    names = sorted(set(clusters))
    weights = np.zeros((resamples, len(clusters)))
    drawn = rng.multinomial(len(names), np.full(len(names), 1 / max(1, len(names))), size=resamples)
    for at, name in enumerate(names):
        members = [place for place, cluster in enumerate(clusters) if cluster == name]
        weights[:, members] = rng.multinomial(drawn[:, at] * len(members), np.full(len(members), 1 / len(members)))
    return weights


def interval(statistic: Statistic, values: Values, weights: Weights, confidence: float) -> Interval:
    """Of one system. values: by column, of each question."""
    parts = _columns(statistic, values)
    n = int(np.any([np.isfinite(numerators) for numerators, _ in parts], axis=0).sum())
    if not n:
        return Interval(float("nan"), float("nan"), float("nan"), 0)
    value = float(_of(statistic, parts, np.ones((1, len(values))))[0])
    return Interval(value, *_ends(_of(statistic, parts, weights), confidence), n)


def difference(statistic: Statistic, first: Values, second: Values, weights: Weights, confidence: float) -> Difference:
    """Of two systems, on the questions of which both have a value, in the same samples."""
    pairs = list(zip(_columns(statistic, first), _columns(statistic, second), strict=True))
    both = [np.isfinite(one[0]) & np.isfinite(two[0]) for one, two in pairs]
    n = int(np.any(both, axis=0).sum())
    if not n:
        return Difference(float("nan"), float("nan"), float("nan"), 0, float("nan"))
    ones, twos = ([(np.where(has, pair[side][0], np.nan), pair[side][1]) for has, pair in zip(both, pairs, strict=True)] for side in (0, 1))
    plain = np.ones((1, len(first)))
    value = float(_of(statistic, ones, plain)[0] - _of(statistic, twos, plain)[0])
    samples = _of(statistic, ones, weights) - _of(statistic, twos, weights)
    seen = samples[np.isfinite(samples)]
    p = min(1.0, 2 * min((seen <= 0).mean(), (seen >= 0).mean())) if seen.size else float("nan")
    return Difference(value, *_ends(samples, confidence), n, float(p))


def _columns(statistic: Statistic, values: Values) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """(numerators, denominators) of each part, float64 [n_questions]; a numerator is NaN where a question has none."""
    found = []
    for numerator, denominator in statistic.parts:
        numerators = np.array([value.get(numerator, np.nan) for value in values], np.float64)
        denominators = np.array([value.get(denominator, 0.0) if denominator else 1.0 for value in values], np.float64)
        found.append((numerators, denominators))
    return found


def _of(statistic: Statistic, parts: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]], weights: Weights) -> NDArray[np.float64]:
    """The statistic in each sample, float64 [n_samples]; NaN in a sample that lacks one of its parts."""
    if statistic.median:
        return _median(parts[0][0], weights)
    shares = []
    for numerators, denominators in parts:
        has = np.isfinite(numerators)
        if not has.any():
            continue  # a data set without, say, unanswerable questions: the other part stands for the whole
        below = weights[:, has] @ denominators[has]
        shares.append(np.divide(weights[:, has] @ numerators[has], below, out=np.full(len(weights), np.nan), where=below > 0))
    return np.asarray(np.mean(shares, axis=0), dtype=np.float64)


def _median(values: NDArray[np.float64], weights: Weights) -> NDArray[np.float64]:
    """Weighted lower median of the values in each sample."""
    has = np.flatnonzero(np.isfinite(values))
    order = has[np.argsort(values[has], kind="stable")]
    summed = np.cumsum(weights[:, order], axis=1)
    total = summed[:, -1]
    places = (summed < total[:, None] / 2).sum(axis=1)
    return np.where(total > 0, values[order[np.minimum(places, len(order) - 1)]], np.nan)


def _ends(samples: NDArray[np.float64], confidence: float) -> tuple[float, float]:
    seen = samples[np.isfinite(samples)]
    if not seen.size:
        return float("nan"), float("nan")
    outside = (1 - confidence) / 2
    low, high = np.quantile(seen, [outside, 1 - outside])
    return float(low), float(high)
