"""A small press for PDF: headings, prose, lists and tables, set from the top of the page down."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import simpleSplit
from reportlab.pdfgen.canvas import Canvas

LEFT, TOP, WIDTH = 72.0, 770.0, 450.0
_SUBJECTS = ("The pump", "A second valve", "The upper tank", "One of the sensors", "Every filter", "The night shift", "An old gauge")
_VERBS = ("holds", "measures", "reports", "lowers", "feeds", "guards", "replaces", "follows")
_OBJECTS = ("the water level", "the inlet pressure", "a spare cartridge", "the daily record", "the southern line", "the cooling loop")
_ENDS = ("during the first hour", "as long as the float is free", "before the day begins", "without any noise", "in dry summers")


def sentences(seed: str, n: int) -> str:
    """`n` sentences that differ from those of other seeds; a seed gives the same ones every time."""
    draw = random.Random(seed)
    return " ".join(f"{draw.choice(_SUBJECTS)} {draw.choice(_VERBS)} {draw.choice(_OBJECTS)} {draw.choice(_ENDS)}." for _ in range(n))


class Paper:
    """Pages of one column. Lengths in points, y from the bottom of the page."""

    def __init__(self, path: Path, pagesize: tuple[float, float] = A4, title: str = "") -> None:
        self.path = path
        self.canvas = Canvas(str(path), pagesize=pagesize, invariant=1)
        if title:
            self.canvas.setTitle(title)
        self.y = TOP

    def line(self, text: str, font: str = "Times-Roman", size: float = 10.5, x: float = LEFT) -> Paper:
        """One printed line, and the step to the next one."""
        self.canvas.setFont(font, size)
        self.canvas.drawString(x, self.y, text)
        self.y -= size * 1.25
        return self

    def heading(self, text: str, size: float = 12, x: float = LEFT, font: str = "Times-Bold") -> Paper:
        """A bold line with space around it."""
        self.y -= size * 0.8
        self.line(text, font, size, x)
        self.y -= size * 0.2
        return self

    def text(self, text: str, size: float = 10.5, x: float = LEFT, width: float = WIDTH, font: str = "Times-Roman") -> Paper:
        """A paragraph, broken into lines."""
        for part in simpleSplit(text, font, size, width):
            self.line(part, font, size, x)
        self.y -= 6
        return self

    def table(self, rows: Sequence[Sequence[str]], column: float = 110, size: float = 9.5) -> Paper:
        """A table with ruled cells."""
        height = size * 1.9
        for row in rows:
            for at, cell in enumerate(row):
                self.canvas.rect(LEFT + at * column, self.y - height + size, column, height)
                self.canvas.setFont("Times-Roman", size)
                self.canvas.drawString(LEFT + at * column + 4, self.y - height / 2 + size * 0.7, cell)
            self.y -= height
        self.y -= 10
        return self

    def turn(self) -> Paper:
        """Start the next page."""
        self.canvas.showPage()
        self.y = TOP
        return self

    def save(self) -> Path:
        self.canvas.save()
        return self.path
