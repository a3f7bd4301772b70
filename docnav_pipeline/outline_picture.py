"""A picture of a recovered outline: headings by level, coloured by the evidence that decided."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assets_store.errors import SourceError

SUFFIXES = (".svg", ".png", ".pdf")
# More headings than this cannot be read in one picture; deeper levels are then left out.
MOST_HEADINGS = 70
_TITLE_CHARACTERS = 70
_ROW_INCH, _LEVEL_INCH, _WIDTH_INCH = 0.19, 0.28, 8.0
_COLORS = {
    "override": "#000000",
    "source_level": "#1b5e9e",
    "bookmark": "#0b7a75",
    "contents": "#2e7d32",
    "numbering": "#b36b00",
    "part": "#6a3d9a",
    "llm": "#8d3b72",
    "known_name": "#7a6a53",
    "font": "#9a9a9a",
}


def draw_outline(entries: Sequence[dict[str, Any]], path: Path, title: str) -> int:
    """Draw entries of `docnav outline` into an SVG, PNG or PDF file; the deepest level drawn.

    Raises SourceError for another suffix, or where there is no heading to draw.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise SourceError(f"{path.name}: a picture ends in one of {', '.join(SUFFIXES)}")
    if not entries:
        raise SourceError(f"{title} has no headings to draw")
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    deepest = _deepest(entries)
    shown = [entry for entry in entries if entry["level"] <= deepest]
    height = _ROW_INCH * (len(shown) + 4)
    # Text stays text in SVG, so that every script is shown in a font of the reader's.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "docnav"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from font")  # an SVG leaves the font to its reader
        figure = Figure(figsize=(_WIDTH_INCH, height))
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_xlim(0, _WIDTH_INCH)
        axes.set_ylim(height, 0)
        axes.axis("off")
        left_out = f" (levels 1-{deepest} of {max(e['level'] for e in entries)})" if len(shown) < len(entries) else ""
        # Titles are text of documents: nothing in them may be read as mathematics.
        axes.text(0.2, _ROW_INCH, _short(title) + left_out, fontsize=10, weight="bold", va="center", parse_math=False)
        _legend(axes, shown)
        places: list[tuple[float, float]] = []
        above: list[int] = []
        for row, entry in enumerate(shown):
            x, y = 0.1 + _LEVEL_INCH * entry["level"], _ROW_INCH * (row + 3)
            while above and shown[above[-1]]["level"] >= entry["level"]:
                above.pop()
            if above:
                x0, y0 = places[above[-1]]
                axes.plot([x0, x0, x - 0.06], [y0 + 0.05, y, y], color="#cfcfcf", linewidth=0.8, zorder=1)
            color = _color(entry)
            axes.plot([x], [y], marker="o", markersize=4.5, color=color, alpha=0.35 + 0.65 * entry["confidence"], zorder=2)
            axes.text(x + 0.1, y, _short(entry["title"]), fontsize=7.5, va="center", parse_math=False)
            if entry["page"] is not None:
                axes.text(_WIDTH_INCH - 0.2, y, str(entry["page"]), fontsize=7, va="center", ha="right", color="#777777")
            places.append((x, y))
            above.append(row)
        figure.savefig(path, metadata={"Date": None} if path.suffix.lower() == ".svg" else None)
    return deepest


def _deepest(entries: Sequence[dict[str, Any]]) -> int:
    levels: list[int] = sorted({entry["level"] for entry in entries})
    fitting = [level for level in levels if sum(entry["level"] <= level for entry in entries) <= MOST_HEADINGS]
    return max(fitting, default=levels[0])


def _legend(axes: Any, shown: Sequence[dict[str, Any]]) -> None:
    """The kinds of evidence in the picture, under its title."""
    kinds = {entry["evidence"][0] if entry["evidence"] else "font" for entry in shown}
    x = 0.25
    for kind in (kind for kind in _COLORS if kind in kinds):
        axes.plot([x], [2 * _ROW_INCH], marker="o", markersize=4, color=_COLORS[kind])
        axes.text(x + 0.08, 2 * _ROW_INCH, kind.replace("_", " "), fontsize=7, va="center", color="#555555")
        x += 0.25 + 0.062 * len(kind)


def _color(entry: dict[str, Any]) -> str:
    return _COLORS.get(entry["evidence"][0] if entry["evidence"] else "font", "#555555")


def _short(text: str) -> str:
    flat = "".join(character if character.isprintable() else " " for character in " ".join(text.split()))
    return flat if len(flat) <= _TITLE_CHARACTERS else flat[: _TITLE_CHARACTERS - 1] + "…"
