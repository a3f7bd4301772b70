"""What all pictures of a report share: colours, text that is safe to draw, and SVG that is the same every time."""

from __future__ import annotations

import io
import unicodedata
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from assets_store.terminal import printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, FAINT, RULE = "#1f2933", "#66727f", "#d8dee4"
EDGE_COLORS = {
    "adjacent": "#98a4b0",
    "citation": "#1f6fb2",
    "cross_reference": "#2b8a5a",
    "title_mention": "#b0413e",
    "entity": "#c9792b",
    "semantic": "#8352a3",
}
NODE_COLORS = {"document": "#14304d", "section": "#4b86b8", "paragraph": "#b9d3e8"}
POINT_INCH = 1 / 72
# Mean width of a character over the size of its font, for the sans-serif fonts that browsers have.
_CHARACTER = 0.53


def shown(text: str, most: int) -> str:
    """Text of a document for one line: white space as one space, control and direction characters as `\\u202e`, cut to `most`."""
    flat = printable(" ".join(text.split()))
    flat = "".join(c if c.isprintable() else "\ufffd" for c in flat)
    return flat if len(flat) <= most else flat[: max(1, most - 1)].rstrip() + "…"


def fitted(text: str, width_inch: float, size_pt: float) -> str:
    """Text cut to a width; empty where not even three characters fit."""
    room = width_inch / (size_pt * POINT_INCH * _CHARACTER)
    text = shown(text, 400)
    if _columns(text) <= room:
        return text
    kept = ""
    for character in text:
        if _columns(kept + character) + 1 > room:
            break
        kept += character
    return kept.rstrip() + "…" if len(kept) > 2 else ""


def _columns(text: str) -> float:
    return sum(1.9 if unicodedata.east_asian_width(c) in "WF" else 1.0 for c in text)


@contextmanager
def drawing(width_inch: float, height_inch: float) -> Iterator[Figure]:
    """A figure to draw on. Text stays text, so that every script is shown in a font of the reader's."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with (
        rc_context(
            {
                "svg.fonttype": "none",
                "svg.hashsalt": "docnav",
                "font.family": ["DejaVu Sans", "sans-serif"],
                "font.size": 8,
                "text.color": INK,
                "axes.edgecolor": RULE,
                "axes.labelcolor": FAINT,
                "axes.titlecolor": INK,
                "xtick.color": FAINT,
                "ytick.color": FAINT,
                "text.parse_math": False,
            }
        ),
        warnings.catch_warnings(),
    ):
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from font")  # an SVG leaves the font to its reader
        yield Figure(figsize=(width_inch, height_inch))


def to_svg(figure: Figure) -> bytes:
    """The figure as SVG; equal figures give equal bytes."""
    sink = io.BytesIO()
    figure.savefig(sink, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return sink.getvalue()
