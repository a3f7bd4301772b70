"""Tables without rules: found by their columns of numbers, and left alone where numbers mean something else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from assets_store.settings import ParsingSettings
from docnav_pipeline.parsing.block import Block, BlockType
from docnav_pipeline.parsing.parse import parse_source
from docnav_pipeline.parsing.pdf import open_pdf
from docnav_pipeline.parsing.print_tables import find_tables, without_tables
from docnav_pipeline.parsing.typography import read_page

_STATEMENT = [
    ("Fiscal years ended", "2023", "2022", "2021"),
    ("Revenue:",),
    ("Products", "$ 1,234", "$ 987", "$ 1,020"),
    ("Services and other revenue", "45", "(12)", "—"),
    ("Total revenue", "1,279", "975", "1,020"),
    ("Cost of sales", "(800)", "(610)", "(702)"),
    ("Basic earnings per share", "$ 1.28", "$ 5.01", "$ 6.32"),
]
_PROSE = "The pump holds the water level during the first hour and the upper tank feeds it."


class Sheet:
    """One page, set line by line from the top."""

    def __init__(self, path: Path) -> None:
        self.path, self.canvas, self.y = path, Canvas(str(path), pagesize=A4, invariant=1), 780.0

    def row(self, cells: Sequence[str], rights: Sequence[float] = (), size: float = 10) -> Sheet:
        """The first cell at the left margin, the others with right edges at `rights`; a sign of currency stands left of its column."""
        self.canvas.setFont("Times-Roman", size)
        self.canvas.drawString(60, self.y, cells[0])
        for cell, right in zip(cells[1:], rights, strict=False):
            if cell.startswith("$ "):
                self.canvas.drawString(right - 60, self.y, "$")
            hangs = self.canvas.stringWidth(")", "Times-Roman", size) if cell.endswith(")") else 0
            self.canvas.drawRightString(right + hangs, self.y, cell.removeprefix("$ "))
        self.y -= size * 1.3
        return self

    def save(self) -> Path:
        self.canvas.save()
        return self.path


def _texts(path: Path) -> list[str]:
    page = read_page(open_pdf(path), 0)
    assert page is not None
    return [table.block.text for table in find_tables(page.lines, 1)]


def _statement(sheet: Sheet) -> Sheet:
    for row in _STATEMENT:
        sheet.row(row, (330, 430, 530))
    return sheet


def test_labels_and_numbers_of_one_height_are_a_row_and_right_edges_are_columns(tmp_path: Path) -> None:
    sheet = _statement(Sheet(tmp_path / "a.pdf").row([_PROSE]).row([""]).row([""]).row([""]))
    assert _texts(sheet.save()) == [
        "\n".join(
            (
                "Fiscal years ended | 2023 | 2022 | 2021",
                "Revenue:",
                "Products | $ 1,234 | $ 987 | $ 1,020",
                "Services and other revenue | 45 | (12) | —",
                "Total revenue | 1,279 | 975 | 1,020",
                "Cost of sales | (800) | (610) | (702)",
                "Basic earnings per share | $ 1.28 | $ 5.01 | $ 6.32",
            )
        )
    ]


def test_a_statement_becomes_one_table_of_its_document_and_what_stands_around_it_stays(tmp_path: Path) -> None:
    sheet = _statement(Sheet(tmp_path / "a.pdf").row([_PROSE]).row([""]).row([""]))
    sheet.row([""]).row([""]).row(["See the notes, which are part of these statements."])
    ((_, document),) = parse_source(sheet.save(), ParsingSettings())
    blocks = document.blocks
    tables = [block for block in blocks if block.type is BlockType.TABLE]
    assert [table.text.count("\n") for table in tables] == [6]
    assert tables[0].html is not None
    assert "<td>$ 987</td>" in tables[0].html
    others = " ".join(block.text for block in blocks if block.type is not BlockType.TABLE)
    assert _PROSE in others
    assert "See the notes" in others
    assert "1,234" not in others
    assert "Products" not in others


@pytest.mark.parametrize(
    "rows",
    [
        [(f"Chapter {n}: How pumps work", str(n * 3)) for n in range(1, 12)],
        [(f"x + {n} = y", f"({n})") for n in range(1, 9)],
        [(_PROSE,)] * 8,
        [(f"{n}. Turn the valve to the left",) for n in range(12)],
        [("Pumps in use", "12", "15"), ("Tanks in use", "3", "4")],
    ],
    ids=["contents", "equations", "prose", "list", "two rows"],
)
def test_numbers_that_are_no_columns_of_amounts_make_no_table(tmp_path: Path, rows: list[tuple[str, ...]]) -> None:
    sheet = Sheet(tmp_path / "a.pdf")
    for row in rows:
        sheet.row(row, (430, 530))
    assert _texts(sheet.save()) == []


def test_prose_in_two_columns_with_numbers_in_it_makes_no_table(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path / "a.pdf")
    for n in range(20):
        sheet.canvas.setFont("Times-Roman", 10)
        sheet.canvas.drawString(60, sheet.y, f"In the year {1990 + n} the pump held {n}.5 litres of it")
        sheet.canvas.drawString(320, sheet.y, f"while {n},200 tanks were in use at {n}.3 % of all")
        sheet.y -= 13
    assert _texts(sheet.save()) == []


def test_blocks_that_lost_most_of_their_lines_go_and_one_that_lost_few_is_read_anew(tmp_path: Path) -> None:
    page = read_page(open_pdf(_statement(Sheet(tmp_path / "a.pdf")).save()), 0)
    assert page is not None
    (table,) = find_tables(page.lines, 1)
    inside, outside = list(table.lines), page.lines[:0]
    box = (0.1, 0.0, 0.9, 0.5)
    blocks = [
        Block(BlockType.TEXT, "labels", page=1, bbox=(0.1, 0.05, 0.4, 0.2)),
        Block(BlockType.CONTENTS, "entry", page=1, bbox=box),
        Block(BlockType.CONTENTS, "other entry of the same page", page=1, bbox=box),
        Block(BlockType.TEXT, "below", page=1, bbox=(0.1, 0.6, 0.9, 0.7)),
    ]
    kept = without_tables(blocks, [inside[:4], inside[4:], [], outside], [table])
    assert [block.text for block in kept] == ["below"]
    other = page.lines[0].__class__(table.lines[0].line, (), mono=False)
    (mixed,) = without_tables([blocks[0]], [[inside[0], other, other]], [table])
    assert mixed.text == ""
