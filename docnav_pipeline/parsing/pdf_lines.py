"""Join the blocks of a PDF page with its printed lines: typography, listings, tables, and lines that no block holds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from docnav_pipeline.parsing.block import BBox, Block, BlockType, Line
from docnav_pipeline.parsing.line_joining import join_lines
from docnav_pipeline.parsing.print_tables import PrintTable, find_tables, without_tables
from docnav_pipeline.parsing.tables import rows_to_html, rows_to_text
from docnav_pipeline.parsing.typography import PageText, PrintedLine, summary

_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
# Boxes of MinerU have three decimals, and lines reach a little over them.
_SLACK = 0.004
_PAGE_PICTURE = 0.6
_SCANNED_TEXT = 200
_MIN_TABLE_PIECES = 4


def join_typography(blocks: Sequence[Block], pages: Mapping[int, PageText], words: frozenset[str], with_tables: bool = True) -> list[Block]:
    """Give each block of a page the printed lines inside its box, and their typography.

    Where the lines know better, the text of the block is theirs: an empty block or formula, a
    listing in a typewriter face (line breaks kept), right-to-left text, words inside a picture.
    Lines that no block holds become text blocks of their own (sub_type "recovered"), so that
    nothing printed is lost. with_tables: look for tables without rules, which take the place of
    the blocks that their print was read as; for a parser that finds such tables itself, False.
    """
    mono = sum(len(piece.line.text) for page in pages.values() for piece in page.lines if piece.mono)
    typewritten = mono * 2 > sum(len(piece.line.text) for page in pages.values() for piece in page.lines)
    by_page: dict[int, list[Block]] = {number: [] for number in pages}
    for block in blocks:
        by_page.setdefault(block.page or 0, []).append(block)
    result: list[Block] = []
    for number in sorted(by_page):
        page = pages.get(number)
        if page is None:
            result.extend(by_page[number])
            continue
        left, lines, tables = by_page[number], page.lines, list[PrintTable]()
        if with_tables:
            left, lines, tables = _with_print_tables(left, lines, number)
        made = _page_blocks(left, lines, number, words, typewritten)
        for table in tables:
            made.insert(_place(made, table.block), table.block)
        result.extend(made)
    return result


def _with_print_tables(
    blocks: list[Block], lines: list[PrintedLine], number: int
) -> tuple[list[Block], list[PrintedLine], list[PrintTable]]:
    """Blocks and lines of a page without what is in its tables without rules, and these tables."""
    holders = [_holder(blocks, line.line) for line in lines]
    free = [line for line, at in zip(lines, holders, strict=True) if at is None or not _has_columns(blocks[at])]
    tables = find_tables(free, number)
    if not tables:
        return blocks, lines, []
    held: list[list[PrintedLine]] = [[] for _ in blocks]
    for line, at in zip(lines, holders, strict=True):
        if at is not None:
            held[at].append(line)
    taken = {id(line) for table in tables for line in table.lines}
    return without_tables(blocks, held, tables), [line for line in lines if id(line) not in taken], tables


def _page_blocks(blocks: list[Block], lines: Sequence[PrintedLine], number: int, words: frozenset[str], typewritten: bool) -> list[Block]:
    """typewritten: most of the text is in a typewriter face, which then says nothing about a block."""
    held: list[list[PrintedLine]] = [[] for _ in blocks]
    lost: list[PrintedLine] = []
    for line in lines:
        for piece in _pieces(blocks, line):
            holder = _holder(blocks, piece.line)
            (lost if holder is None else held[holder]).append(piece)
    for at, block in enumerate(blocks):
        # A picture as large as the page is the scan behind a text layer, not the place of its words.
        if (
            block.type is BlockType.IMAGE
            and _area(block) > _PAGE_PICTURE
            and sum(len(piece.line.text) for piece in held[at]) > _SCANNED_TEXT
        ):
            lost.extend(held[at])
            held[at] = []
    # Running text in a frame, as slides have it, is no picture.
    framed = {at for at, block in enumerate(blocks) if block.type is BlockType.IMAGE and _is_prose([piece.line for piece in held[at]])}
    for at in sorted(framed):
        lost.extend(held[at])
    blocks = [block for at, block in enumerate(blocks) if at not in framed]
    held = [pieces for at, pieces in enumerate(held) if at not in framed]
    made: list[Block] = []
    code_so_far = False
    for block, pieces in zip(blocks, held, strict=True):
        is_mono = bool(pieces) and not typewritten and all(piece.mono for piece in pieces)
        is_mono = is_mono and block.type in (BlockType.TEXT, BlockType.CODE, BlockType.LIST)
        joined = _with_lines(block, pieces, words, is_mono)
        if is_mono and code_so_far and made and _is_next_of_listing(made[-1], joined):
            made[-1] = _merged_listing(made[-1], joined)
        else:
            made.append(joined)
        code_so_far = is_mono
    for block in _recovered(lost, number, words):
        made.insert(_place(made, block), block)
    return made


def _is_prose(lines: Sequence[Line]) -> bool:
    """Whether the words inside a picture are running text in a frame, not the labels of a drawing or a framed contents page."""
    total = sum(len(line.text) for line in lines)
    long = [line for line in lines if len(line.text.split()) >= 4]
    return total > 80 and sum(len(line.text) for line in long) >= 0.7 * total and len(long) >= 0.6 * len(lines)


def _pieces(blocks: Sequence[Block], line: PrintedLine) -> list[PrintedLine]:
    """A line that runs through several blocks side by side, cut where it passes from one to the next."""
    box = line.line.bbox
    y = (box[1] + box[3]) / 2
    beside = [block.bbox for block in blocks if block.bbox is not None and block.bbox[1] <= y <= block.bbox[3]]
    if len(line.words) < 2 or len(beside) < 2 or any(other[0] - _SLACK <= box[0] and box[2] <= other[2] + _SLACK for other in beside):
        return [line]
    groups: list[tuple[object, list[tuple[float, float, str]]]] = []
    for word in line.words:
        x = (word[0] + word[1]) / 2
        owner = min(
            (other for other in beside if other[0] - _SLACK <= x <= other[2] + _SLACK), key=lambda other: other[2] - other[0], default=None
        )
        if groups and groups[-1][0] == owner:
            groups[-1][1].append(word)
        else:
            groups.append((owner, [word]))
    pieces = []
    for _, group in groups:
        bbox = (group[0][0], box[1], max(word[1] for word in group), box[3])
        text = " ".join(word[2] for word in group)
        pieces.append(PrintedLine(replace(line.line, text=text, bbox=bbox), tuple(group), line.mono))
    return pieces


def _holder(blocks: Sequence[Block], line: Line) -> int | None:
    """The smallest block whose box holds the middle of the line."""
    x, y = (line.bbox[0] + line.bbox[2]) / 2, (line.bbox[1] + line.bbox[3]) / 2
    best: tuple[float, int] | None = None
    for number, block in enumerate(blocks):
        box = block.bbox
        if box is None or not (box[0] - _SLACK <= x <= box[2] + _SLACK and box[1] - _SLACK <= y <= box[3] + _SLACK):
            continue
        area = _area(block)
        if best is None or area < best[0]:
            best = (area, number)
    return best[1] if best else None


def _area(block: Block) -> float:
    box = block.bbox
    return 0.0 if box is None else (box[2] - box[0]) * (box[3] - box[1])


def _with_lines(block: Block, pieces: list[PrintedLine], words: frozenset[str], is_mono: bool) -> Block:
    if not pieces:
        return block
    if block.type is BlockType.TABLE:
        return _table_with_lines(block, pieces)
    lines = _in_reading_order([piece.line for piece in pieces])
    size, weight, italic = summary(lines)
    text, kind = block.text, block.type
    if kind is BlockType.IMAGE:
        text = text or "\n".join(line.text for line in lines)
    elif not text.strip() or _is_right_to_left(text):
        text = join_lines([line.text for line in lines], words)
    elif is_mono and (kind is BlockType.CODE or (len(lines) >= 2 and _is_listing(lines))):
        text, kind = _listing(lines), BlockType.CODE
    return replace(block, type=kind, text=text, lines=tuple(lines), size_pt=size, weight=weight, italic=italic)


def _is_next_of_listing(last: Block, block: Block) -> bool:
    """Whether a block in a typewriter face goes on right below a listing of the same column."""
    if BlockType.CODE not in (last.type, block.type) or last.bbox is None or block.bbox is None:
        return False
    height = max((line.bbox[3] - line.bbox[1] for line in last.lines), default=0.01)
    gap = block.bbox[1] - last.bbox[3]
    return -height < gap < 2.4 * height and min(last.bbox[2], block.bbox[2]) > max(last.bbox[0], block.bbox[0])


def _merged_listing(last: Block, block: Block) -> Block:
    lines = last.lines + block.lines
    size, weight, italic = summary(lines)
    bbox = _around([box for box in (last.bbox, block.bbox) if box is not None])
    return replace(last, type=BlockType.CODE, text=_listing(lines), bbox=bbox, lines=lines, size_pt=size, weight=weight, italic=italic)


def _around(boxes: Sequence[BBox]) -> BBox:
    return (min(box[0] for box in boxes), min(box[1] for box in boxes), max(box[2] for box in boxes), max(box[3] for box in boxes))


def _table_with_lines(block: Block, pieces: Sequence[PrintedLine]) -> Block:
    """A table that came without columns gets its rows from the print: pieces of one printed row are cells."""
    if _has_columns(block) or len(pieces) < _MIN_TABLE_PIECES:
        return block
    rows = [[line.text for line in row] for row in _rows([piece.line for piece in pieces])]
    if sum(len(row) > 1 for row in rows) * 2 < len(rows):
        return block if block.text else replace(block, text=rows_to_text(rows))
    return replace(block, text=rows_to_text(rows), html=rows_to_html(rows))


def _has_columns(block: Block) -> bool:
    """Whether a block is a table with more than one cell in some row."""
    if block.type is not BlockType.TABLE:
        return False
    return any(row.count("<td") + row.count("<th") > 1 for row in block.html.split("<tr>")) if block.html else " | " in block.text


def _rows(lines: Sequence[Line]) -> list[list[Line]]:
    """Lines from top to bottom, pieces of one printed line from left to right (right to left in such a script)."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: (line.bbox[1] + line.bbox[3], line.bbox[0])):
        middle = (line.bbox[1] + line.bbox[3]) / 2
        if rows and rows[-1][0].bbox[1] < middle < rows[-1][0].bbox[3]:
            rows[-1].append(line)
        else:
            rows.append([line])
    for row in rows:
        backwards = sum(bool(_RIGHT_TO_LEFT.search(line.text)) for line in row) * 2 > len(row)
        row.sort(key=lambda line: -line.bbox[2] if backwards else line.bbox[0])
    return rows


def _in_reading_order(lines: Sequence[Line]) -> list[Line]:
    return [line for row in _rows(lines) for line in row]


def _is_right_to_left(text: str) -> bool:
    letters = sum(character.isalpha() for character in text)
    return len(_RIGHT_TO_LEFT.findall(text)) * 3 > letters > 0


def _is_listing(lines: Sequence[Line]) -> bool:
    """Whether lines in a typewriter face are code: of unlike lengths or indented, not a justified paragraph."""
    rights = sorted(line.bbox[2] for line in lines)
    lefts = {round(line.bbox[0], 2) for line in lines}
    return len(lefts) > 1 or rights[-1] - rights[0] > 0.05


def _listing(lines: Sequence[Line]) -> str:
    """Code with its line breaks and, from the positions of the lines, its indentation."""
    left = min(line.bbox[0] for line in lines)
    widths = sorted((line.bbox[2] - line.bbox[0]) / max(len(line.text), 1) for line in lines)
    width = widths[len(widths) // 2] or 0.01
    rows: list[str] = []
    last: Line | None = None
    for line in lines:
        column = min(round((line.bbox[0] - left) / width), 120)
        same_row = last is not None and last.bbox[1] < (line.bbox[1] + line.bbox[3]) / 2 < last.bbox[3]
        if same_row:
            rows[-1] = f"{rows[-1].ljust(column)}{'' if len(rows[-1]) < column else ' '}{line.text}"
        else:
            if last is not None and line.bbox[1] - last.bbox[3] > 0.8 * (last.bbox[3] - last.bbox[1]):
                rows.append("")
            rows.append(" " * column + line.text)
        last = line
    return "\n".join(rows)


def _recovered(pieces: Sequence[PrintedLine], page_number: int, words: frozenset[str]) -> list[Block]:
    """Text blocks of lines that no block holds: lines under one another, of one size, belong together."""
    groups: list[list[Line]] = []
    for line in (piece.line for piece in pieces):
        if not any(character.isalnum() for character in line.text):
            continue
        last = groups[-1][-1] if groups else None
        if last is not None and _goes_on(last, line):
            groups[-1].append(line)
        else:
            groups.append([line])
    blocks = []
    for group in groups:
        size, weight, italic = summary(group)
        box = _around([line.bbox for line in group])
        text = join_lines([line.text for line in group], words)
        blocks.append(
            Block(
                BlockType.TEXT,
                text,
                page=page_number,
                bbox=box,
                sub_type="recovered",
                lines=tuple(group),
                size_pt=size,
                weight=weight,
                italic=italic,
            )
        )
    return blocks


def _goes_on(last: Line, line: Line) -> bool:
    height = max(last.bbox[3] - last.bbox[1], 0.005)
    below = 0 <= line.bbox[1] - last.bbox[1] < 2.2 * height
    overlaps = min(last.bbox[2], line.bbox[2]) > max(last.bbox[0], line.bbox[0])
    return below and overlaps and last.size_pt == line.size_pt and last.weight == line.weight


def _place(blocks: Sequence[Block], block: Block) -> int:
    """Where a lost block belongs: before the first block of its column that starts below it, else at the end. A table stands over what it
    overlaps, be it in a column or not."""
    assert block.bbox is not None
    middle = (block.bbox[0] + block.bbox[2]) / 2
    for number, other in enumerate(blocks):
        if other.bbox is None:
            continue
        in_column = other.bbox[0] - 0.02 <= middle <= other.bbox[2] + 0.02
        if block.type is BlockType.TABLE:
            in_column = min(block.bbox[2], other.bbox[2]) > max(block.bbox[0], other.bbox[0])
        if in_column and other.bbox[1] >= block.bbox[1]:
            return number
    return len(blocks)
