"""Printed lines of a whole document in reading order, with the style they are set in."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from docnav_pipeline.hierarchy.line_text import line_texts
from docnav_pipeline.parsing.block import BBox, Block, BlockType, Line

# Weights of 600 and more are "semi-bold" and heavier (OpenType usWeightClass).
BOLD = 600
# Widest gap (share of page width) between a label and the title behind it.
_TAB = 0.1
# Sizes below this are no sizes in points; then the height of the print on a page of this height is taken.
_LEAST_PT, _PAGE_PT = 2.0, 792.0
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")


@dataclass(frozen=True, slots=True)
class Style:
    """How a line is set. size_pt: the document's common size that it is nearest to (see `common_sizes`),
    0.0 when unknown; caps: no lower-case letter.
    """

    size_pt: float
    bold: bool
    italic: bool
    caps: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One printed line, or a whole block where its lines are not known.

    position: this row in the list of rows. block: position of its block. line, end_line: which of the
    block's lines it is made of, end excluded, (-1, -1) for a whole block; pieces of one printed line, as a
    label and the title behind a tab, are one row. of: number of lines of the block.
    """

    position: int
    block: int
    line: int
    end_line: int
    of: int
    text: str
    type: BlockType
    page: int | None
    bbox: BBox | None
    style: Style

    @property
    def opens_block(self) -> bool:
        return self.line <= 0

    @property
    def ends_block(self) -> bool:
        return self.end_line in (-1, self.of)


def is_caps(text: str) -> bool:
    """No lower-case letter and at least two upper-case ones."""
    return not any(c.islower() for c in text) and sum(c.isupper() for c in text) >= 2


def common_sizes(rows: Sequence[Row]) -> dict[float, float]:
    """Each printed size -> the more common size near it.

    Near is 4 %, as sizes are rounded where they are measured, and 12 % in a scan's text layer,
    whose sizes are guesses: there less than 60 % of the text near body size has one size.
    """
    counts: Counter[float] = Counter()
    for row in rows:
        counts[row.style.size_pt] += len(row.text)
    nearest: dict[float, float] = {}
    body = max(counts, key=lambda size: (counts[size], size), default=0.0)
    near_body = sum(n for size, n in counts.items() if abs(size - body) <= 0.1 * body)
    tolerance = 0.04 if counts[body] >= 0.6 * near_body else 0.12
    for size, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        leaders = [s for s in set(nearest.values()) if abs(s - size) <= tolerance * s]
        nearest[size] = min(leaders, key=lambda s: (abs(s - size), s)) if leaders else size
    return nearest


def rows_of(blocks: Sequence[Block]) -> list[Row]:
    """Rows of every block that is printed, in reading order; bookmarks have none."""
    rows: list[Row] = []

    def add(
        index: int, line: int, end: int, of: int, text: str, box: BBox | None, size: float | None, weight: int | None, italic: bool | None
    ) -> None:
        text = " ".join(text.split())
        style = Style(round(size or 0.0, 1), (weight or 0) >= BOLD, bool(italic), is_caps(text))
        rows.append(Row(len(rows), index, line, end, of, text, blocks[index].type, blocks[index].page, box, style))

    listed = _contents_lines(blocks)
    for index, block in enumerate(blocks):
        if block.type == BlockType.OUTLINE:
            continue
        if block.type == BlockType.CONTENTS and block.text.strip():
            line = listed.get(index)
            if line is not None:
                box = line.bbox[0], line.bbox[1], 1.0, line.bbox[3]
                add(index, 0, 1, 1, block.text, box, line.size_pt, line.weight, line.italic)
            else:
                add(index, -1, -1, 1, block.text, None, block.size_pt, block.weight, block.italic)
            continue
        if block.type == BlockType.TABLE:
            # Its printed lines interleave the cells, so its text says more. A layout parser may take a framed
            # page for a table, headings and all.
            lines_of_text = [line for line in block.text.split("\n") if line.strip()]
            for i, text in enumerate(lines_of_text):
                add(index, i, i + 1, len(lines_of_text), text, None, None, None, None)
            continue
        pieces = [line for line in block.lines if line.text.strip()]
        for first, end, text in _printed_lines(block.text, pieces):
            widest = max(pieces[first:end], key=lambda piece: len(piece.text))
            box = _hull(pieces[first:end])
            # Fonts drawn by programs (Type 3) have sizes of their own making; the height of the print tells more.
            size = widest.size_pt if widest.size_pt is None or widest.size_pt >= _LEAST_PT else (box[3] - box[1]) * _PAGE_PT
            add(index, first, end, len(pieces), text, box, size, widest.weight, widest.italic)
        if not pieces and block.text.strip():
            add(index, -1, -1, 1, block.text, block.bbox, block.size_pt, block.weight, block.italic)
    sizes = common_sizes(rows)
    return [replace(row, style=replace(row.style, size_pt=sizes[row.style.size_pt])) for row in rows]


def _printed_lines(text: str, pieces: Sequence[Line]) -> list[tuple[int, int, str]]:
    """Pieces of print joined to lines: (first piece, end, text of the line as the block has it)."""
    groups: list[tuple[int, int]] = []
    for i, piece in enumerate(pieces):
        if groups and _same_print_line(pieces[i - 1], piece):
            groups[-1] = groups[-1][0], i + 1
        else:
            groups.append((i, i + 1))
    printed = [" ".join(piece.text for piece in pieces[first:end]) for first, end in groups]
    return [(first, end, line) for (first, end), line in zip(groups, line_texts(text, printed), strict=True)]


def _same_print_line(left: Line, right: Line) -> bool:
    """Whether two pieces stand on one baseline, close enough to be read as one line."""
    overlap = min(left.bbox[3], right.bbox[3]) - max(left.bbox[1], right.bbox[1])
    lower = min(left.bbox[3] - left.bbox[1], right.bbox[3] - right.bbox[1])
    alike = left.size_pt is None or right.size_pt is None or abs(left.size_pt - right.size_pt) <= 0.5
    return alike and overlap > 0.5 * lower and -0.01 < right.bbox[0] - left.bbox[2] < _TAB


def _hull(lines: Sequence[Line]) -> BBox:
    boxes = [line.bbox for line in lines]
    return min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes)


def _contents_lines(blocks: Sequence[Block]) -> dict[int, Line]:
    """The line that begins each entry of a table of contents.

    A parser may give all lines of the table to its first entry, because the entries share one
    box; they are handed out by text, in order.
    """
    begins: dict[int, Line] = {}
    pool: list[Line] = []
    page: int | None = None
    for index, block in enumerate(blocks):
        if block.type != BlockType.CONTENTS:
            continue
        if block.page != page:
            pool, page = [], block.page
        pool.extend(line for line in block.lines if any(c.isalnum() for c in line.text))
        wanted = _bare(block.text)
        for i, line in enumerate(pool):
            start = _bare(line.text)
            if wanted.startswith(start[:12]) and start[:12] and (len(start) > 3 or wanted == start or not start.isdigit()):
                begins[index] = line
                del pool[: i + 1]
                break
    return begins


def _bare(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


def join_lines(lines: Sequence[str]) -> str:
    """Printed lines as one line: a line-end hyphen before a small letter goes, CJK joins without a space."""
    joined = ""
    for line in (" ".join(text.split()) for text in lines):
        if not joined or not line:
            joined += line
        elif joined.endswith(("-", "\u2010", "\u00ad")) and len(joined) > 1 and joined[-2].isalpha() and line[0].islower():
            joined = joined[:-1] + line
        elif _CJK.match(joined[-1]) and _CJK.match(line[0]):
            joined += line
        else:
            joined += " " + line
    return joined


@dataclass(frozen=True, slots=True)
class Body:
    """What plain text of the document looks like.

    style: the style that sets most characters of text. lines: per page (left, right) edges of its
    lines of text, 0..1.
    """

    style: Style
    lines: dict[int, list[tuple[float, float]]]

    def column(self, row: Row) -> tuple[float, float]:
        """Left and right edge of the column that a row stands in, (0.1, 0.9) when the page has no text."""
        if row.bbox is None or row.page is None:
            return 0.1, 0.9
        middle = (row.bbox[0] + row.bbox[2]) / 2
        around = [edges for edges in self.lines.get(row.page, ()) if edges[0] - 0.02 <= middle <= edges[1] + 0.02]
        if not around:
            return 0.1, 0.9
        lefts, rights = sorted(e[0] for e in around), sorted(e[1] for e in around)
        return lefts[len(lefts) // 10], rights[-1 - len(rights) // 10]


def measure_body(rows: Sequence[Row]) -> Body:
    """The body style of a document, from the lines of its text blocks."""
    by_size: Counter[float] = Counter()
    by_weight: dict[float, Counter[bool]] = defaultdict(Counter)
    lines: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for row in rows:
        if row.type not in (BlockType.TEXT, BlockType.LIST, BlockType.REFERENCE):
            continue
        by_size[row.style.size_pt] += len(row.text)
        by_weight[row.style.size_pt][row.style.bold] += len(row.text)
        if row.bbox and row.page and len(row.text) > 20:
            lines[row.page].append((row.bbox[0], row.bbox[2]))
    size = by_size.most_common(1)[0][0] if by_size else 0.0
    bold = by_weight[size].most_common(1)[0][0] if by_size else False
    return Body(Style(size, bold, False, False), dict(lines))
