"""Layout rows from parsed blocks, and blocks again from layout rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl

from assets_store.rows import empty_rows
from assets_store.schemas import LAYOUT
from docnav_pipeline.parsing.block import BBox, Block, BlockType, Line, ParsedDocument

_SCHEMA = empty_rows(LAYOUT, without=["doc_version"]).schema
_SAME = ("sub_type", "text", "page", "level", "html", "anchor", "target", "continues_previous", "size_pt", "weight", "italic")


def build_layout(parsed: Iterable[tuple[str, ParsedDocument]]) -> pl.DataFrame:
    """Rows of `layout` (without doc_version) for (doc_id, document) pairs."""
    rows = [_row(doc_id, n, block) for doc_id, document in parsed for n, block in enumerate(document.blocks)]
    return pl.DataFrame(rows, schema=_SCHEMA)


def read_blocks(layout: pl.DataFrame) -> list[Block]:
    """Blocks of one document from its layout rows; `position` is the row's `block`."""
    return [_block(row) for row in layout.sort("block").to_dicts()]


def _row(doc_id: str, position: int, block: Block) -> dict[str, Any]:
    return {
        "doc_id": doc_id,
        "block": position,
        "type": block.type.value,
        "bbox": _list(block.bbox),
        "links": [{"text": text, "target": target} for text, target in block.links],
        "lines": [
            {"text": line.text, "bbox": list(line.bbox), "size_pt": line.size_pt, "weight": line.weight, "italic": line.italic}
            for line in block.lines
        ],
        **{name: getattr(block, name) for name in _SAME},
    }


def _block(row: dict[str, Any]) -> Block:
    return Block(
        type=BlockType(row["type"]),
        bbox=_box(row["bbox"]),
        links=tuple((link["text"], link["target"]) for link in row["links"]),
        lines=tuple(
            Line(line["text"], _box(line["bbox"]) or (0.0, 0.0, 1.0, 1.0), line["size_pt"], line["weight"], line["italic"])
            for line in row["lines"]
        ),
        position=row["block"],
        **{name: row[name] for name in _SAME},
    )


def _list(bbox: BBox | None) -> list[float] | None:
    return None if bbox is None else list(bbox)


def _box(values: Sequence[float] | None) -> BBox | None:
    return None if values is None else (values[0], values[1], values[2], values[3])
