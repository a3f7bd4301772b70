"""The one block model that every parser returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class BlockType(StrEnum):
    """What a block is. Values are stored in the table `layout`."""

    TITLE = "title"
    TEXT = "text"
    LIST = "list"
    TABLE = "table"
    EQUATION = "equation"
    IMAGE = "image"
    CAPTION = "caption"
    CODE = "code"
    FOOTNOTE = "footnote"
    REFERENCE = "reference"
    CONTENTS = "contents"  # an entry of a printed table of contents; never evidence text
    OUTLINE = "outline"  # a bookmark embedded in the file; not printed, never evidence text
    FURNITURE = "furniture"  # running header, footer, page number, margin note


class DocumentStatus(StrEnum):
    """How the parsing of a source file ended. Values are stored in the table `documents`."""

    OK = "ok"
    NEEDS_OCR = "needs_ocr"
    ENCRYPTED = "encrypted"
    CORRUPT = "corrupt"
    EMPTY = "empty"
    UNSUPPORTED = "unsupported"
    TOO_LARGE = "too_large"  # went past the limit on time, memory or bytes
    FAILED = "failed"  # a fault of ours or of a parser, retried on the next run


BBox = tuple[float, float, float, float]
"""x0, y0, x1, y1 as shares of page width and height (0..1), origin at the top left."""


@dataclass(frozen=True, slots=True)
class Line:
    """One printed line of a block, known for PDF only.

    size_pt: median font size of its characters in points, None when it cannot be read.
    weight: font weight 100..900 (400 regular, 700 bold), None when it cannot be read.
    """

    text: str
    bbox: BBox
    size_pt: float | None = None
    weight: int | None = None
    italic: bool | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """One layout block, in reading order.

    text: logical order, NFC, without markup; for a table the rows as lines with
        cells separated by " | "; for a list its items, each on a line with its marker.
    page: from 1; None where the format has no pages.
    bbox: None where the format has no positions.
    level: level as the source states it, 1 = top (h1, "Heading 1", bookmark depth);
        None where the source states none. PDF titles from MinerU carry no usable level: None.
    sub_type: detail that a later stage may use: "document_title" (the source calls this
        block the title of the whole document), "header", "footer", "page_number",
        "aside", "formula", ...
    html: markup of a table (rowspan and colspan kept), None for everything else.
    anchor: fragment id or bookmark target in the source, used to resolve links.
    target: for `contents` and `outline` entries the page or anchor they point to.
    links: (anchor text, target) of links inside the text; targets as written in the source.
    continues_previous: the text goes on from the last text block (page or column break).
    lines: printed lines, empty where unknown.
    position: row in the table `layout`, kept when a block is split; None before it is stored.
    """

    type: BlockType
    text: str
    page: int | None = None
    bbox: BBox | None = None
    level: int | None = None
    sub_type: str | None = None
    html: str | None = None
    anchor: str | None = None
    target: str | None = None
    links: tuple[tuple[str, str], ...] = ()
    continues_previous: bool = False
    size_pt: float | None = None
    weight: int | None = None
    italic: bool | None = None
    lines: tuple[Line, ...] = ()
    position: int | None = None


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """What a parser returns for one source file (or one line of a JSONL file).

    blocks: in reading order; bookmarks come first, as `outline` blocks.
    status, reason: `ok` or why there is no usable text. A document with some text and some
        pages without text is `ok`, and those pages are listed in pages_without_text.
    title: from the source's metadata or its title block, None when it names none.
    language: ISO 639-1 as the source declares it, None when it declares none.
    n_pages: None where the format has no pages.
    parser: name and version, e.g. "mineru-flash 4.0.12"; part of the cache key.
    """

    blocks: tuple[Block, ...]
    parser: str
    status: DocumentStatus = DocumentStatus.OK
    reason: str = ""
    title: str | None = None
    language: str | None = None
    n_pages: int | None = None
    pages_without_text: tuple[int, ...] = ()
    warnings: tuple[str, ...] = field(default=())
