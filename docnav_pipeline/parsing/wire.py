"""JSON form of blocks and documents, as they pass from the parser process; plain data, so that a hijacked parser sends no code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from docnav_pipeline.parsing.block import BBox, Block, BlockType, DocumentStatus, Line, ParsedDocument

_BLOCK_FIELDS = (
    "page",
    "bbox",
    "level",
    "sub_type",
    "html",
    "anchor",
    "target",
    "links",
    "continues_previous",
    "size_pt",
    "weight",
    "italic",
)


def block_to_json(block: Block) -> dict[str, Any]:
    """A block as JSON values; fields at their default are left out."""
    record: dict[str, Any] = {"type": block.type.value, "text": block.text}
    for name in _BLOCK_FIELDS:
        value = getattr(block, name)
        if value is not None and value is not False and value != ():
            record[name] = value
    if block.lines:
        record["lines"] = [[line.text, line.bbox, line.size_pt, line.weight, line.italic] for line in block.lines]
    return record


def block_from_json(record: dict[str, Any]) -> Block:
    """The block that `block_to_json` wrote."""
    return Block(
        type=BlockType(record["type"]),
        text=record["text"],
        page=record.get("page"),
        bbox=_bbox(record.get("bbox")),
        level=record.get("level"),
        sub_type=record.get("sub_type"),
        html=record.get("html"),
        anchor=record.get("anchor"),
        target=record.get("target"),
        links=tuple((text, target) for text, target in record.get("links", ())),
        continues_previous=record.get("continues_previous", False),
        size_pt=record.get("size_pt"),
        weight=record.get("weight"),
        italic=False if record.get("italic") is None and record.get("size_pt") is not None else record.get("italic"),
        lines=tuple(_line(values) for values in record.get("lines", ())),
    )


def document_to_json(document: ParsedDocument) -> dict[str, Any]:
    """A document as JSON values."""
    return {
        "blocks": [block_to_json(block) for block in document.blocks],
        "parser": document.parser,
        "status": document.status.value,
        "reason": document.reason,
        "title": document.title,
        "language": document.language,
        "n_pages": document.n_pages,
        "pages_without_text": document.pages_without_text,
        "warnings": document.warnings,
    }


def document_from_json(record: dict[str, Any]) -> ParsedDocument:
    """The document that `document_to_json` wrote."""
    return ParsedDocument(
        blocks=tuple(map(block_from_json, record["blocks"])),
        parser=record["parser"],
        status=DocumentStatus(record["status"]),
        reason=record["reason"],
        title=record["title"],
        language=record["language"],
        n_pages=record["n_pages"],
        pages_without_text=tuple(record["pages_without_text"]),
        warnings=tuple(record["warnings"]),
    )


def _line(values: Sequence[Any]) -> Line:
    text, bbox, size_pt, weight, italic = values
    box = _bbox(bbox)
    assert box is not None
    return Line(text, box, size_pt, weight, italic)


def _bbox(values: Sequence[float] | None) -> BBox | None:
    return None if values is None else (values[0], values[1], values[2], values[3])
