"""PDF inside the parser process: bookmarks, page windows, and MinerU's blocks joined with the printed lines."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from docnav_pipeline.parsing.block import Block, BlockType, Line
from docnav_pipeline.parsing.characters import one_line
from docnav_pipeline.parsing.errors import CorruptSource, LockedSource
from docnav_pipeline.parsing.line_joining import join_lines, words_of
from docnav_pipeline.parsing.typography import PageText, PrintedLine, read_page, summary

_MAX_BOOKMARKS = 20_000
_MAX_BOOKMARK_DEPTH = 20
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
# Titles that authoring programs write by themselves name no document.
_NO_TITLE = re.compile(
    r"^(?:untitled|none|null|no title|title|document\d*|microsoft (?:word|powerpoint|excel)\b.*|adobe \w+ pdf|"
    r".*\.(?:docx?|pdf|tex|dvi|indd|qxd|pptx?|xlsx?|rtf|eps|ps)|\W*)$",
    re.IGNORECASE,
)
# Boxes of MinerU have three decimals, and lines reach a little over them.
_SLACK = 0.004
_PAGE_PICTURE = 0.6
_SCANNED_TEXT = 200


@dataclass(frozen=True, slots=True)
class PdfInfo:
    """What a PDF says of itself. bookmarks: as `outline` blocks, at most 20,000 of them."""

    n_pages: int
    title: str | None
    language: str | None
    bookmarks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class PdfWindow:
    """Blocks of some pages of a PDF and, from 1, those of its pages that are pictures without text.

    n_broken: pages of the window that do not open.
    """

    blocks: tuple[Block, ...]
    pages_without_text: tuple[int, ...]
    warnings: tuple[str, ...] = ()
    n_broken: int = 0


def open_pdf(path: Path) -> Any:
    """An open `pypdfium2.PdfDocument`; LockedSource or CorruptSource when it does not open."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(path)
        n_pages = len(document)
    except pypdfium2.PdfiumError as error:
        text = str(error)
        if "password" in text.lower() or "security" in text.lower():
            raise LockedSource("locked with a password; save it without one") from error
        raise CorruptSource(f"does not open as PDF ({text})") from error
    if n_pages < 1:
        raise CorruptSource("a PDF without pages")
    return document


def read_info(path: Path) -> PdfInfo:
    """Page count, title, language and bookmarks of a PDF."""
    document = open_pdf(path)
    try:
        title = one_line(document.get_metadata_value("Title") or "")
        return PdfInfo(
            n_pages=len(document),
            title=None if _NO_TITLE.match(title) else title,
            language=_language(document),
            bookmarks=tuple(_bookmarks(document)),
        )
    finally:
        document.close()


def read_window(path: Path, first: int, last: int, tier: str, min_page_characters: int, server_url: str = "") -> PdfWindow:
    """Blocks of pages `first` to `last` (from 1, both included).

    The page before the window is parsed too where there is one, so that a paragraph that
    goes on over the border of two windows is known as continued.
    """
    document = open_pdf(path)
    try:
        before = max(first - 1, 1)
        read = {number: read_page(document, number - 1) for number in range(before, last + 1)}
    finally:
        document.close()
    broken = [number for number in range(first, last + 1) if read[number] is None]
    warnings = (f"pages that do not open: {_page_range(broken)}",) if broken else ()
    pages = {number: page for number, page in read.items() if page is not None and number >= first}
    without_text = tuple(number for number, page in pages.items() if page.has_picture and page.n_characters < min_page_characters)
    if tier == "flash" and not any(page.n_characters for page in pages.values()):
        return PdfWindow((), without_text, warnings, n_broken=len(broken))
    from docnav_pipeline.parsing.mineru_call import parse_pdf_pages

    whole = [number for number, page in read.items() if page is not None]
    blocks = parse_pdf_pages(path, _page_range(whole), first, tier, server_url)
    words = words_of(" ".join(piece.line.text for page in pages.values() for piece in page.lines))
    joined = join_typography(blocks, pages, words)
    if tier != "flash":
        # Above flash the parser reads pictures itself: a page is without text only when it found none.
        filled = {block.page for block in joined if block.text and block.type is not BlockType.FURNITURE}
        without_text = tuple(number for number in without_text if number not in filled)
    return PdfWindow(tuple(joined), without_text, warnings, n_broken=len(broken))


def _page_range(numbers: Sequence[int]) -> str:
    """Page numbers as MinerU takes them: "1-3,5"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def join_typography(blocks: Sequence[Block], pages: Mapping[int, PageText], words: frozenset[str]) -> list[Block]:
    """Give each block of a page the printed lines inside its box, and their typography.

    Where the lines know better, the text of the block is theirs: an empty block or formula, a
    listing in a typewriter face (line breaks kept), right-to-left text, words inside a picture.
    Lines that no block holds become text blocks of their own (sub_type "recovered"), so that
    nothing printed is lost.
    """
    by_page: dict[int, list[Block]] = {number: [] for number in pages}
    for block in blocks:
        by_page.setdefault(block.page or 0, []).append(block)
    result: list[Block] = []
    for number in sorted(by_page):
        page = pages.get(number)
        result.extend(_page_blocks(by_page[number], page, number, words) if page is not None else by_page[number])
    return result


def _page_blocks(blocks: list[Block], page: PageText, number: int, words: frozenset[str]) -> list[Block]:
    held: list[list[PrintedLine]] = [[] for _ in blocks]
    lost: list[PrintedLine] = []
    for line in page.lines:
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
    made = [_with_lines(block, pieces, words) for block, pieces in zip(blocks, held, strict=True)]
    for block in _recovered(lost, number, words):
        made.insert(_place(made, block), block)
    return made


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


def _with_lines(block: Block, pieces: list[PrintedLine], words: frozenset[str]) -> Block:
    if not pieces or (block.type is BlockType.TABLE and block.text):
        return block
    lines = _in_reading_order([piece.line for piece in pieces])
    size, weight, italic = summary(lines)
    text, kind = block.text, block.type
    mono = all(piece.mono for piece in pieces)
    if kind in (BlockType.IMAGE, BlockType.TABLE):
        text = text or "\n".join(line.text for line in lines)
    elif not text.strip() or _is_right_to_left(text):
        text = join_lines([line.text for line in lines], words)
    elif kind is BlockType.TEXT and mono and len(lines) >= 2 and _is_listing(lines):
        text, kind = _listing(lines), BlockType.CODE
    elif kind is BlockType.CODE and mono:
        text = _listing(lines)
    return replace(block, type=kind, text=text, lines=tuple(lines), size_pt=size, weight=weight, italic=italic)


def _in_reading_order(lines: Sequence[Line]) -> list[Line]:
    """Lines from top to bottom, pieces of one printed line from left to right (right to left in such a script)."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: (line.bbox[1] + line.bbox[3], line.bbox[0])):
        middle = (line.bbox[1] + line.bbox[3]) / 2
        if rows and rows[-1][0].bbox[1] < middle < rows[-1][0].bbox[3]:
            rows[-1].append(line)
        else:
            rows.append([line])
    ordered: list[Line] = []
    for row in rows:
        backwards = sum(bool(_RIGHT_TO_LEFT.search(line.text)) for line in row) * 2 > len(row)
        ordered.extend(sorted(row, key=lambda line: -line.bbox[2] if backwards else line.bbox[0]))
    return ordered


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
        box = (
            min(line.bbox[0] for line in group),
            min(line.bbox[1] for line in group),
            max(line.bbox[2] for line in group),
            max(line.bbox[3] for line in group),
        )
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
    """Where a lost block belongs: before the first block of its column that starts below it, else at the end."""
    assert block.bbox is not None
    middle = (block.bbox[0] + block.bbox[2]) / 2
    for number, other in enumerate(blocks):
        if other.bbox is None:
            continue
        in_column = other.bbox[0] - 0.02 <= middle <= other.bbox[2] + 0.02
        if in_column and other.bbox[1] >= block.bbox[1]:
            return number
    return len(blocks)


def _bookmarks(document: Any) -> list[Block]:
    """Bookmarks as outline blocks, without those that have no text; cycles and endless lists are cut."""
    import pypdfium2

    blocks: list[Block] = []
    try:
        for bookmark in itertools.islice(document.get_toc(max_depth=_MAX_BOOKMARK_DEPTH), _MAX_BOOKMARKS):
            text = one_line(bookmark.get_title() or "")
            if not text:
                continue
            target = bookmark.get_dest()
            index = target.get_index() if target else None
            page = index + 1 if index is not None and 0 <= index < len(document) else None
            blocks.append(Block(BlockType.OUTLINE, text, page=page, level=bookmark.level + 1, target=str(page) if page else None))
    except (pypdfium2.PdfiumError, ValueError, RecursionError):
        return blocks
    return blocks


def _language(document: Any) -> str | None:
    import ctypes

    import pypdfium2.raw as pdfium

    if not hasattr(pdfium, "FPDFCatalog_GetLanguage"):
        return None
    length = pdfium.FPDFCatalog_GetLanguage(document.raw, None, 0)
    if not 2 < length < 200:
        return None
    buffer = ctypes.create_string_buffer(length)
    pdfium.FPDFCatalog_GetLanguage(document.raw, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), length)
    language = re.split(r"[-_]", buffer.raw.decode("utf-16-le", errors="ignore").strip("\x00 "))[0].lower()
    return language if re.fullmatch(r"[a-z]{2,3}", language) else None
