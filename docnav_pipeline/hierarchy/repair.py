"""Repair of the block list: headings glued to text are cut out, headings cut in two are joined."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from docnav_pipeline.hierarchy.line_text import line_starts
from docnav_pipeline.parsing.block import BBox, Block, BlockType, Line


@dataclass(frozen=True, slots=True)
class Span:
    """Where a heading is printed: lines [first_line, end_line) of blocks; whole blocks where lines are unknown (-1)."""

    first_block: int
    first_line: int
    last_block: int
    end_line: int


def _hull(lines: Sequence[Line], fallback: BBox | None) -> BBox | None:
    if not lines:
        return fallback
    boxes = [line.bbox for line in lines]
    return min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes)


def split_block(block: Block, at: Sequence[int]) -> list[Block]:
    """The block cut before each of the given lines (ascending, none 0); text, lines, box, size and weight go to their piece.

    Lines of a table are those of its text; its pieces are text, as their markup cannot be cut.
    """
    if block.type == BlockType.TABLE:
        rows = [line for line in block.text.split("\n") if line.strip()]
        edges = [0, *at, len(rows)]
        texts = ["\n".join(rows[a:b]) for a, b in itertools.pairwise(edges)]
        return [replace(block, type=BlockType.TEXT, text=text, html=None) for text in texts]
    lines = [line for line in block.lines if line.text.strip()]
    edges = [0, *at, len(lines)]
    begins = line_starts(block.text, [line.text for line in lines])
    starts = [0, *(begins[i] for i in at), len(block.text)]
    return [
        _piece(block, block.text[starts[k] : starts[k + 1]].strip(), lines[edges[k] : edges[k + 1]], is_first=k == 0)
        for k in range(len(edges) - 1)
    ]


def _piece(block: Block, text: str, lines: Sequence[Line], is_first: bool) -> Block:
    sizes = sorted(line.size_pt for line in lines if line.size_pt is not None)
    weights = sorted(line.weight for line in lines if line.weight is not None)
    return replace(
        block,
        text=text,
        lines=tuple(lines),
        bbox=_hull(lines, block.bbox),
        size_pt=sizes[len(sizes) // 2] if sizes else block.size_pt,
        weight=weights[len(weights) // 2] if weights else block.weight,
        continues_previous=block.continues_previous and is_first,
        anchor=block.anchor if is_first else None,
        links=block.links if is_first else (),
    )


def cut_out(
    blocks: Sequence[Block], spans: Sequence[Span], title_blocks: Collection[int] = ()
) -> tuple[list[Block], list[tuple[int, int]]]:
    """The block list in which every span is made of whole blocks.

    spans: in reading order, not overlapping. title_blocks: blocks that print the document's title.
    Returns the new blocks, and (first block, number of blocks) of each span in them. Blocks of a
    span get the type title; a block that was called a title and is in no span becomes text.
    """
    cuts: dict[int, set[int]] = {}
    for span in spans:
        if span.first_line > 0:
            cuts.setdefault(span.first_block, set()).add(span.first_line)
        if span.end_line > 0:
            cuts.setdefault(span.last_block, set()).add(span.end_line)
    out: list[Block] = []
    piece_of: dict[tuple[int, int], int] = {}
    for index, block in enumerate(blocks):
        if block.type == BlockType.TABLE:
            n_lines = sum(bool(line.strip()) for line in block.text.split("\n"))
        else:
            n_lines = sum(bool(line.text.strip()) for line in block.lines)
        at = sorted(i for i in cuts.get(index, ()) if 0 < i < n_lines)
        pieces = split_block(block, at) if at else [block]
        for first, piece in zip([0, *at], pieces, strict=True):
            piece_of[index, first] = len(out)
            out.append(piece)
    printing_title = {position for (index, _), position in piece_of.items() if index in title_blocks}
    places: list[tuple[int, int]] = []
    in_span: set[int] = set()
    for span in spans:
        first = piece_of[span.first_block, max(span.first_line, 0)]
        last = max(p for (b, line), p in piece_of.items() if b == span.last_block and (span.end_line <= 0 or line < span.end_line))
        places.append((first, last - first + 1))
        in_span.update(range(first, last + 1))
    for i, block in enumerate(out):
        if i in in_span:
            out[i] = replace(block, type=BlockType.TITLE, sub_type=None, continues_previous=False)
        elif i in printing_title:
            out[i] = replace(block, type=BlockType.TITLE, sub_type="document_title", continues_previous=False)
        elif block.type == BlockType.TITLE:
            out[i] = replace(block, type=BlockType.TEXT, sub_type=None)
    return out, places
