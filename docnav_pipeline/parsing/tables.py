"""Tables: markup reduced to what a table needs, and its rows as lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from lxml import etree

from docnav_pipeline.parsing.characters import one_line

_KEPT = frozenset({"table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"})
_DROPPED = frozenset({"script", "style", "template", "noscript"})
# A cell may claim any span; a grid wider or longer than this is no table that anyone printed.
_MAX_SPAN = 1000
_MAX_CELLS = 2_000_000


def rows_to_text(rows: Sequence[Sequence[str]]) -> str:
    """Rows as lines, cells separated by " | "; rows without any text are left out."""
    lines = []
    for row in rows:
        cells = [one_line(cell) for cell in row]
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            lines.append(" | ".join(cells))
    return "\n".join(lines)


def rows_to_html(rows: Sequence[Sequence[str]], n_header_rows: int = 0) -> str:
    """Markup of a table without spans."""
    parts = ["<table>"]
    for number, row in enumerate(rows):
        tag = "th" if number < n_header_rows else "td"
        parts.append("<tr>" + "".join(f"<{tag}>{escape(one_line(cell), quote=False)}</{tag}>" for cell in row) + "</tr>")
    parts.append("</table>")
    return "".join(parts)


def table_from_markup(markup: str) -> tuple[str, str]:
    """(html, text) of a table given as HTML by another program; both empty when there is no table in it."""
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True)
    try:
        root = etree.fromstring(markup.encode("utf-8", errors="replace"), parser)
    except (etree.XMLSyntaxError, ValueError):
        return "", ""
    if root is None:
        return "", ""
    table = next(root.iter("table"), None)
    if table is None:
        return "", ""
    return element_to_html(table), element_to_text(table)


def element_to_html(table: Any) -> str:
    """Markup of an lxml table element: table tags and spans only, every text escaped."""
    parts: list[str] = []
    _write(table, parts)
    return "".join(parts)


def element_to_text(table: Any) -> str:
    """Rows of an lxml table element as lines.

    A cell prints once, at its first row and column; the places that a span covers stay empty,
    so that cells under one another keep the same position.
    """
    grid: list[list[str]] = []
    covered: dict[int, set[int]] = {}
    n_cells = 0
    for number, row in enumerate(_rows(table)):
        taken = covered.pop(number, set())
        cells: list[str] = []
        for cell in row:
            if cell.tag not in ("td", "th"):
                continue
            while len(cells) in taken:
                cells.append("")
            column = len(cells)
            width, height = _span(cell, "colspan"), _span(cell, "rowspan")
            n_cells += width * height
            if n_cells > _MAX_CELLS:
                width = height = 1
            cells.append(cell_text(cell))
            cells.extend([""] * (width - 1))
            for below in range(1, height):
                covered.setdefault(number + below, set()).update(range(column, column + width))
        grid.append(cells)
    return rows_to_text(grid)


def cell_text(element: Any) -> str:
    """Text of a cell on one line: blocks and line breaks inside it are separated by spaces."""
    parts: list[str] = []
    _collect(element, parts)
    return one_line("".join(parts))


def _collect(element: Any, parts: list[str]) -> None:
    if not isinstance(element.tag, str) or element.tag in _DROPPED:
        return
    block = element.tag in ("p", "div", "br", "li", "ul", "ol", "tr", "td", "th", "table", "dt", "dd", "pre", "blockquote", "section")
    if block:
        parts.append(" ")
    if element.text:
        parts.append(element.text)
    for child in element:
        _collect(child, parts)
        if child.tail:
            parts.append(child.tail)
    if block:
        parts.append(" ")


def _rows(table: Any) -> list[Any]:
    """Rows of this table, without those of tables inside its cells."""
    rows = []
    for child in table:
        if child.tag == "tr":
            rows.append(child)
        elif child.tag in ("thead", "tbody", "tfoot"):
            rows.extend(row for row in child if row.tag == "tr")
    return rows


def _span(cell: Any, name: str) -> int:
    value = (cell.get(name) or "").strip()
    return min(max(int(value), 1), _MAX_SPAN) if value.isascii() and value.isdigit() and len(value) < 10 else 1


def _write(element: Any, parts: list[str]) -> None:
    tag = element.tag
    if tag in ("td", "th", "caption"):
        spans = "".join(f' {name}="{_span(element, name)}"' for name in ("rowspan", "colspan") if _span(element, name) > 1)
        parts.append(f"<{tag}{spans}>{escape(cell_text(element), quote=False)}</{tag}>")
        return
    parts.append(f"<{tag}>")
    for child in element:
        if isinstance(child.tag, str) and child.tag in _KEPT and child.tag != "table":
            _write(child, parts)
    parts.append(f"</{tag}>")
