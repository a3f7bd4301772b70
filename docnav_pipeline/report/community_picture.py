"""Communities as a picture: a ring of circles by size, those that hang together side by side, joined by their edges."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from docnav_pipeline.report.community_facts import CommunityFacts, Group
from docnav_pipeline.report.drawing import FAINT, drawing, fitted, to_svg

_COLORS = ("#1f6fb2", "#c9792b", "#2b8a5a", "#8352a3", "#b23a48", "#3a8f9b", "#8a6d3b", "#5b6f9e")
_WIDTH, _LARGEST = 10.6, 0.42
# Half the height of the ring: of three circles, of each further one, of many. It is wider than high, as labels are.
_LEAST, _EACH, _MOST, _WIDER = 0.85, 0.06, 2.0, 1.35
_TERMS = 4


def communities_picture(facts: CommunityFacts) -> bytes:
    """The groups with their links, as SVG. The area of a circle is its size, the width of a line the weight of its edges."""
    from matplotlib.patches import Circle, PathPatch
    from matplotlib.path import Path

    rise = min(_MOST, _LEAST + _EACH * max(len(facts.groups) - 3, 0))
    height = 2 * (rise + _LARGEST + 0.32)
    with drawing(_WIDTH, height) as figure:
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_xlim(-_WIDTH / 2, _WIDTH / 2)
        axes.set_ylim(-height / 2, height / 2)
        axes.axis("off")
        order = ring_order(facts)
        n = len(order)
        angle = {group: math.pi / 2 - 2 * math.pi * (at + (0.5 if n > 1 else 0)) / max(n, 1) for at, group in enumerate(order)}
        place = {group: (rise * _WIDER * math.cos(a), rise * math.sin(a)) if n > 1 else (0.0, 0.0) for group, a in angle.items()}
        color = {group: _COLORS[at % len(_COLORS)] for at, group in enumerate(order)}
        heaviest = max((link.weight for link in facts.links), default=1.0) or 1.0
        for link in sorted(facts.links, key=lambda link: (link.weight, link.first, link.second)):
            (x0, y0), (x1, y1) = place[link.first], place[link.second]
            curve = Path([(x0, y0), ((x0 + x1) * 0.2, (y0 + y1) * 0.2), (x1, y1)], [Path.MOVETO, Path.CURVE3, Path.CURVE3])
            strength = math.sqrt(link.weight / heaviest)
            axes.add_patch(
                PathPatch(
                    curve,
                    facecolor="none",
                    edgecolor="#7d8a97",
                    linewidth=0.5 + 6.5 * strength,
                    alpha=0.2 + 0.4 * strength,
                    capstyle="round",
                )
            )
        largest = max((group.members for group in facts.groups), default=1)
        for group in order:
            found, (x, y) = facts.groups[group], place[group]
            radius = max(0.07, _LARGEST * math.sqrt(found.members / largest) * min(1.0, 9 / max(n, 9) + 0.25))
            axes.add_patch(Circle((x, y), radius, facecolor=color[group], edgecolor="white", linewidth=1.5, zorder=3))
            if radius > 0.12:
                axes.text(
                    x, y, f"{found.members:,}", ha="center", va="center_baseline", fontsize=7.5, color="white", weight="bold", zorder=4
                )
            _label(axes, found, x, y, radius, angle[group] if n > 1 else 0.0)
        if not n:
            axes.text(0, 0, "no communities", ha="center", color=FAINT)
        return to_svg(figure)


def _label(axes: Any, group: Group, x: float, y: float, radius: float, angle: float) -> None:
    """Terms beside a circle, away from the middle of the ring; below or above one that stands in its axis."""
    away = radius + 0.1
    in_axis = abs(math.cos(angle)) < 0.2
    at = x if in_axis else x + away * math.cos(angle)
    room = _WIDTH - 0.2 if in_axis else _WIDTH / 2 - abs(at) - 0.05
    label = fitted(", ".join(group.terms[:_TERMS]) or group.community_id, room, 8.5)
    side = "center" if in_axis else "left" if x > 0 or not x else "right"
    axes.text(at, y + (away + 0.06) * math.sin(angle), label, ha=side, va="center", fontsize=8.5, zorder=5)


def ring_order(facts: CommunityFacts) -> list[int]:
    """Groups in an order in which those with heavy links are neighbours."""
    n = len(facts.groups)
    if n < 3:
        return list(range(n))
    weight: npt.NDArray[np.float64] = np.zeros((n, n))
    for link in facts.links:
        weight[link.first, link.second] = weight[link.second, link.first] = link.weight
    far = 1 - weight / (weight.max() or 1.0)
    np.fill_diagonal(far, 0)
    return [int(group) for group in leaves_list(linkage(squareform(far), "average", optimal_ordering=True))]
