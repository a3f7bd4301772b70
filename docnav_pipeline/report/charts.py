"""Charts of a graph report: degrees by kind of edge, depths of nodes, sizes of scopes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from docnav_pipeline.report.drawing import EDGE_COLORS, FAINT, NODE_COLORS, RULE, drawing, to_svg
from docnav_pipeline.report.graph_facts import Bin, EdgeKind

_HALF_WIDTH = 5.2


def degrees_chart(edges: Sequence[EdgeKind]) -> bytes:
    """Nodes by the number of their edges, one panel per kind, as SVG."""
    kinds = [edge for edge in edges if edge.degrees]
    with drawing(10.6, 2.3) as figure:
        for at, edge in enumerate(kinds):
            axes = figure.add_axes((at / len(kinds), 0.24, 1 / len(kinds) - 0.045, 0.58))
            axes.bar(range(len(edge.degrees)), [b.n for b in edge.degrees], color=EDGE_COLORS[edge.kind], width=0.82)
            axes.set_title(edge.kind.replace("_", " "), fontsize=9, loc="left", pad=10)
            _labelled(axes, [b.n for b in edge.degrees])
            axes.set_xticks(range(len(edge.degrees)), [_range(b) for b in edge.degrees], rotation=35 if len(edge.degrees) > 5 else 0)
            _plain(axes)
        figure.text(0, 0.01, "edges at one node", fontsize=8, color=FAINT)
        return to_svg(figure)


def depths_chart(depths: dict[str, list[int]]) -> bytes:
    """Nodes by their steps from the document, as SVG."""
    deepest = max((len(counts) for counts in depths.values()), default=1)
    with drawing(_HALF_WIDTH, 2.8) as figure:
        axes = figure.add_axes((0.01, 0.17, 0.97, 0.68))
        below = [0] * deepest
        for kind, counts in depths.items():
            padded = [*counts, *[0] * (deepest - len(counts))]
            axes.bar(range(deepest), padded, bottom=below, color=NODE_COLORS[kind], width=0.82, label=f"{kind}s")
            below = [a + b for a, b in zip(below, padded, strict=True)]
        _labelled(axes, below)
        axes.set_xticks(range(deepest))
        axes.set_xlabel("steps from the document")
        _legend(axes)
        _plain(axes)
        return to_svg(figure)


def scopes_chart(scopes: Sequence[Bin]) -> bytes:
    """Documents and sections by the tokens below them, those in R_d apart, as SVG."""
    with drawing(_HALF_WIDTH, 2.8) as figure:
        axes = figure.add_axes((0.01, 0.17, 0.97, 0.68))
        at = range(len(scopes))
        inside = [b.n_in_R for b in scopes]
        axes.bar(at, inside, color=NODE_COLORS["document"], width=0.82, label="in R_d")
        axes.bar(at, [b.n - b.n_in_R for b in scopes], bottom=inside, color=NODE_COLORS["paragraph"], width=0.82, label="not in R_d")
        _labelled(axes, [b.n for b in scopes])
        axes.set_xticks(at, [_short(b.high) for b in scopes])
        axes.set_xlabel("tokens below, up to")
        _legend(axes)
        _plain(axes)
        return to_svg(figure)


def _labelled(axes: Any, heights: Sequence[int]) -> None:
    for x, height in enumerate(heights):
        if height:
            axes.text(x, height, f" {_short(height)}", ha="center", va="bottom", fontsize=6.5, color=FAINT)
    axes.set_ylim(0, max([*heights, 1]) * 1.12)


def _plain(axes: Any) -> None:
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(length=0, labelsize=7)
    axes.yaxis.set_visible(False)
    axes.spines["bottom"].set_color(RULE)


def _legend(axes: Any) -> None:
    axes.legend(frameon=False, fontsize=7.5, loc="lower left", bbox_to_anchor=(-0.02, 1.04), ncols=3, handlelength=1, handleheight=1)


def _range(found: Bin) -> str:
    return str(found.low) if found.low == found.high else f"{_short(found.low)}–{_short(found.high)}"


def _short(n: int) -> str:
    return str(n) if n < 10_000 else f"{n / 1000:.0f}k" if n < 1_000_000 else f"{n / 1e6:.1f}M"
