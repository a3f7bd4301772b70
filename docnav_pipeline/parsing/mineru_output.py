"""Read what MinerU wrote before: middle_json 2.0, 3.x middle, content_list 0.10-3.x and content_list_v2."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from docnav_pipeline.parsing.block import BBox, Block, BlockType, ParsedDocument
from docnav_pipeline.parsing.characters import clean_text, flow_text, one_line
from docnav_pipeline.parsing.errors import CorruptSource, UnsupportedSource
from docnav_pipeline.parsing.middle_json import SCHEMA, bbox_of, middle_blocks, span_text, table_content

PARSER = "mineru-output 3"

_THOUSANDTHS = 1000.0
_FURNITURE = {
    "header": "header",
    "footer": "footer",
    "page_header": "header",
    "page_footer": "footer",
    "page_number": "page_number",
    "aside_text": "aside",
    "page_aside_text": "aside",
    "discarded": "discarded",
    "abandon": "discarded",
}
_INLINE_TAG = re.compile(r"</?(?:sup|sub|b|i|em|strong|u)>", re.IGNORECASE)
_STARS = re.compile(r"^\*\*(.+)\*\*$", re.DOTALL)
_ESCAPED = re.compile(r"\\([*_#`~\[\]])")
_MATH_FENCE = re.compile(r"^\s*\$\$\s*|\s*\$\$\s*$")


def parse_mineru_output(path: Path) -> ParsedDocument:
    """Blocks of a JSON file that MinerU wrote.

    Raises CorruptSource when it is no JSON, UnsupportedSource when it is JSON of another kind.
    """
    try:
        value = json.loads(path.read_bytes())
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise CorruptSource(f"no JSON ({error})") from error
    return parse_mineru_value(value)


def parse_mineru_value(value: Any) -> ParsedDocument:
    """Blocks of a MinerU output that is read already; see `parse_mineru_output`."""
    try:
        if isinstance(value, Mapping) and value.get("schema") == SCHEMA:
            return _middle(value)
        if isinstance(value, Mapping) and isinstance(value.get("pdf_info"), Sequence):
            return _old_middle(value)
        if isinstance(value, Sequence) and value and all(isinstance(item, Mapping) and "type" in item for item in value):
            return _content_list(value)
        if isinstance(value, Sequence) and value and all(isinstance(item, Sequence) and not isinstance(item, str) for item in value):
            return _content_list_v2(value)
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        raise CorruptSource(f"looks like MinerU output but does not keep to its form ({type(error).__name__}: {error})") from error
    raise UnsupportedSource("expected MinerU's middle_json, content_list or content_list_v2; found JSON of another kind")


def _middle(value: Mapping[str, Any]) -> ParsedDocument:
    if str(value.get("schema_version", "")).split(".")[0] != "2":
        raise UnsupportedSource(f"expected {SCHEMA} 2.x, found version {value.get('schema_version')!r}")
    metadata = value.get("metadata") or {}
    blocks = middle_blocks(value)
    producer = metadata.get("producer") or {}
    properties = metadata.get("document") or {}
    languages = properties.get("languages") or []
    return ParsedDocument(
        blocks=tuple(block for block in blocks if block.text or block.type is BlockType.IMAGE),
        parser=f"{PARSER} ({producer.get('name', 'mineru')} {producer.get('version', '?')})",
        title=properties.get("title") or None,
        language=str(languages[0]).split("-")[0].lower() if languages else None,
        n_pages=len(value.get("pages") or ()) or None,
        warnings=_without_text(blocks),
    )


def _content_list(items: Sequence[Mapping[str, Any]]) -> ParsedDocument:
    whole = _document_title([item.get("text_level") for item in items])
    blocks = [block for item in items for block in _content_blocks(item, whole)]
    last = max((_page_index(item) for item in items), default=-1)
    return _finished(blocks, last + 1, "content_list")


def _page_index(item: Mapping[str, Any]) -> int:
    """Page of an item from 0; the first page where it names none."""
    index = item.get("page_idx")
    return index if isinstance(index, int) and not isinstance(index, bool) and index >= 0 else 0


def _string(value: Any) -> str:
    """A text that should be one; "" for null."""
    return "" if value is None else str(value)


def _document_title(levels: Sequence[Any]) -> bool:
    """Whether level 1 names the title of the document: 3.x gives it to one heading and 2 to all others, older versions 1 to all."""
    return levels.count(1) == 1 and levels.count(2) > 0


def _content_blocks(item: Mapping[str, Any], has_document_title: bool = False) -> Iterator[Block]:
    """Blocks of one item of a flat content list; boxes are thousandths of the page, or absent in old versions."""
    kind = str(item["type"])
    page = _page_index(item) + 1
    bbox = bbox_of(item.get("bbox"), _THOUSANDTHS, _THOUSANDTHS)
    if kind in ("image", "chart", "table", "code"):
        # 0.10 to 2.x named the captions of pictures img_caption.
        captions = _strings(item.get(f"{kind}_caption") or item.get("img_caption"))
        notes = _strings(item.get(f"{kind}_footnote") or item.get("img_footnote"))
        yield from _visual(kind, str(item.get(f"{kind}_body") or item.get("content") or ""), captions, notes, page, bbox)
    elif kind == "list":
        yield _list(_strings(item.get("list_items")), item.get("sub_type") == "ref_text", page, bbox)
    elif kind == "text" and isinstance(item.get("text_level"), int) and item["text_level"] > 0:
        sub_type = "document_title" if has_document_title and item["text_level"] == 1 else None
        yield Block(BlockType.TITLE, _title(_string(item.get("text"))), page=page, bbox=bbox, sub_type=sub_type)
    else:
        yield _text(kind, _string(item.get("text")), page, bbox)


def _content_list_v2(pages: Sequence[Sequence[Mapping[str, Any]]]) -> ParsedDocument:
    levels = [(item.get("content") or {}).get("level") for page in pages for item in page if item.get("type") == "title"]
    whole = _document_title(levels)
    blocks = [block for number, page in enumerate(pages, 1) for item in page for block in _v2_blocks(item, number, whole)]
    return _finished(blocks, len(pages), "content_list_v2")


def _v2_blocks(item: Mapping[str, Any], page: int, has_document_title: bool) -> Iterator[Block]:
    kind = str(item["type"])
    content = item.get("content") or {}
    bbox = bbox_of(item.get("bbox"), _THOUSANDTHS, _THOUSANDTHS)
    if kind == "title":
        sub_type = "document_title" if has_document_title and content.get("level") == 1 else None
        yield Block(BlockType.TITLE, _title(span_text(content.get("title_content"))[0]), page=page, bbox=bbox, sub_type=sub_type)
    elif kind in ("image", "chart", "table", "code", "algorithm"):
        name = "code" if kind == "algorithm" else kind
        body = content.get("html") or content.get("content") or content.get(f"{kind}_content") or content.get("code_content") or ""
        captions = [span_text(content.get(f"{kind}_caption") or content.get(f"{name}_caption"))[0]]
        notes = [span_text(content.get(f"{kind}_footnote") or content.get(f"{name}_footnote"))[0]]
        yield from _visual(name, span_text(body)[0], captions, notes, page, bbox)
    elif kind == "list":
        items = [span_text(entry.get("item_content"))[0] for entry in content.get("list_items") or ()]
        yield _list(items, content.get("list_type") == "reference_list", page, bbox)
    elif kind == "equation_interline":
        yield _text("equation", str(content.get("math_content", "")), page, bbox)
    else:
        text = next((span_text(value)[0] for name, value in content.items() if name.endswith("_content")), "")
        yield _text("text" if kind == "paragraph" else kind, text, page, bbox)


def _old_middle(value: Mapping[str, Any]) -> ParsedDocument:
    """2.x and 3.x middle files: boxes in points, text in lines of spans."""
    blocks: list[Block] = []
    for order, page in enumerate(value["pdf_info"]):
        number = int(page.get("page_idx", order)) + 1
        width, height = (page.get("page_size") or [0, 0])[:2]
        scale = (float(width) or 1.0, float(height) or 1.0)
        for raw in page.get("para_blocks") or page.get("preproc_blocks") or ():
            blocks.extend(_old_blocks(raw, number, scale))
        for raw in page.get("discarded_blocks") or ():
            sub_type = _FURNITURE.get(str(raw.get("type")), "discarded")
            kind = BlockType.FOOTNOTE if raw.get("type") == "page_footnote" else BlockType.FURNITURE
            box = bbox_of(raw.get("bbox"), *scale)
            blocks.append(
                Block(kind, one_line(_old_text(raw)), page=number, bbox=box, sub_type=None if kind is BlockType.FOOTNOTE else sub_type)
            )
    version = value.get("_version_name") or "2.x"
    return _finished(blocks, len(value["pdf_info"]), f"middle {version}")


def _old_blocks(raw: Mapping[str, Any], page: int, scale: tuple[float, float]) -> Iterator[Block]:
    kind = str(raw.get("type"))
    bbox = bbox_of(raw.get("bbox"), *scale)
    children = raw.get("blocks") or ()
    if kind == "title":
        yield Block(BlockType.TITLE, _title(_old_text(raw)), page=page, bbox=bbox)
    elif kind in ("image", "chart", "table", "code"):
        bodies = [child for child in children if str(child.get("type", "")).endswith("_body")]
        captions = [_old_text(child) for child in children if str(child.get("type", "")).endswith("_caption")]
        notes = [_old_text(child) for child in children if str(child.get("type", "")).endswith("_footnote")]
        body = "\n".join(_old_text(child) for child in bodies) if children else _old_text(raw)
        yield from _visual(kind, body, captions, notes, page, bbox)
    elif kind in ("list", "index"):
        items = [_old_text(child) for child in children] if children else _old_items(raw)
        if kind == "index":
            for text in items:
                yield Block(BlockType.CONTENTS, one_line(text), page=page, bbox=bbox)
        else:
            yield _list(items, raw.get("sub_type") == "ref_text", page, bbox)
    else:
        yield _text("equation" if kind == "interline_equation" else kind, _old_text(raw), page, bbox)


def _old_items(raw: Mapping[str, Any]) -> list[str]:
    """Items of an old list: a line marked as an item's start opens the next one."""
    items: list[str] = []
    for line in raw.get("lines") or ():
        text = "".join(_span(span) for span in line.get("spans") or ())
        if items and not line.get("is_list_start_line"):
            items[-1] = f"{items[-1]} {text}"
        else:
            items.append(text)
    return items


def _old_text(raw: Mapping[str, Any]) -> str:
    return " ".join("".join(_span(span) for span in line.get("spans") or ()) for line in raw.get("lines") or ())


def _span(span: Mapping[str, Any]) -> str:
    return str(span.get("html") or span.get("latex") or span.get("content") or "")


def _visual(kind: str, body: str, captions: Sequence[str], notes: Sequence[str], page: int, bbox: BBox | None) -> Iterator[Block]:
    for caption in captions:
        if one_line(caption):
            yield Block(BlockType.CAPTION, flow_text(_plain(caption)), page=page, bbox=bbox, sub_type=kind)
    if kind == "table":
        html, text = table_content(body)
        yield Block(BlockType.TABLE, text, page=page, bbox=bbox, html=html)
    elif kind == "code":
        yield Block(BlockType.CODE, re.sub(r"^```\w*\n|\n?```\s*$", "", clean_text(body)).strip("\n"), page=page, bbox=bbox)
    else:
        yield Block(BlockType.IMAGE, flow_text(body), page=page, bbox=bbox, sub_type="chart" if kind == "chart" else None)
    for note in notes:
        if one_line(note):
            yield Block(BlockType.FOOTNOTE, flow_text(_plain(note)), page=page, bbox=bbox, sub_type=kind)


def _list(items: Sequence[str], references: bool, page: int, bbox: BBox | None) -> Block:
    text = "\n".join(flow_text(_plain(item)) for item in items)
    return Block(BlockType.REFERENCE if references else BlockType.LIST, text, page=page, bbox=bbox)


def _text(kind: str, text: str, page: int, bbox: BBox | None) -> Block:
    if kind in _FURNITURE:
        return Block(BlockType.FURNITURE, one_line(_plain(text)), page=page, bbox=bbox, sub_type=_FURNITURE[kind])
    if kind in ("equation", "interline_equation"):
        return Block(BlockType.EQUATION, flow_text(_MATH_FENCE.sub("", text)), page=page, bbox=bbox, sub_type="formula")
    types = {"page_footnote": BlockType.FOOTNOTE, "ref_text": BlockType.REFERENCE, "index": BlockType.CONTENTS}
    return Block(types.get(kind, BlockType.TEXT), flow_text(_plain(text)), page=page, bbox=bbox)


def _plain(text: str) -> str:
    """Text without the inline markup of a Markdown rendering."""
    return _ESCAPED.sub(r"\1", _INLINE_TAG.sub("", text))


def _title(text: str) -> str:
    line = one_line(_plain(text))
    return one_line(_STARS.sub(r"\1", line))


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [item if isinstance(item, str) else span_text(item)[0] for item in value or ()]


def _finished(blocks: Sequence[Block], n_pages: int, form: str) -> ParsedDocument:
    kept = tuple(block for block in blocks if block.text or block.type is BlockType.IMAGE)
    title = next((block.text for block in kept if block.sub_type == "document_title"), None)
    parser = f"{PARSER} ({form})"
    return ParsedDocument(blocks=kept, parser=parser, title=title, n_pages=n_pages or None, warnings=_without_text(blocks))


def _without_text(blocks: Sequence[Block]) -> tuple[str, ...]:
    """What to warn of: blocks that MinerU found on the page and left empty. What they print is only in the PDF."""
    warnings = []
    for kind in (BlockType.TITLE, BlockType.TEXT):
        pages = [block.page or 0 for block in blocks if block.type is kind and block.bbox is not None and not block.text]
        if pages:
            where = ", ".join(map(str, sorted(set(pages))))
            warnings.append(f"{len(pages)} {kind} without text (page {where}); index the PDF itself, whose text layer is read then")
    return tuple(warnings)
