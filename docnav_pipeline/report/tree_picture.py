"""A document's tree as a picture: sections beside the text that they hold, how linked each piece of text is, and references as arcs."""

from __future__ import annotations

import math
from typing import Any

from docnav_pipeline.report.document_tree import DocumentTree, TreeNode
from docnav_pipeline.report.drawing import EDGE_COLORS, FAINT, INK, POINT_INCH, drawing, fitted, to_svg

_WIDTH, _TOP, _MARGIN, _STRIP, _ARCS = 10.6, 0.62, 0.02, 0.22, 1.25
_ROOT = 0.32
_SHORTEST, _TALLEST, _INCH_PER_SECTION = 3.2, 9.5, 0.17
_FONT = 7.5
# Pieces thinner than this are drawn as one.
_THIN = 0.6 * POINT_INCH
_FILLS = ("#14304d", "#1f5683", "#3f7fb0", "#78a8cd", "#a9c9e1", "#cfe1ee")
_LINKED = ("#f1f3f5", "#f7d9b5", "#f0b06f", "#dc7f2f", "#a8480e")
_MOST_ARCS = 240


def tree_picture(tree: DocumentTree) -> bytes:
    """The tree as SVG, its text from top to bottom. Sections in R_d have a bar at their left."""
    from matplotlib.patches import Rectangle

    sections = [node for node in tree.nodes if node.kind != "paragraph"]
    height = min(_TALLEST, max(_SHORTEST, _INCH_PER_SECTION * len(sections))) + _TOP + _MARGIN
    total = max(tree.nodes[0].n_tokens, 1)
    scale = (height - _TOP - _MARGIN) / total
    deepest = max(node.depth for node in sections)
    column = (_WIDTH - 2 * _MARGIN - _ROOT - _STRIP - _ARCS) / max(deepest, 1)
    right = _MARGIN + _ROOT + column * max(deepest, 1)
    with drawing(_WIDTH, height) as figure:
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_xlim(0, _WIDTH)
        axes.set_ylim(height, 0)
        axes.axis("off")
        _head(axes, tree, right - _MARGIN)
        for node in sections:
            x, width = (_MARGIN + _ROOT + column * (node.depth - 1), column) if node.depth else (_MARGIN, _ROOT)
            y, tall = _TOP + node.start * scale, node.n_tokens * scale
            if tall < _THIN:
                continue
            fill = _FILLS[min(node.depth, len(_FILLS) - 1)]
            axes.add_patch(Rectangle((x, y), width, tall, facecolor=fill, edgecolor="white", linewidth=min(0.8, tall / POINT_INCH / 3)))
            if node.in_R:
                axes.add_patch(Rectangle((x, y), 0.045, tall, facecolor="#f2b441", linewidth=0))
            _title(axes, node, x, y, width, tall)
        strip = right + 0.03
        for start, tokens, degree in _merged([node for node in tree.nodes if node.kind == "paragraph"], _THIN * 2 / scale):
            fill = _LINKED[min(len(_LINKED) - 1, degree.bit_length())]
            tall = tokens * scale
            axes.add_patch(
                Rectangle(
                    (strip, _TOP + start * scale),
                    _STRIP,
                    tall,
                    facecolor=fill,
                    edgecolor="white",
                    linewidth=min(0.5, tall / POINT_INCH / 4),
                )
            )
        _arcs(axes, tree, strip + _STRIP + 0.04, scale)
        return to_svg(figure)


def _title(axes: Any, node: TreeNode, x: float, y: float, width: float, tall: float) -> None:
    """The title inside its rectangle where there is room for a line; that of the document along its side."""
    color = "white" if node.depth < 4 else INK
    if not node.depth:
        axes.text(
            x + 0.19, y + 0.12, fitted(node.title, tall - 0.3, _FONT), fontsize=_FONT, rotation=270, ha="center", va="top", color=color
        )
    elif tall >= _FONT * 1.1 * POINT_INCH:
        label = fitted(node.title, width - 0.17, _FONT)
        axes.text(x + 0.1, y + min(tall / 2, 0.16), label, fontsize=_FONT, va="center_baseline", color=color)


def _head(axes: Any, tree: DocumentTree, width: float) -> None:
    from matplotlib.patches import Rectangle

    n = sum(node.kind == "section" for node in tree.nodes)
    paragraphs = len(tree.nodes) - n - 1
    facts = f"{n:,} sections, {paragraphs:,} paragraphs, {tree.nodes[0].n_tokens:,} tokens"
    axes.text(_MARGIN, 0.17, fitted(tree.doc, width - 3.2, 10), fontsize=10, weight="bold", va="center")
    axes.text(_MARGIN + width, 0.17, facts, fontsize=8, color=FAINT, va="center", ha="right")
    x, y = _MARGIN, 0.44
    axes.add_patch(Rectangle((x, y - 0.07), 0.045, 0.14, facecolor="#f2b441", linewidth=0))
    axes.text(x + 0.1, y, "in R_d", fontsize=7.5, color=FAINT, va="center_baseline")
    x += 0.75
    for text, fill in zip(("0", "1", "2–3", "4–7", "8 and more edges at a paragraph"), _LINKED, strict=True):
        axes.add_patch(Rectangle((x, y - 0.07), 0.14, 0.14, facecolor=fill, edgecolor="#c4ccd4", linewidth=0.4))
        axes.text(x + 0.19, y, text, fontsize=7.5, color=FAINT, va="center_baseline")
        x += 0.5
    x += 1.7
    for kind in sorted({kind for kind, _, _ in tree.references}):
        axes.plot([x, x + 0.22], [y, y], color=EDGE_COLORS[kind], linewidth=1.4)
        axes.text(x + 0.28, y, kind.replace("_", " "), fontsize=7.5, color=FAINT, va="center_baseline")
        x += 1.35


def _merged(paragraphs: list[TreeNode], least: float) -> list[tuple[int, int, int]]:
    """(start, tokens, most edges at one) of paragraphs, neighbours together until they hold `least` tokens."""
    found: list[tuple[int, int, int]] = []
    for node in sorted(paragraphs, key=lambda node: node.start):
        if found and found[-1][1] < least:
            start, tokens, degree = found[-1]
            found[-1] = (start, tokens + node.n_tokens, max(degree, node.degree))
        else:
            found.append((node.start, node.n_tokens, node.degree))
    return found


def _arcs(axes: Any, tree: DocumentTree, x: float, scale: float) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    ends = sorted({(kind, _middle(tree.nodes[a], scale), _middle(tree.nodes[b], scale)) for kind, a, b in tree.references})
    step = max(1, math.ceil(len(ends) / _MOST_ARCS))
    for kind, y0, y1 in ends[::step]:
        reach = x + min(_ARCS - 0.2, 0.12 + abs(y1 - y0) * 0.35) * 1.3
        curve = Path([(x, y0), (reach, y0), (reach, y1), (x, y1)], [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
        axes.add_patch(PathPatch(curve, facecolor="none", edgecolor=EDGE_COLORS[kind], linewidth=0.9, alpha=0.75))
        axes.plot([x], [y1], marker="<", markersize=3, color=EDGE_COLORS[kind])


def _middle(node: TreeNode, scale: float) -> float:
    """Height of the point where arcs meet a node: the middle of a paragraph, the beginning of a section."""
    return round(_TOP + (node.start + (node.n_tokens / 2 if node.kind == "paragraph" else 0)) * scale, 3)
