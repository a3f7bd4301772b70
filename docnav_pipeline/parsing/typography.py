"""Printed lines of a PDF page with their typography, read with PDFium."""

from __future__ import annotations

import ctypes
import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pypdfium2.raw as pdfium

from docnav_pipeline.parsing.block import Line
from docnav_pipeline.parsing.characters import one_line
from docnav_pipeline.parsing.pdf_links import PrintedLink, read_links
from docnav_pipeline.parsing.pdf_objects import address_of, page_to_share, scan_objects
from docnav_pipeline.parsing.pdf_styles import Style, Styles

# A gap wider than this many font sizes between two characters separates columns, not words.
_COLUMN_GAP = 2.0
# PDFium's sign for a hyphen at the end of a line that the reader may take out.
_SOFT_HYPHEN = 0x02
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_ARABIC = (0x0600, 0x06FF)
_MAX_CHARACTERS = 400_000


def _plain(function: Any, result: Any, *arguments: Any) -> Any:
    """A function of PDFium over plain addresses and numbers: called for every character, where building pointers is most of the cost."""
    return ctypes.PYFUNCTYPE(result, *arguments)(address_of(function) or 0)


_GET_UNICODE = _plain(pdfium.FPDFText_GetUnicode, ctypes.c_uint, ctypes.c_void_p, ctypes.c_int)
_GET_BOX = _plain(pdfium.FPDFText_GetCharBox, ctypes.c_int, ctypes.c_void_p, ctypes.c_int, *[ctypes.c_void_p] * 4)
_GET_OBJECT = _plain(pdfium.FPDFText_GetTextObject, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """A line of the text layer. words: (left, right, text) as shares of the page width; mono: in a typewriter face."""

    line: Line
    words: tuple[tuple[float, float, str], ...]
    mono: bool


@dataclass(slots=True)
class PageText:
    """Text layer of one page.

    lines: in the order of the page's content stream, boxes as shares of the page as shown.
    n_characters: printed characters that are readable (no replacement or private-use signs).
    has_picture: whether images cover a visible part of the page.
    links: its link annotations.
    """

    lines: list[PrintedLine] = field(default_factory=list)
    n_characters: int = 0
    has_picture: bool = False
    links: list[PrintedLink] = field(default_factory=list)


class _OpenLine:
    """The line under way: characters, boxes in page space and the weight of each style."""

    __slots__ = ("bottom", "left", "overlaid", "places", "right", "run", "style", "styles", "text", "top", "words")

    def __init__(self) -> None:
        self.text: list[str] = []
        self.left = self.bottom = 1e9
        self.right = self.top = -1e9
        self.styles: Counter[Style] = Counter()
        self.places: dict[str, list[tuple[float, float]]] = {}
        self.words: list[tuple[float, float, int]] = []
        self.overlaid = 0
        self.style: Style | None = None
        self.run = 0

    def end_run(self) -> None:
        """Count the characters that were set alike up to here."""
        if self.style is not None:
            self.styles[self.style] += self.run
        self.style, self.run = None, 0


def read_page(document: Any, index: int) -> PageText | None:
    """Text layer of page `index` (from 0) of an open `pypdfium2.PdfDocument`; None when the page does not open."""
    page = pdfium.FPDF_LoadPage(document.raw, index)
    if not page:
        return None
    try:
        has_picture, drawn_twice = scan_objects(page)
        result = PageText(has_picture=has_picture, links=read_links(document.raw, page, page_to_share(page)))
        text_page = pdfium.FPDFText_LoadPage(page)
        if text_page:
            try:
                _read_lines(page, text_page, drawn_twice, result)
            finally:
                pdfium.FPDFText_ClosePage(text_page)
        return result
    finally:
        pdfium.FPDF_ClosePage(page)


def summary(lines: Sequence[Line]) -> tuple[float | None, int | None, bool | None]:
    """(size in points, weight, italic) of most characters of some lines."""
    sized = [line for line in lines if line.size_pt is not None]
    if not sized:
        return None, None, None
    sizes = sorted((line.size_pt or 0.0, len(line.text)) for line in sized)
    weights: Counter[int] = Counter()
    italics: Counter[bool] = Counter()
    for line in sized:
        weights[line.weight or 400] += len(line.text)
        italics[bool(line.italic)] += len(line.text)
    half = sum(length for _, length in sizes) / 2
    reached = 0
    size = sizes[-1][0]
    for value, length in sizes:
        reached += length
        if reached >= half:
            size = value
            break
    return size, weights.most_common(1)[0][0], italics.most_common(1)[0][0]


def _read_lines(page: Any, text_page: Any, drawn_twice: frozenset[int], result: PageText) -> None:
    n = min(pdfium.FPDFText_CountChars(text_page), _MAX_CHARACTERS)
    handle = address_of(text_page)
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    refs = tuple(ctypes.addressof(edge) for edge in (left, right, bottom, top))
    get_unicode, get_box, get_object = _GET_UNICODE, _GET_BOX, _GET_OBJECT
    styles = Styles(drawn_twice)
    to_share = page_to_share(page)
    current = _OpenLine()
    last_right = last_middle = 0.0
    last_box = (0.0, 0.0)
    pending_space = False
    lines: list[_OpenLine] = []

    def end_line() -> None:
        nonlocal current, pending_space
        if current.text:
            current.end_run()
            lines.append(current)
            current = _OpenLine()
        pending_space = False

    for index in range(n):
        code = get_unicode(handle, index)
        if code in (10, 13):
            end_line()
            continue
        if code in (32, 160, 9):
            pending_space = bool(current.text)
            continue
        if code == 0 or not get_box(handle, index, *refs):
            continue
        x0, x1, y0, y1 = left.value, right.value, bottom.value, top.value
        character = "-" if code == _SOFT_HYPHEN else chr(code)
        style = styles.of(get_object(handle, index))
        if current.text:
            size = style.size_pt or (y1 - y0) or 1.0
            middle = (y0 + y1) / 2
            jumped = x0 - last_right > _COLUMN_GAP * size or x1 < current.left - 3 * size or x1 < last_right - 6 * size
            if jumped or (abs(middle - last_middle) > 0.9 * size and not (y0 < current.top and y1 > current.bottom)):
                end_line()
        places = current.places.get(character)
        if places is None:
            current.places[character] = [(x0, y0)]
        else:
            if x1 > x0 and _is_overlaid(places, x0, y0, 0.12 * (style.size_pt or 10.0)):
                current.overlaid += 1
                continue
            places.append((x0, y0))
        if pending_space:
            current.text.append(" ")
            pending_space = False
        if not current.words or current.text[-1] == " ":
            current.words.append((x0, x1, len(current.text)))
        else:
            start = current.words[-1]
            if x0 < start[0] or x1 > start[1]:
                current.words[-1] = (min(start[0], x0), max(start[1], x1), start[2])
        if last_box == (x0, x1) and _ARABIC[0] <= code <= _ARABIC[1]:
            # One glyph for two letters (lam-alef): PDFium gives them in the order of the glyph, not of reading.
            current.text.insert(-1, character)
        else:
            current.text.append(character)
        last_box = (x0, x1)
        if style is current.style:
            current.run += 1
        else:
            current.end_run()
            current.style, current.run = style, 1
        if x0 < current.left:
            current.left = x0
        if x1 > current.right:
            current.right = x1
        if y0 < current.bottom:
            current.bottom = y0
        if y1 > current.top:
            current.top = y1
        last_right, last_middle = x1, (y0 + y1) / 2
    end_line()
    seen: dict[str, list[_OpenLine]] = {}
    for line in lines:
        text = one_line("".join(line.text))
        if not text:
            continue
        twins = seen.setdefault(text, [])
        if any(abs(line.left - twin.left) < 1.5 and abs(line.bottom - twin.bottom) < 1.5 for twin in twins):
            continue
        twins.append(line)
        _append(result, line, text, to_share)


def _is_overlaid(places: Sequence[tuple[float, float]], x: float, y: float, slack: float) -> bool:
    """Whether the same character was printed at this place before, among its last three places."""
    return any(-slack < x - px < slack and -slack < y - py < slack for px, py in places[-3:])


def _append(result: PageText, line: _OpenLine, text: str, to_share: Any) -> None:
    bbox = to_share(line.left, line.bottom, line.right, line.top)
    if bbox[0] == bbox[2] or bbox[1] == bbox[3]:
        return  # outside the page as shown
    count = sum(line.styles.values())
    weights: Counter[int] = Counter()
    italic = mono = 0
    for style, number in line.styles.items():
        weights[style.weight] += number
        italic += number * style.italic
        mono += number * style.mono
    weight = weights.most_common(1)[0][0]
    if line.overlaid * 2 > count:
        weight = max(weight, 700)
    words = []
    ends = [start for _, _, start in line.words[1:]] + [len(line.text)]
    for (left, right, start), end in zip(line.words, ends, strict=True):
        word = one_line("".join(line.text[start:end]))
        if word:
            share = to_share(left, line.bottom, right, line.top)
            words.append((share[0], share[2], word))
    if _RIGHT_TO_LEFT.search(text):
        words = _latin_in_order(words)
        text = " ".join(word for _, _, word in words)
    printed = Line(text, bbox, _line_size(line.styles, text), weight, italic * 2 > count)
    result.lines.append(PrintedLine(printed, tuple(words), mono * 10 > count * 8))
    result.n_characters += sum(1 for character in text if _is_readable(character))


def _latin_in_order(words: Sequence[tuple[float, float, str]]) -> list[tuple[float, float, str]]:
    """Words of a right-to-left line, with neighbouring words in Latin letters from left to right: PDFium turns their order round."""
    ordered: list[tuple[float, float, str]] = []
    for is_latin, group in itertools.groupby(words, key=_is_latin):
        run = list(group)
        ordered.extend(sorted(run) if is_latin else run)
    return ordered


def _is_latin(word: tuple[float, float, str]) -> bool:
    return bool(_LATIN.search(word[2])) and not _RIGHT_TO_LEFT.search(word[2])


def _line_size(styles: Counter[Style], text: str) -> float | None:
    """Median font size of a line's characters; of a line in small capitals the size of its large ones."""
    sizes: Counter[float] = Counter()
    for style, number in styles.items():
        if style.size_pt > 0:
            sizes[style.size_pt] += number
    if not sizes:
        return None
    half, reached, middle = sum(sizes.values()) / 2, 0, 0.0
    for middle in sorted(sizes):
        reached += sizes[middle]
        if reached >= half:
            break
    largest = max(sizes)
    if 0.68 * largest < middle < 0.88 * largest and text.upper() == text and text.lower() != text:
        middle = largest
    return round(middle, 2)


def _is_readable(character: str) -> bool:
    return not character.isspace() and character != "\ufffd" and not "\ue000" <= character <= "\uf8ff"
