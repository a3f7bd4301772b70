"""PDF inside the parser process: bookmarks, page windows, and MinerU's blocks joined with the printed lines."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docnav_pipeline.parsing.block import Block, BlockType
from docnav_pipeline.parsing.characters import one_line
from docnav_pipeline.parsing.errors import CorruptSource, LockedSource
from docnav_pipeline.parsing.line_joining import words_of
from docnav_pipeline.parsing.pdf_lines import join_typography
from docnav_pipeline.parsing.pdf_links import with_links
from docnav_pipeline.parsing.typography import read_page

_MAX_BOOKMARKS = 20_000
_MAX_BOOKMARK_DEPTH = 20
# Titles that authoring programs write by themselves name no document.
_NO_TITLE = re.compile(
    r"^(?:untitled|none|null|no title|title|document\d*|microsoft (?:word|powerpoint|excel)\b.*|adobe \w+ pdf|"
    r".*\.(?:docx?|pdf|tex|dvi|indd|qxd|pptx?|xlsx?|rtf|eps|ps)|\W*)$",
    re.IGNORECASE,
)


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
    joined = with_links(join_typography(blocks, pages, words, with_tables=tier == "flash"), pages)
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
