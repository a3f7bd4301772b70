"""Make examples/corpus/irrigation-trial-paper.pdf from examples/paper.md: a two-column paper, the same bytes every time.

`python examples/make_paper.py [OUT.pdf]`. The text file holds paragraphs parted by blank lines; `#` begin headings, the first
three paragraphs are title, authors and address, `@table NAME` and `@figure` stand where they are set, and `@saving_...` words are
numbers worked out from WATER, so that text and table cannot disagree.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from reportlab.graphics.shapes import Drawing, Line, PolyLine, String
from reportlab.lib import colors
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    FrameBreak,
    KeepTogether,
    NextPageTemplate,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
)

HERE = Path(__file__).parent
SOURCE = HERE / "paper.md"
TARGET = HERE / "corpus" / "irrigation-trial-paper.pdf"
RUNNING_HEADER = "Osk, Adrane and Brandeker: Deficit Scheduling in Two Hillside Orchard Blocks"

# block, season, program -> water in mm, yield in t/ha
WATER = {
    ("Upper", 1, "timed"): (412, 38.1),
    ("Upper", 1, "deficit"): (318, 37.4),
    ("Upper", 2, "timed"): (468, 35.6),
    ("Upper", 2, "deficit"): (371, 35.9),
    ("Lower", 1, "timed"): (356, 41.2),
    ("Lower", 1, "deficit"): (271, 40.8),
    ("Lower", 2, "timed"): (398, 39.0),
    ("Lower", 2, "deficit"): (307, 37.9),
}
PROBES = [
    ["Soil", "dS/m", "Samples", "Bias, %", "RMSE, %"],
    ["Loam (upper)", "0.6", "96", "+0.3", "1.6"],
    ["Clay loam (upper)", "0.9", "84", "-0.4", "1.9"],
    ["Silt loam (lower)", "1.1", "90", "+0.2", "1.8"],
    ["Sandy clay (saline strip)", "3.6", "72", "+4.9", "5.3"],
]
CAPTIONS = {
    "water": "Table 1. Irrigation water, yield and water productivity by block, season and program.",
    "probes": "Table 2. Error of the soil probes against soil samples, in percent by volume, second season.",
    "figure": "Figure 1. Water content of the root zone in the upper block in July of the second season (model of the two programs).",
}
# Loam of the manual's Appendix A: percent by volume.
FIELD_CAPACITY, AVAILABLE_WATER, DEPLETION = 31.0, 17.0, 0.45
REFILL_POINT = FIELD_CAPACITY - DEPLETION * AVAILABLE_WATER

MARGIN: float = 20 * mm
GUTTER: float = 7 * mm
COLUMN: float = (A4[0] - 2 * MARGIN - GUTTER) / 2
BODY = ParagraphStyle("body", fontName="Times-Roman", fontSize=10, leading=12.6, alignment=TA_JUSTIFY, spaceAfter=6)
ABSTRACT = ParagraphStyle("abstract", parent=BODY, fontName="Times-Italic")
REFERENCE = ParagraphStyle("reference", parent=BODY, fontSize=8.6, leading=10.4, leftIndent=13, firstLineIndent=-13, spaceAfter=3)
CAPTION = ParagraphStyle("caption", parent=BODY, fontSize=8.4, leading=10, spaceBefore=2, spaceAfter=6)
TITLE = ParagraphStyle("title", fontName="Times-Bold", fontSize=17, leading=20, alignment=TA_CENTER, spaceAfter=8)
AUTHORS = ParagraphStyle("authors", fontName="Times-Roman", fontSize=11.5, leading=14, alignment=TA_CENTER)
ADDRESS = ParagraphStyle("address", parent=AUTHORS, fontName="Times-Italic", fontSize=10)
HEADINGS = {
    1: ParagraphStyle("h1", fontName="Times-Bold", fontSize=12, leading=14, spaceBefore=9, spaceAfter=4, keepWithNext=1),
    2: ParagraphStyle("h2", fontName="Times-Bold", fontSize=10.4, leading=12.5, spaceBefore=6, spaceAfter=3, keepWithNext=1),
    3: ParagraphStyle("h3", fontName="Times-BoldItalic", fontSize=9.8, leading=12, spaceBefore=4, spaceAfter=2, keepWithNext=1),
}


def savings() -> list[float]:
    """Water saved by the deficit program, in percent, one number for each block and season."""
    pairs = [(water, WATER[block, season, "deficit"][0]) for (block, season, program), (water, _) in WATER.items() if program == "timed"]
    return [100 * (timed - deficit) / timed for timed, deficit in pairs]


def water_rows() -> list[list[str]]:
    """Rows of Table 1 with a head; productivity in kg of fruit per cubic metre of water."""
    rows = [["Block", "Season", "Program", "Water, mm", "Yield, t/ha", "kg/m³"]]
    for (block, season, program), (water, crop) in WATER.items():
        rows.append([block, str(season), program, str(water), f"{crop:.1f}", f"{crop * 1000 / (water * 10):.2f}"])
    return rows


def soil_water(deficit: bool, days: int = 31) -> list[float]:
    """Water content at the start of each day of a dry month, in percent by volume."""
    content, contents = FIELD_CAPACITY - 1.5, []
    for day in range(days):
        contents.append(content)
        content -= 1.15 if deficit else 1.3
        if deficit and content <= REFILL_POINT:
            content = FIELD_CAPACITY
        elif not deficit and day % 3 == 2:
            content = min(content + 3.9, FIELD_CAPACITY + 2)
    return contents


def figure() -> Drawing:
    """Figure 1 as lines and letters, without a picture file."""
    width, height, left, bottom, name_width = COLUMN, 147.0, 18.0, 22.0, 48.0
    drawing = Drawing(width, height)

    def x(day: float) -> float:
        return left + day / 30 * (width - left - name_width)

    def y(content: float) -> float:
        return bottom + (content - 20) / 14 * (height - bottom - 12)

    def letters(
        left_pt: float, bottom_pt: float, text: str, font: str = "Times-Roman", anchor: str = "middle", color: object = colors.black
    ) -> None:
        drawing.add(String(left_pt, bottom_pt, text, fontName=font, fontSize=7.8, textAnchor=anchor, fillColor=color))

    drawing.add(Line(left, bottom, left, height - 8, strokeWidth=0.7))
    drawing.add(Line(left, bottom, x(30), bottom, strokeWidth=0.7))
    for content in (20, 24, 28, 32):
        drawing.add(Line(left - 3, y(content), left, y(content), strokeWidth=0.7))
        letters(left - 5, y(content) - 2.5, str(content), anchor="end")
    for day in (0, 10, 20, 30):
        drawing.add(Line(x(day), bottom - 3, x(day), bottom, strokeWidth=0.7))
        letters(x(day), bottom - 11, str(day))
    letters(x(15), 2, "day of the month")
    for share, name in ((FIELD_CAPACITY, "field capacity"), (REFILL_POINT, "refill point")):
        drawing.add(Line(left, y(share), x(30), y(share), strokeWidth=0.4, strokeDashArray=[3, 2], strokeColor=colors.grey))
        letters(x(30) + 3, y(share) - 2.5, name, font="Times-Italic", anchor="start", color=colors.grey)
    for deficit, color, name in ((False, colors.HexColor("#b0522d"), "timed"), (True, colors.HexColor("#1f5f8b"), "deficit")):
        points = [value for day, water in enumerate(soil_water(deficit)) for value in (round(x(day), 2), round(y(water), 2))]
        drawing.add(PolyLine(points, strokeColor=color, strokeWidth=1.3))
        letters(left + (46 if deficit else 10), height - 7, name, font="Times-Bold", anchor="start", color=color)
    return drawing


def table(name: str) -> Flowable:
    """Caption and table as one piece that no column break parts."""
    rows = water_rows() if name == "water" else PROBES
    shape = Table(rows, colWidths=None, hAlign="CENTER", spaceAfter=8)
    shape.setStyle(
        [
            ("FONT", (0, 0), (-1, 0), "Times-Bold", 8),
            ("FONT", (0, 1), (-1, -1), "Times-Roman", 8),
            ("ALIGN", (1, 0), (-1, -1), "RIGHT"),
            ("LINEABOVE", (0, 0), (-1, 0), 0.8, colors.black),
            ("LINEBELOW", (0, 0), (-1, 0), 0.4, colors.black),
            ("LINEBELOW", (0, -1), (-1, -1), 0.8, colors.black),
            ("TOPPADDING", (0, 0), (-1, -1), 1.5),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 1.5),
            ("LEFTPADDING", (0, 0), (-1, -1), 4),
            ("RIGHTPADDING", (0, 0), (-1, -1), 4),
        ]
    )
    return KeepTogether([Spacer(1, 3), Paragraph(CAPTIONS[name], CAPTION), shape])


def paragraphs() -> list[str]:
    """Paragraphs of the text file, each on one line, with the numbers filled in."""
    saved = savings()
    numbers = {"least": min(saved), "most": max(saved), "mean": sum(saved) / len(saved)}
    text = re.sub(r"@saving_(\w+)", lambda match: f"{numbers[match[1]]:.1f}", SOURCE.read_text(encoding="utf-8"))
    return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]


def story() -> Iterator[Flowable]:
    """The paper as reportlab flowables."""
    title, authors, address, *rest = paragraphs()
    yield from (Paragraph(title, TITLE), Paragraph(authors, AUTHORS), Paragraph(address, ADDRESS))
    yield from (NextPageTemplate("later"), FrameBreak())
    style = BODY
    for text in rest:
        hashes, _, heading = text.partition(" ")
        if hashes and set(hashes) == {"#"}:
            style = {"Abstract": ABSTRACT, "References": REFERENCE}.get(heading, BODY)
            yield Paragraph(heading, HEADINGS[len(hashes)])
        elif text.startswith("@table "):
            yield table(text.removeprefix("@table "))
        elif text == "@figure":
            yield KeepTogether([Spacer(1, 4), figure(), Paragraph(CAPTIONS["figure"], CAPTION)])
        else:
            yield Paragraph(text.replace("&", "&amp;").replace("<", "&lt;"), style)


def furniture(canvas: Canvas, document: BaseDocTemplate) -> None:
    """Running header from page 2 on, and the page number."""
    canvas.setFont("Times-Roman", 8.5)
    if document.page > 1:
        canvas.drawString(MARGIN, A4[1] - 12 * mm, RUNNING_HEADER)
        canvas.setLineWidth(0.4)
        canvas.line(MARGIN, A4[1] - 13.5 * mm, A4[0] - MARGIN, A4[1] - 13.5 * mm)
    canvas.drawCentredString(A4[0] / 2, 10 * mm, str(document.page))


def columns(bottom: float, height: float) -> list[Frame]:
    """Two frames side by side. bottom, height: points."""
    starts = (MARGIN, MARGIN + COLUMN + GUTTER)
    return [Frame(start, bottom, COLUMN, height, leftPadding=0, rightPadding=0, topPadding=0, bottomPadding=0) for start in starts]


def make_paper(target: Path) -> None:
    """Write the PDF to `target`."""
    bottom, top, title_height = 18 * mm, A4[1] - 19 * mm, 40 * mm
    head = Frame(MARGIN, top - title_height, A4[0] - 2 * MARGIN, title_height, leftPadding=0, rightPadding=0, topPadding=0, bottomPadding=0)
    # invariant: no clock and no random id; no compression, because another zlib may pack the same text into other bytes
    document = BaseDocTemplate(
        str(target), pagesize=A4, title=paragraphs()[0], author=paragraphs()[1], invariant=1, pageCompression=0, lang="en"
    )
    document.addPageTemplates(
        [
            PageTemplate("first", [head, *columns(bottom, top - title_height - bottom)], onPage=furniture),
            PageTemplate("later", columns(bottom, top - bottom), onPage=furniture),
        ]
    )
    document.build(list(story()))


if __name__ == "__main__":
    make_paper(Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET)
