"""Tables without rules, found by how their numbers stand under one another in print.

Financial statements and the like have no lines between their cells. A layout parser then reads the labels as one block and each number
as another, or as a running header, and what belongs together is lost. Here rows are what stands at one height, columns are numbers whose
right edges agree.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from docnav_pipeline.parsing.block import BBox, Block, BlockType
from docnav_pipeline.parsing.tables import rows_to_html, rows_to_text
from docnav_pipeline.parsing.typography import PrintedLine

# At least so many rows with a label and a number, or chance could have put them there.
MIN_ROWS = 4
# Share of the rows of a table that hold numbers; the others are captions of groups and labels over several lines.
_MIN_SHARE = 0.4
# Rows without numbers between two with.
_MAX_BETWEEN = 6
# In mean widths of a character: a gap between cells, and how far right edges of one column may differ ("(12)" over "12").
_GAP = 2.0
_WORD_GAP = 1.2
_EDGE = 2.5
# How far a head may reach to the left of the numbers below it.
_HEAD_REACH = 12
# In heights of a row: the largest step from one row to the next, and how far heads stand above the numbers.
_MAX_STEP = 3.2
_MAX_HEADS = 4
_MAX_COLUMNS = 24

_NUMBER = re.compile(r"[(\[+\-–—−~<>≈$€£¥]*\d[\d.,:/]*[)\]%*†‡]*")
_SIGN = re.compile(r"[$€£¥%)—–−-]|n/?[am]\.?|nil|\*+", re.IGNORECASE)
_CURRENCY = re.compile(r"[(\[]?[$€£¥]|(?:US|A|C|HK)\$|EUR|USD|GBP|CHF|Rs\.?")
_CLOSING = re.compile(r"[)%\]]+")
# A value that no page number or number of an equation looks like.
_AMOUNT = re.compile(r"\d[.,]\d|[%$€£¥]|\d{5,}")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class _Word:
    x0: float
    x1: float
    text: str


@dataclass(slots=True)
class _Row:
    """What is printed at one height. label: words before the numbers; values: numbers at the end of the row."""

    top: float
    bottom: float
    lines: list[PrintedLine]
    words: list[_Word]
    label: list[_Word]
    values: list[_Word]

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2


@dataclass(frozen=True, slots=True)
class PrintTable:
    """A table that was found. block: type `table`; lines: the printed lines that it is made of."""

    block: Block
    lines: tuple[PrintedLine, ...]


def find_tables(lines: Sequence[PrintedLine], page: int) -> list[PrintTable]:
    """Tables of a page, from top to bottom.

    lines: all printed lines that belong to no table yet. A table has at least four rows with a label and, right of it, numbers in a column
    of their own: in two columns or more, or amounts (1,234 or 12.5 or 7 % or $ 9) in one. So contents pages, numbered equations and
    running text in two columns are none. Rows without numbers inside it, and heads over its columns, belong to it.
    """
    printed = [line for line in lines if line.words and not line.mono]
    width = _character_width(printed)
    if not width:
        return []
    rows = _rows(printed, width)
    tables: list[PrintTable] = []
    at = 0
    while at < len(rows):
        end = _end(rows, at)
        if end is None:
            at += 1
            continue
        found = _table(rows, at, end, width, page)
        if found is None:
            at += 1
            continue
        tables.append(found)
        at = end
    return tables


def without_tables(blocks: Sequence[Block], held: Sequence[Sequence[PrintedLine]], tables: Sequence[PrintTable]) -> list[Block]:
    """Blocks of a page without what went into its tables. held: lines of each block.

    A block of which a table took half or more is gone, and with it those of the same box (entries of one contents page); its other
    lines are for the caller to keep. One that lost less is emptied, so that its text is made anew from the lines that it still has.
    """
    taken = {id(line) for table in tables for line in table.lines}
    boxes = [table.block.bbox for table in tables if table.block.bbox is not None]
    kept: list[Block] = []
    gone: set[BBox] = set()
    shares = [sum(id(line) in taken for line in lines) / len(lines) if lines else 0.0 for lines in held]
    for block, share in zip(blocks, shares, strict=True):
        if share >= 0.5 and block.bbox is not None:
            gone.add(block.bbox)
    for block, lines, share in zip(blocks, held, shares, strict=True):
        inside = not lines and block.bbox is not None and any(_is_inside(block.bbox, box) for box in boxes)
        if inside or (block.bbox in gone and (share > 0 or not lines)):
            continue
        kept.append(_emptied(block) if share > 0 else block)
    return kept


def _emptied(block: Block) -> Block:
    return replace(block, text="", html=None)


def _is_inside(box: BBox, other: BBox) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return other[0] <= x <= other[2] and other[1] <= y <= other[3]


# -- rows


def _character_width(lines: Sequence[PrintedLine]) -> float:
    """Mean width of a character, as a share of the page width; 0 for a page without words."""
    widths = sorted((x1 - x0) / len(text) for line in lines for x0, x1, text in line.words if len(text) >= 2 and x1 > x0)
    return widths[len(widths) // 2] if widths else 0.0


def _rows(lines: Sequence[PrintedLine], width: float) -> list[_Row]:
    rows: list[_Row] = []
    for line in sorted(lines, key=lambda line: (line.line.bbox[1] + line.line.bbox[3], line.line.bbox[0])):
        _, top, _, bottom = line.line.bbox
        middle = (top + bottom) / 2
        if rows and rows[-1].top < middle < rows[-1].bottom:
            rows[-1].lines.append(line)
        else:
            rows.append(_Row(top, bottom, [line], [], [], []))
    for row in rows:
        row.words = sorted((_Word(x0, x1, text) for line in row.lines for x0, x1, text in line.words), key=lambda word: word.x0)
        row.label, row.values = _split(row.words, width)
    return rows


def _split(words: Sequence[_Word], width: float) -> tuple[list[_Word], list[_Word]]:
    """Words of a row before its numbers, and the numbers at its end; these begin behind a gap, or are the whole row."""
    start = len(words)
    for at in range(len(words) - 1, -1, -1):
        if not (_NUMBER.fullmatch(words[at].text) or _SIGN.fullmatch(words[at].text) or _CURRENCY.fullmatch(words[at].text)):
            break
        if at == 0 or words[at].x0 - words[at - 1].x1 > _GAP * width:
            start = at
    return list(words[:start]), _values(words[start:], width)


def _values(words: Sequence[_Word], width: float) -> list[_Word]:
    """Numbers with the signs of currency before them and the brackets behind them."""
    values: list[_Word] = []
    sign: _Word | None = None
    for word in words:
        if _CURRENCY.fullmatch(word.text):
            sign = word
            continue
        if _CLOSING.fullmatch(word.text) and values and word.x0 - values[-1].x1 < _GAP * width:
            values[-1] = _Word(values[-1].x0, word.x1, values[-1].text + word.text)
            continue
        # The sign stands at the left edge of its column, however far from the number: its place says nothing about that of the number.
        text = f"{sign.text} {word.text}" if sign is not None else word.text
        values.append(_Word(word.x0, word.x1, text))
        sign = None
    return values


# -- tables


def _end(rows: Sequence[_Row], start: int) -> int | None:
    """Row behind the last one of the table that begins with a row, None where none begins there."""
    if not rows[start].values or not _has_words(rows[start].label):
        return None
    end, between = start + 1, 0
    left = min(value.x0 for value in rows[start].values)
    height = rows[start].bottom - rows[start].top
    last = rows[start]
    for at in range(start + 1, len(rows)):
        row = rows[at]
        if row.top - last.bottom > _MAX_STEP * height:
            break
        last = row
        if row.values and (not row.label or row.label[-1].x1 < min(value.x0 for value in row.values)):
            left = min(left, *(value.x0 for value in row.values))
            end, between = at + 1, 0
        else:
            between += 1
            # A row that runs on under the numbers is text.
            if between > _MAX_BETWEEN or row.words[-1].x1 > left:
                break
    return end


def _table(rows: Sequence[_Row], start: int, end: int, width: float, page: int) -> PrintTable | None:
    body = list(rows[start:end])
    with_numbers = [row for row in body if row.values and _has_words(row.label)]
    if len(with_numbers) < MIN_ROWS or len(with_numbers) < _MIN_SHARE * len(body):
        return None
    edges = _columns([value for row in body for value in row.values], width)
    if not edges or len(edges) > _MAX_COLUMNS:
        return None
    if not _is_table(with_numbers, edges, width):
        return None
    left = min(value.x0 for row in body for value in row.values)
    heads, n_heads = _heads(rows, start, left, width)
    made = [_head_cells(row, edges, left, width) for row in heads]
    made += [_cells(row, edges) for row in body]
    lines = tuple(line for row in (*heads, *body) for line in row.lines)
    boxes = [line.line.bbox for line in lines]
    bbox = (min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes))
    html = rows_to_html(made, n_heads)
    block = Block(BlockType.TABLE, rows_to_text(made), page=page, bbox=bbox, html=html, lines=tuple(piece.line for piece in lines))
    return PrintTable(block, lines)


def _is_table(rows: Sequence[_Row], edges: Sequence[float], width: float) -> bool:
    """Whether numbers stand in columns: two of them in at least three rows, or amounts in one."""
    fits = [sum(min(abs(value.x1 - edge) for edge in edges) <= _EDGE * width for value in row.values) for row in rows]
    if sum(n == len(row.values) for n, row in zip(fits, rows, strict=True)) < 0.8 * len(rows):
        return False
    if sum(n >= 2 for n in fits) >= MIN_ROWS - 1:
        return True
    amounts = [bool(_AMOUNT.search(value.text)) for row in rows for value in row.values]
    return len(edges) == 1 and sum(amounts) * 2 >= len(amounts)


def _columns(values: Sequence[_Word], width: float) -> list[float]:
    """Right edges of columns, from left to right: places where edges of several numbers agree."""
    groups: list[list[float]] = []
    for edge in sorted(value.x1 for value in values):
        if groups and edge - groups[-1][0] <= _EDGE * width:
            groups[-1].append(edge)
        else:
            groups.append([edge])
    return [max(group) for group in groups if len(group) >= 2]


def _heads(rows: Sequence[_Row], start: int, left: float, width: float) -> tuple[list[_Row], int]:
    """Rows above the first one with numbers: heads over the columns (years, units), then captions of groups; and how many are heads."""
    above: list[_Row] = []
    n_heads = n_captions = 0
    below = rows[start]
    height = below.bottom - below.top
    for row in reversed(rows[max(0, start - _MAX_HEADS - _MAX_BETWEEN) : start]):
        over = [cell for cell in _printed_cells(row, width) if cell.x1 > left]
        if below.top - row.bottom > _MAX_STEP * height or (over and over[0].x0 < left - _HEAD_REACH * width):
            break
        if not over and (n_heads or n_captions == _MAX_BETWEEN):
            break
        above.insert(0, row)
        n_heads += bool(over)
        n_captions += not over
        if n_heads == _MAX_HEADS:
            break
        below = row
    return (above, n_heads) if n_heads else ([], 0)


def _cells(row: _Row, edges: Sequence[float]) -> list[str]:
    cells = [" ".join(word.text for word in row.label), *("" for _ in edges)]
    for value in row.values:
        column = min(range(len(edges)), key=lambda n: abs(value.x1 - edges[n]))
        cells[column + 1] = f"{cells[column + 1]} {value.text}".strip()
    return cells


def _head_cells(row: _Row, edges: Sequence[float], left: float, width: float) -> list[str]:
    """Heads stand over the column whose right edge is next to their middle or behind it."""
    cells = ["" for _ in range(len(edges) + 1)]
    for cell in _printed_cells(row, width):
        middle = (cell.x0 + cell.x1) / 2
        column = 0 if cell.x1 <= left else 1 + next((n for n, edge in enumerate(edges) if middle <= edge), len(edges) - 1)
        cells[column] = f"{cells[column]} {cell.text}".strip()
    return cells


def _printed_cells(row: _Row, width: float) -> list[_Word]:
    """Words of a row put together where no gap parts them."""
    cells: list[_Word] = []
    for word in row.words:
        if cells and word.x0 - cells[-1].x1 <= _WORD_GAP * width:
            cells[-1] = _Word(cells[-1].x0, word.x1, f"{cells[-1].text} {word.text}")
        else:
            cells.append(word)
    return cells


def _has_words(words: Sequence[_Word]) -> bool:
    return any(_LETTER.search(word.text) for word in words)
