"""The printed table of contents: where it is, what it lists, and which printed lines its entries name."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from docnav_pipeline.hierarchy.numbering import Label, read_labels, roman_value
from docnav_pipeline.hierarchy.rows import Row, join_lines
from docnav_pipeline.hierarchy.titles import is_contents_name, key_of
from docnav_pipeline.parsing.block import Block, BlockType

# "List of Figures" and the like: their entries are captions.
_LIST_OF = re.compile(
    r"(?:list of|table of|index of|liste des|verzeichnis der)\s+(?:figures|tables|illustrations|examples|listings|algorithms|tableaux)",
    re.I,
)
_CAPTION = re.compile(
    r"(?:figure|fig\.?|table|tab\.?|chart|box|listing|algorithm|tableau|abbildung|tabelle|图|圖|表)\s*[\dA-Z]+(?:[.\-]\d+)*\b[.:]?", re.I
)
_LEADERS = re.compile(r"(?:\s*[.·•…_‥・]\s*){3,}|…+")
_PAGE_NUMBER = re.compile(r"\d{1,4}|[ivxlc]{1,6}")
_LABEL_ONLY = re.compile(r"(?:\d{1,3}(?:\.\d{1,3})*|[A-Z](?:\.\d{1,3})*|[IVXLC]{1,7}|第.{1,4}[章节節部])[.)]?")
_PAGE_AT_END = re.compile(r"^(?P<title>.*?\S)(?P<gap>\s+|(?<=[.·…_‥・]))(?P<page>\d{1,4}|[ivxlc]{1,6})$")
_COLUMN_HEAD = re.compile(r"(?:page|pages|seite|página|pagina)(?:\s+(?:no|number|nr)\.?)?|n[o°º]\.?", re.I)
_MIN_ENTRIES = 3


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a printed table of contents, or one bookmark.

    title: without leaders and page number. printed_page: None when no number stands behind it;
    roman: the number was a Roman one (front matter). indent: left edge (0..1), None when unknown.
    rows: positions of the rows that print it. row: position of the row that prints the heading
    it names, n_rows of them; None while unmatched. level: as a bookmark states it, None in print.
    source: where the entry stands.
    """

    title: str
    label: Label | None
    printed_page: int | None
    roman: bool
    indent: float | None
    bold: bool
    page: int | None
    row: int | None = None
    n_rows: int = 0
    level: int | None = None
    source: Literal["contents", "bookmark"] = "contents"


@dataclass(frozen=True, slots=True)
class Contents:
    """All entries in print order, and the rows that print them.

    offset: page of the file minus printed page, None while entries are unmatched or have no numbers.
    """

    entries: tuple[Entry, ...]
    rows: frozenset[int]
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that may be an entry: row -1 for a line of a table's or picture's text."""

    block: int
    row: int
    text: str
    page: int | None
    indent: float | None
    bold: bool
    sure: bool
    title: str
    number: str
    right: float | None = None

    @property
    def has_leaders(self) -> bool:
        return bool(_LEADERS.search(self.text))


def _split(text: str) -> tuple[str, str]:
    """A line as (title without leaders, page number at its end or "")."""
    match = _PAGE_AT_END.match(text)
    if not match or match["title"].endswith(","):  # "alpha, 12" is a line of an index
        return _LEADERS.sub(" ", text).strip(), ""
    return _LEADERS.sub(" ", match["title"]).strip(), match["page"]


def _lines(blocks: Sequence[Block], rows: Sequence[Row]) -> list[_Line]:
    """All lines that may be entries, in reading order; a label or page number printed as a line of its own joins its title."""
    lines: list[_Line] = []
    last: Row | None = None
    for row in rows:
        block = blocks[row.block]
        if block.type == BlockType.FURNITURE:
            continue
        if block.type == BlockType.TABLE:
            flat = " ".join(row.text.replace(" | ", "  ").split())
            lines.append(_Line(row.block, row.position, flat, row.page, None, False, False, *_split(flat)))
            continue
        if row.line == -1 and block.type in (BlockType.IMAGE, BlockType.LIST):
            # Entries of a picture's text have no lines of their own.
            for text in block.text.splitlines():
                flat = " ".join(text.replace(" | ", "  ").split())
                if flat:
                    lines.append(_Line(row.block, -1, flat, row.page, None, False, False, *_split(flat)))
            continue
        if last is not None and lines and not lines[-1].number and _PAGE_NUMBER.fullmatch(row.text) and _beside(row, last):
            lines[-1] = replace(lines[-1], number=row.text)
            continue
        if last is not None and lines and _LABEL_ONLY.fullmatch(lines[-1].text) and _beside(row, last):
            title, number = _split(row.text)
            right = row.bbox[2] if row.bbox else None
            joined = f"{lines[-1].text} {row.text}"
            lines[-1] = replace(lines[-1], text=joined, title=f"{lines[-1].text} {title}", number=number, right=right)
            last = row
            continue
        placed = row.bbox is not None and row.line >= 0
        indent = row.bbox[0] if row.bbox and placed else None
        sure = block.type == BlockType.CONTENTS
        right = row.bbox[2] if row.bbox and placed and not sure else None
        lines.append(_Line(row.block, row.position, row.text, row.page, indent, row.style.bold, sure, *_split(row.text), right))
        last = row
    return lines


def _beside(row: Row, left: Row) -> bool:
    """Whether `row` stands right of `left` on the same printed line."""
    if row.page != left.page or row.bbox is None or left.bbox is None:
        return False
    overlap = min(row.bbox[3], left.bbox[3]) - max(row.bbox[1], left.bbox[1])
    return overlap > 0.4 * (row.bbox[3] - row.bbox[1]) and row.bbox[0] > left.bbox[2]


def _rising_share(numbers: Sequence[int]) -> float:
    pairs = list(itertools.pairwise(numbers))
    return sum(a <= b for a, b in pairs) / len(pairs) if pairs else 1.0


def _is_heading_of_list(line: _Line, is_first: bool) -> bool:
    """Whether a line is the head of a list; "List of Figures ... 129" inside one is an entry of it."""
    return (is_first or not line.number) and (is_contents_name(line.title) or bool(_LIST_OF.fullmatch(line.title)))


def _regions(lines: Sequence[_Line]) -> list[list[_Line]]:
    """Runs of lines that print a table of contents, page by page."""
    by_page: dict[int, list[_Line]] = defaultdict(list)
    for line in lines:
        by_page[line.page or 0].append(line)
    regions: list[list[_Line]] = []
    open_until = -1
    last_page = max(by_page, default=0)
    for page in sorted(by_page):
        here = by_page[page]
        start = next((i for i, line in enumerate(here) if _is_heading_of_list(line, is_first=i == 0)), None)
        body = here[start + 1 :] if start is not None else here
        sure = [line for line in body if line.sure or (line.number and line.has_leaders)]
        numbered = [line for line in body if line.number]
        share = len({id(x) for x in [*sure, *numbered]}) / len(body) if body else 0.0
        arabic = [int(line.number) for line in numbered if line.number.isdigit()]
        rising = _rising_share(arabic) >= 0.8  # an index at the end of a book is sorted by word
        enough = len(sure) >= (_MIN_ENTRIES if start is None else 2)
        listed = enough and rising and (len(sure) >= 0.5 * len(body) or start is not None)
        titled = start is not None and len(numbered) >= _MIN_ENTRIES and share >= 0.5 and rising and all(n <= 2 * last_page for n in arabic)
        follows = open_until == page - 1 and share >= 0.75 and rising and len(numbered) >= _MIN_ENTRIES
        if listed or titled or follows:
            # A page may end its table of contents and go on with text.
            last = max((i for i, line in enumerate(body) if line.sure or line.number), default=-1)
            if follows and regions:
                regions[-1].extend(body[: last + 1])
            else:
                regions.append(list(body[: last + 1]))
            open_until = page
    return regions


def _wraps(above: _Line, line: _Line, widest: int, farthest: float) -> bool:
    """Whether `line` ends the entry that `above` begins, rather than being an entry below a part title without page number.

    A line is broken when it is full: it ends near the page numbers, or, where positions are
    unknown, it is about as long as the longest entry.
    """
    if read_labels(line.title) or line.bold != above.bold:
        return False
    if line.title[:1].islower():
        return True
    if above.right is not None:
        next_word = len(line.title.split()[0]) / max(1, len(above.title)) * (above.right - (above.indent or 0.0))
        return above.right + next_word > farthest - 0.08
    return len(above.title) >= 0.7 * widest and len(above.title) >= 30


def _entries(region: Sequence[_Line]) -> Iterator[Entry]:
    """Entries of one region; a line without a page number either begins a wrapped entry or names a part."""
    held: list[_Line] = []
    widest = max((len(line.title) for line in region if line.number), default=0)
    farthest = max((line.right for line in region if line.right is not None), default=1.0)

    def make(parts: Sequence[_Line]) -> Entry:
        title = join_lines([p.title for p in parts])
        labels = read_labels(title)
        number = parts[-1].number
        roman = bool(number) and not number.isdigit()
        value = (roman_value(number) if roman else int(number)) if number else None
        return Entry(title, labels[0] if labels else None, value, roman, parts[0].indent, parts[0].bold, parts[0].page)

    for line in region:
        if not line.number:
            if _COLUMN_HEAD.fullmatch(line.title):
                continue
            if held and (read_labels(line.title) or line.bold != held[-1].bold):
                yield from (make([h]) for h in held)
                held = []
            held.append(line)
            continue
        if _COLUMN_HEAD.fullmatch(line.title):
            continue
        if not line.title or not any(c.isalpha() for c in line.title):
            if held:
                yield make([*held, replace(line, title="")])
                held = []
            continue
        if held and _wraps(held[-1], line, widest, farthest):
            yield make([*held, line])
        else:
            yield from (make([h]) for h in held)
            yield make([line])
        held = []
    yield from (make([h]) for h in held)


def _printed_rows(region: Sequence[_Line], rows: Sequence[Row]) -> Iterator[int]:
    """Rows of a region, on each page from its first line to its last, in order and in height.

    A layout parser may put lines of the table behind it or split page numbers off.
    """
    by_page: dict[int | None, list[int]] = defaultdict(list)
    for line in region:
        if line.row >= 0:
            by_page[line.page].append(line.row)
    heights: dict[int | None, tuple[float, float]] = {}
    for page, positions in by_page.items():
        yield from range(min(positions), max(positions) + 1)
        boxes = [box for p in positions if (box := rows[p].bbox) is not None]
        if boxes:
            heights[page] = min(b[1] for b in boxes), max(b[3] for b in boxes)
    for row in rows:
        if row.page in heights and row.bbox is not None:
            top, bottom = heights[row.page]
            if top <= (row.bbox[1] + row.bbox[3]) / 2 <= bottom:
                yield row.position


def find_contents(blocks: Sequence[Block], rows: Sequence[Row]) -> Contents:
    """The entries of every printed table of contents of the document, unmatched."""
    lines = _lines(blocks, rows)
    entries: list[Entry] = []
    used_rows: set[int] = set()
    for region in _regions(lines):
        used_rows.update(_printed_rows(region, rows))
        entries.extend(
            e
            for e in _entries(region)
            if len(key_of(e.title)) >= 2
            and any(c.isalpha() for c in e.title)
            and not _CAPTION.match(e.title)
            and not is_contents_name(e.title)
            and not _LIST_OF.fullmatch(e.title)
        )
    loose = {line.row for line in lines if line.sure and line.row >= 0}
    return Contents(tuple(entries), frozenset(used_rows | loose))
