"""Heading candidates: runs of printed lines that could be a heading, before anything is decided."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from docnav_pipeline.hierarchy.contents import Contents, Entry
from docnav_pipeline.hierarchy.numbering import UNIT_WORDS, Label, is_number_alone, is_unit_word, read_labels
from docnav_pipeline.hierarchy.rows import Body, Row, Style, join_lines
from docnav_pipeline.hierarchy.titles import is_contents_name, key_of, without_mark
from docnav_pipeline.parsing.block import BlockType

# Types whose lines are read for headings. Furniture and captions are read because layout parsers
# take a heading at the top of a page, or above a table, for one; they need stronger evidence.
_READ = frozenset({BlockType.TITLE, BlockType.TEXT, BlockType.LIST, BlockType.FURNITURE, BlockType.CAPTION})
_MAX_LINES = 5
# Longest text (characters) of a cell at the head of a table's column.
_CELL = 28
_BULLET = re.compile(r"^(?:[•◦▪■□●○►▶➢✓✔*–—‣⁃·]|[-+]\s|o\s)\s*")


@dataclass(slots=True)
class Candidate:
    """Lines that may print one heading.

    rows: consecutive rows, all of one page. text: joined to one line. labels: possible readings
    of its label. alone: the lines are a block of their own. entry: the entry of the printed
    contents, or the bookmark, that names it. repeats: pages that print the text at the same height;
    goes_on: the page before is one of them. same_text: candidates of that text and style.
    cells: other short pieces on the same printed line.
    label: the reading that the numbering accepts. logit: evidence for a heading, in log odds;
    reasons: (kind of evidence, log odds) behind it.
    """

    rows: tuple[Row, ...]
    text: str
    labels: tuple[Label, ...]
    style: Style
    alone: bool
    opens_block: bool
    centered: bool
    entry: Entry | None = None
    repeats: int = 1
    same_text: int = 1
    goes_on: bool = False
    cells: int = 0
    label: Label | None = None
    logit: float = 0.0
    reasons: list[tuple[str, float]] = field(default_factory=list)

    @property
    def page(self) -> int | None:
        return self.rows[0].page

    @property
    def type(self) -> BlockType:
        return self.rows[0].type

    @property
    def position(self) -> int:
        return self.rows[0].position


def same_style(a: Style, b: Style) -> bool:
    return abs(a.size_pt - b.size_pt) <= 0.5 and a.bold == b.bold and a.italic == b.italic


def _begins_unit(text: str) -> bool:
    """Whether a line begins with a label, rather than going on with a number ("... of regulation / 12 of the Act")."""
    return any(label.sure and label.rest and not label.rest[0].islower() for label in read_labels(text))


def _continues(last: Row, row: Row, body: Body, first: Row) -> bool:
    """Whether `row` is the next printed line of the heading that `last` is a line of."""
    if row.page != last.page or not same_style(last.style, row.style) or _begins_unit(row.text) or _BULLET.match(row.text):
        return False
    if row.block != last.block:
        # A layout parser may cut a long title in two blocks; both are then set in a style that body text is not.
        if row.block != last.block + 1 or last.style.size_pt <= body.style.size_pt + 0.4:
            return False
        if row.type != last.type:
            return False
    if last.bbox is None or row.bbox is None:
        return row.block == last.block
    height = max(last.bbox[3] - last.bbox[1], row.bbox[3] - row.bbox[1], 1e-6)
    gap = row.bbox[1] - last.bbox[3]
    if gap > 1.1 * height or gap < -0.9 * height:
        return False
    if row.block == last.block and row.type == BlockType.TITLE and row.of <= 3:
        return True
    if row.style.caps != last.style.caps and not (first.style.caps and row.style.caps):
        return False
    # A line that ends far from the right edge is not wrapped, unless all lines are centred.
    left, right = body.column(last)
    centered = abs((last.bbox[0] + last.bbox[2]) - (row.bbox[0] + row.bbox[2])) < 0.02 and last.bbox[0] > left + 0.02
    next_word = (row.bbox[2] - row.bbox[0]) * len(row.text.split()[0]) / max(1, len(row.text))
    full = last.bbox[2] + next_word >= right - 0.12 or (last.bbox[2] - last.bbox[0] > 0.33 and next_word + last.bbox[2] >= right - 0.25)
    return full or centered or last.text.endswith(("-", ",", "&")) or row.text[:1].islower()


def _make(rows: Sequence[Row], body: Body, entry: Entry | None = None) -> Candidate:
    text = join_lines([r.text for r in rows])
    if entry is not None:
        text = without_mark(text, entry.title)
    first, last = rows[0], rows[-1]
    centered = False
    if first.bbox:
        left, right = body.column(first)
        x0, x1 = first.bbox[0] - left, right - first.bbox[2]
        centered = x0 > 0.05 and x1 > 0.05 and abs(x0 - x1) < 0.04
    labels = tuple(read_labels(text))
    if not any(label.sure for label in labels) and entry is not None and entry.label is not None and entry.label.sure:
        labels = (replace(entry.label, text="", rest=text),)  # numbered in the contents, bare in print
    return Candidate(
        tuple(rows),
        text,
        labels,
        first.style,
        first.opens_block and last.ends_block,
        first.opens_block,
        centered,
        entry,
    )


def _beside(left: Row, right: Row) -> bool:
    """Whether two rows of a page stand side by side on one printed line."""
    if left.bbox is None or right.bbox is None:
        return False
    overlap = min(left.bbox[3], right.bbox[3]) - max(left.bbox[1], right.bbox[1])
    return overlap > 0.4 * (left.bbox[3] - left.bbox[1]) and left.bbox[2] <= right.bbox[0]


def _absorb_label(found: list[Candidate], body: Body) -> None:
    """Join a label that is printed alone ("Chapter 3", also on two lines) with the title on the line below it."""
    if len(found) < 2:
        return
    above, below = found[-2], found[-1]
    if is_unit_word(above.text) and is_number_alone(below.text) and _is_next(above, below, 0.0, body):
        found[-2:] = [_make([*above.rows, *below.rows], body)]
        _absorb_label(found, body)
        return
    if _is_bare_label(below) and below.labels[0].kind in UNIT_WORDS and above.text and _is_above(below, above):
        above, below = below, above  # a layout parser read the label after the title that it stands over
    if not _is_bare_label(above) or above.entry is not None:
        return
    label = above.labels[0]
    beside = _beside(above.rows[-1], below.rows[0])
    if not beside and label.kind not in UNIT_WORDS and label.kind not in ("decimal", "lettered", "upper_roman"):
        return
    if not below.text[:1].isalnum() or (below.labels and below.labels[0].text and below.labels[0].sure and label.kind in UNIT_WORDS):
        return
    if not beside and not _is_next(above, below, 1.0, body):
        return
    if beside and (below.position - above.rows[-1].position != 1 or above.style.size_pt < body.style.size_pt):
        return
    if below.entry is None and not (same_style(above.style, below.style) or below.style.size_pt > body.style.size_pt + 0.4):
        return
    joined = _make(sorted([*above.rows, *below.rows], key=lambda row: row.position), body, below.entry)
    joined.text = join_lines([above.text, below.text])
    joined.style = below.style
    joined.labels = tuple(replace(reading, rest=below.text) for reading in above.labels)
    found[-2:] = [joined]


def _is_bare_label(c: Candidate) -> bool:
    return bool(c.labels) and bool(c.labels[0].text) and not c.labels[0].rest


def _is_next(above: Candidate, below: Candidate, overlap: float, body: Body) -> bool:
    """Whether two neighbours in reading order stand close over one another, at most `overlap` line heights into each other."""
    if above.page != below.page or above.style.size_pt < body.style.size_pt:
        return False
    first, second = sorted((above, below), key=lambda c: c.position)
    if second.position - first.rows[-1].position != 1:
        return False
    top, bottom = above.rows[-1].bbox, below.rows[0].bbox
    if top is None or bottom is None:
        return True
    height = max(top[3] - top[1], bottom[3] - bottom[1])
    return -overlap * height <= bottom[1] - top[3] <= 4.0 * height


def _is_above(label: Candidate, title: Candidate) -> bool:
    box, other = label.rows[-1].bbox, title.rows[0].bbox
    return box is not None and other is not None and label.page == title.page and box[3] <= other[1] + 0.002


def _is_possible(text: str, max_characters: int) -> bool:
    letters = sum(c.isalpha() for c in text)
    return letters >= 1 and len(text) <= max_characters and (letters >= 2 or bool(read_labels(text)) or letters == len(text.strip()))


def _named(entries: Sequence[Entry]) -> dict[int, Entry]:
    """Entries by the row they begin at; of two that name the same rows the earlier one stays."""
    named: dict[int, Entry] = {}
    taken: set[int] = set()
    for entry in entries:
        if entry.row is None:
            continue
        span = range(entry.row, entry.row + entry.n_rows)
        if taken.isdisjoint(span):
            named[entry.row] = entry
            taken.update(span)
    return named


def find_candidates(
    rows: Sequence[Row],
    body: Body,
    contents: Contents,
    bookmarks: Sequence[Entry],
    max_characters: int,
    is_added: Callable[[str, int | None], bool] = lambda text, page: False,
) -> list[Candidate]:
    """Candidates in reading order; they do not overlap.

    A line is one when it is set apart from body text, opens a block, is what the layout parser
    calls a title, or is named by the printed contents or a bookmark. is_added: whether a person
    wants a line of that text and page as a heading, whatever it looks like.
    """
    named = _named([*bookmarks, *contents.entries])
    found: list[Candidate] = []
    i = 0
    while i < len(rows):
        row = rows[i]
        if row.position in named:
            entry = named[row.position]
            found.append(_make(rows[i : i + entry.n_rows], body, entry))
            _absorb_label(found, body)
            i += entry.n_rows
            continue
        if is_added(row.text, row.page):
            found.append(_make([row], body))
            i += 1
            continue
        if row.type not in _READ or (row.position in contents.rows and not is_contents_name(row.text)):
            i += 1
            continue
        j = i + 1
        while (
            j < len(rows)
            and j - i < _MAX_LINES + 1
            and j not in named
            and not is_added(rows[j].text, rows[j].page)
            and _continues(rows[j - 1], rows[j], body, row)
        ):
            j += 1
        run = rows[i:j]
        text = join_lines([r.text for r in run])
        distinct = row.style.size_pt > body.style.size_pt + 0.4 or row.style.bold != body.style.bold or row.style.italic or row.style.caps
        labelled = bool(read_labels(row.text))
        wanted = row.type == BlockType.TITLE or distinct or labelled or (row.opens_block and run[-1].ends_block)
        if len(run) <= _MAX_LINES and wanted and _is_possible(text, max_characters):
            found.append(_make(run, body))
            _absorb_label(found, body)
        i = j
    _count_repeats(found)
    _count_cells(found, rows)
    return found


def _count_cells(found: Sequence[Candidate], rows: Sequence[Row]) -> None:
    """Set `cells` to the number of other short pieces of print on the same line: heads of a table's columns."""
    by_page: dict[int | None, list[Row]] = defaultdict(list)
    for row in rows:
        if row.bbox is not None and len(row.text) <= _CELL and row.type in _READ:
            by_page[row.page].append(row)
    for c in found:
        first = c.rows[0]
        if first.bbox is None or len(first.text) > _CELL:
            continue
        middle = (first.bbox[1] + first.bbox[3]) / 2
        c.cells = sum(r.bbox is not None and r.bbox[1] < middle < r.bbox[3] and r not in c.rows for r in by_page[c.page])


def _count_repeats(found: Sequence[Candidate]) -> None:
    """Set `repeats` to the number of pages that print the same text at the same height (digits aside)."""
    places: dict[tuple[str, int], set[int]] = defaultdict(set)

    def keys(c: Candidate) -> list[tuple[str, int]]:
        box = c.rows[0].bbox
        if box is None or c.page is None:
            return []
        text = key_of(re.sub(r"\d+", "", c.text))
        band = round(box[1] * 50)
        return [(text, band), (text, band + 1)]

    for c in found:
        for k in keys(c):
            places[k].add(c.page or 0)
    texts = Counter((_field_name(c.text), c.style) for c in found)
    for c in found:
        pages = [places[k] for k in keys(c)]
        c.repeats = max((len(p) for p in pages), default=1)
        c.goes_on = any((c.page or 0) - 1 in p for p in pages)
        c.same_text = texts[_field_name(c.text), c.style]


def _field_name(text: str) -> str:
    """What stands before a colon: "Return type: int" and "Return type: list" repeat one field."""
    return key_of(re.split(r"[:：]\s", text, maxsplit=1)[0])
