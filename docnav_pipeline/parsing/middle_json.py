"""Blocks from MinerU 4's middle_json (schema docvortex.middle 2.0)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from docnav_pipeline.parsing.block import BBox, Block, BlockType
from docnav_pipeline.parsing.characters import clean_text, flow_text, one_line
from docnav_pipeline.parsing.tables import table_from_markup

SCHEMA = "docvortex.middle"

_FURNITURE = {"header": "header", "footer": "footer", "page_number": "page_number", "aside_text": "aside"}
_COLUMN_GAP = re.compile(r" {3,}")
# Suffixes whose pages are pages to a reader; a "page" of DOCX is a section, one of XLSX a sheet.
_PAGED_SUFFIXES = frozenset({"pdf", "pptx", "ppt", "odp", "ofd"})


def middle_blocks(document: Mapping[str, Any], first_page: int = 1) -> list[Block]:
    """Blocks of a middle_json document, in its order, from page `first_page` on.

    Titles of a PDF carry no level (all are alike in it); of other formats the level is the one
    of the source, 1 for "Heading 1". A block called the title of the document has no level and
    sub_type "document_title".
    """
    suffix = str((document.get("metadata") or {}).get("file_suffix") or "").lower().lstrip(".")
    blocks: list[Block] = []
    for page in document.get("pages") or ():
        number = int(page.get("page_idx", 0)) + 1
        if number < first_page:
            continue
        for raw in page.get("blocks") or ():
            blocks.extend(_Converter(number if suffix in _PAGED_SUFFIXES else None, has_levels=suffix != "pdf").convert(raw))
    return blocks


def span_text(spans: Any) -> tuple[str, tuple[tuple[str, str], ...], bool]:
    """(text, links, all in bold) of inline content; a plain string is accepted too."""
    if isinstance(spans, str):
        return spans, (), False
    parts: list[str] = []
    links: list[tuple[str, str]] = []
    bold = True
    for span in spans if isinstance(spans, Sequence) else ():
        if not isinstance(span, Mapping):
            continue
        content = span.get("content")
        if isinstance(content, str):
            parts.append(content)
            bold = bold and (not content.strip() or "bold" in (span.get("styles") or ()))
        elif content is not None:
            text, inner, inner_bold = span_text(content)
            parts.append(text)
            bold = bold and inner_bold
            if span.get("url") and one_line(text):
                links.append((one_line(text), str(span["url"])))
            links.extend(inner)
    return "".join(parts), tuple(links), bold and bool("".join(parts).strip())


def bbox_of(value: Any, scale_x: float = 1.0, scale_y: float = 1.0) -> BBox | None:
    """A box scaled to 0..1 and clipped to the page; None when it is none."""
    if (
        not isinstance(value, Sequence)
        or isinstance(value, str)
        or len(value) != 4
        or not all(isinstance(item, (int, float)) for item in value)
    ):
        return None
    x0, y0, x1, y1 = (
        round(min(max(float(item) / scale, 0.0), 1.0), 4) for item, scale in zip(value, (scale_x, scale_y, scale_x, scale_y), strict=True)
    )
    return (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))


def table_content(markup: str) -> tuple[str | None, str]:
    """(html, text) of a table body: markup, or columns held apart by spaces."""
    if "<t" in markup.lower():
        html, text = table_from_markup(markup)
        if html:  # one without text, because its cells are pictures, is no text of columns either
            return html, text
    lines = [_COLUMN_GAP.sub(" | ", line.strip()) for line in clean_text(markup).split("\n")]
    return None, "\n".join(line for line in lines if line)


class _Converter:
    """Turns one raw block, with its children, into blocks of ours."""

    def __init__(self, page: int | None, has_levels: bool) -> None:
        self._page = page
        self._has_levels = has_levels

    def convert(self, raw: Mapping[str, Any]) -> Iterator[Block]:
        kind = str(raw.get("type"))
        if kind in ("doc_title", "paragraph_title"):
            yield self._title(raw, kind)
        elif kind in _FURNITURE:
            yield self._plain(BlockType.FURNITURE, raw, _FURNITURE[kind])
        elif kind in ("page_footnote",):
            yield self._plain(BlockType.FOOTNOTE, raw)
        elif kind == "ref_text":
            yield self._plain(BlockType.REFERENCE, raw)
        elif kind == "equation":
            yield self._plain(BlockType.EQUATION, raw, "formula")
        elif kind == "list":
            yield self._list(raw)
        elif kind == "index":
            yield from self._contents(raw, 1)
        elif kind in ("table", "image", "chart", "code"):
            yield from self._visual(raw, kind)
        else:
            yield self._plain(BlockType.TEXT, raw)

    def _plain(self, block_type: BlockType, raw: Mapping[str, Any], sub_type: str | None = None) -> Block:
        text, links, bold = span_text(raw.get("content"))
        return Block(
            block_type,
            flow_text(text),
            page=self._page,
            bbox=bbox_of(raw.get("bbox")),
            sub_type=sub_type,
            anchor=raw.get("anchor"),
            links=links,
            continues_previous=bool(raw.get("continues_prev")),
            weight=700 if bold else None,
        )

    def _title(self, raw: Mapping[str, Any], kind: str) -> Block:
        text, links, _ = span_text(raw.get("content"))
        whole = kind == "doc_title"
        level = raw.get("level")
        return Block(
            BlockType.TITLE,
            one_line(text.replace("**", "")),
            page=self._page,
            bbox=bbox_of(raw.get("bbox")),
            level=max(int(level) - 1, 1) if self._has_levels and not whole and isinstance(level, int) else None,
            sub_type="document_title" if whole else None,
            anchor=raw.get("anchor"),
            links=links,
        )

    def _list(self, raw: Mapping[str, Any]) -> Block:
        lines: list[str] = []
        links: list[tuple[str, str]] = []
        _list_lines(raw, 0, lines, links)
        references = raw.get("sub_type") == "ref_text"
        return Block(
            BlockType.REFERENCE if references else BlockType.LIST,
            "\n".join(lines),
            page=self._page,
            bbox=bbox_of(raw.get("bbox")),
            links=tuple(links),
            continues_previous=bool(raw.get("continues_prev")),
        )

    def _contents(self, raw: Mapping[str, Any], depth: int) -> Iterator[Block]:
        for child in raw.get("content") or ():
            if child.get("type") == "index":
                yield from self._contents(child, depth + 1)
                continue
            text, links, _ = span_text(child.get("content"))
            text = one_line(text)
            if not text:
                continue
            level = child.get("level")
            page = re.search(r"(?:^|[\s.\u2026])([0-9]{1,4}|[ivxlcdm]{1,7})$", text, re.IGNORECASE)
            anchor = child.get("anchor")
            target = f"#{anchor}" if anchor else page.group(1) if page else links[0][1] if links else None
            yield Block(
                BlockType.CONTENTS,
                text,
                page=self._page,
                bbox=bbox_of(child.get("bbox") or raw.get("bbox")),
                level=level if isinstance(level, int) else (depth if self._has_levels else None),
                target=target,
            )

    def _visual(self, raw: Mapping[str, Any], kind: str) -> Iterator[Block]:
        """A table, picture, chart or listing: captions and notes keep their place beside the body."""
        for child in raw.get("content") or ():
            part = str(child.get("type"))
            if part.endswith("_caption"):
                yield self._plain(BlockType.CAPTION, child, kind)
            elif part.endswith("_footnote"):
                yield self._plain(BlockType.FOOTNOTE, child, kind)
            elif part == "table_body":
                html, text = table_content(child.get("content") or "")
                yield self._body(BlockType.TABLE, raw, child, text, html, bool(raw.get("continues_prev")))
            elif part in ("code_body", "algorithm_body"):
                text = span_text(child.get("content"))[0]
                yield self._body(BlockType.CODE, raw, child, clean_text(text).strip("\n"), None, False)
            else:
                text = span_text(child.get("content"))[0]
                yield self._body(BlockType.IMAGE, raw, child, flow_text(text), None, False, "chart" if kind == "chart" else None)

    def _body(
        self,
        block_type: BlockType,
        raw: Mapping[str, Any],
        child: Mapping[str, Any],
        text: str,
        html: str | None,
        continues: bool,
        sub_type: str | None = None,
    ) -> Block:
        bbox = bbox_of(child.get("bbox") or raw.get("bbox"))
        return Block(block_type, text, page=self._page, bbox=bbox, html=html, continues_previous=continues, sub_type=sub_type)


def _list_lines(raw: Mapping[str, Any], depth: int, lines: list[str], links: list[tuple[str, str]]) -> None:
    for child in raw.get("content") or ():
        if child.get("type") == "list":
            _list_lines(child, depth + 1, lines, links)
            continue
        text, found, _ = span_text(child.get("content"))
        text = flow_text(text)
        links.extend(found)
        if text:
            lines.extend("  " * depth + line for line in text.split("\n"))
