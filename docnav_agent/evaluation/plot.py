"""The cost-quality plot of one data set as coordinates; the page draws them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

WIDTH, HEIGHT = 640, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 150, 16, 44
_LABEL_ROOM = 13


@dataclass(frozen=True, slots=True)
class Point:
    """One system. y_low, y_high: ends of its interval; label_y: moved so that no label lies on another."""

    name: str
    x: float
    y: float
    y_low: float
    y_high: float
    label_y: float
    title: str


@dataclass(frozen=True, slots=True)
class Plot:
    """x_ticks, y_ticks: (coordinate, text). x_title: the cost that is drawn, on a logarithmic axis."""

    points: tuple[Point, ...]
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    x_title: str
    left: int = _LEFT
    right: int = WIDTH - _RIGHT
    top: int = _TOP
    bottom: int = HEIGHT - _BOTTOM


def make_plot(results: Sequence[Mapping[str, Any]], headline: str) -> Plot | None:
    """Cost against quality of systems. Tokens of the language model are the cost where any system takes some, else seconds.

    None where no system has the headline statistic.
    """
    shown = [result for result in results if headline in result["statistics"]]
    if not shown:
        return None
    tokens = any(result["cost"]["per_question"]["prompt_tokens"] for result in shown)
    costs = [_cost(result, tokens) for result in shown]
    x_of, x_ticks = _logarithmic(costs)
    values = [result["statistics"][headline] for result in shown]
    ends = [value for entry in values for value in (entry["low"], entry["high"], entry["value"]) if value is not None]
    y_of, y_ticks = _linear(min(ends), max(ends))
    points = []
    for result, cost, entry in zip(shown, costs, values, strict=True):
        low, high = (entry[end] if entry[end] is not None else entry["value"] for end in ("low", "high"))
        title = f"{result['system']}: {entry['value']:.3f} ({low:.3f} to {high:.3f}), {cost:g}"
        points.append(Point(result["system"], x_of(cost), y_of(entry["value"]), y_of(low), y_of(high), y_of(entry["value"]), title))
    unit = "tokens of the language model" if tokens else "seconds (median)"
    return Plot(tuple(_spread(points)), x_ticks, y_ticks, f"{unit} per question")


def _cost(result: Mapping[str, Any], tokens: bool) -> float:
    own = result["cost"]["per_question"]
    return float(own["prompt_tokens"] + own["completion_tokens"] if tokens else own["median_seconds"])


def _logarithmic(costs: Sequence[float]) -> tuple[Any, tuple[tuple[float, str], ...]]:
    """Coordinates on a logarithmic axis; what costs nothing stands at its left end."""
    above = [cost for cost in costs if cost > 0] or [1.0]
    first = math.floor(math.log10(min(above)))
    last = max(first + 1, math.ceil(math.log10(max(above))))

    def place(cost: float) -> float:
        at = max(first, math.log10(cost)) if cost > 0 else first
        return round(_LEFT + (at - first) / (last - first) * (WIDTH - _LEFT - _RIGHT), 1)

    return place, tuple((place(10.0**power), f"{10.0**power:g}") for power in range(first, last + 1))


def _linear(low: float, high: float) -> tuple[Any, tuple[tuple[float, str], ...]]:
    step = 0.05 if high - low <= 0.3 else 0.1 if high - low <= 0.7 else 0.2
    if high > 1.5:
        step = 10.0 ** math.floor(math.log10(max(high - low, 1.0)))
    first, last = math.floor(low / step), max(math.ceil(high / step), math.floor(low / step) + 1)

    def place(value: float) -> float:
        return round(HEIGHT - _BOTTOM - (value / step - first) / (last - first) * (HEIGHT - _TOP - _BOTTOM), 1)

    return place, tuple((place(number * step), f"{number * step:g}") for number in range(first, last + 1))


def _spread(points: Sequence[Point]) -> list[Point]:
    """Points with labels at least a line apart, from the top down, kept inside the page."""
    placed: list[Point] = []
    lowest = -math.inf
    for point in sorted(points, key=lambda p: (p.y, p.name)):
        lowest = max(point.y, lowest + _LABEL_ROOM)
        placed.append(Point(point.name, point.x, point.y, point.y_low, point.y_high, round(lowest, 1), point.title))
    return placed
