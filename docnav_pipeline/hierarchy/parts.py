"""Several documents joined in one file: where each begins, and their headings put below one heading for each."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from docnav_pipeline.hierarchy.candidates import Candidate, same_style
from docnav_pipeline.hierarchy.found import Found
from docnav_pipeline.hierarchy.front_matter import repeats_title
from docnav_pipeline.hierarchy.heading import Heading
from docnav_pipeline.hierarchy.rows import Row
from docnav_pipeline.hierarchy.titles import is_contents_name, is_known_name, key_of
from docnav_pipeline.parsing.block import Block, BlockType

# Evidence for the headings of the parts.
EVIDENCE = "part"
# Confidence in a part: titles set like the first one, at the top of a page, with the numbering or the same names behind each.
_CONFIDENCE = 0.85
# Headings that the first part needs; a book's title page with its parts behind it has none.
_FEWEST = 2
# Share of the later parts that must begin as the first one does.
_ALIKE = 0.5


@dataclass(frozen=True, slots=True)
class Part:
    """One of several documents in a file: blocks [start, end), and its title as the first look saw it."""

    start: int
    end: int
    title: str


def find_parts(
    candidates: Sequence[Candidate], title: Sequence[Candidate], front: int, rows: Sequence[Row], n_blocks: int, first_block: int
) -> list[Part]:
    """The parts of a file that joins several documents, in order; [] for a file that is one document.

    A part begins with a line that opens a page and is set like the title of the whole file, which no other heading is. The
    parts begin alike: their numbers start at 1 again, or the same names ("Abstract", "Introduction") come again.
    title, front: of the file, see `front_matter`. first_block: first printed block of the file.
    """
    if not title:
        return []
    size = title[0].style.size_pt
    openers = _page_openers(rows)
    headings = [c for c in candidates if c.logit > 0 and c not in title and not repeats_title(c, title)]
    begins = [c for c in headings if c.position > front and same_style(c.style, title[0].style) and c.position in openers and not c.labels]
    begins = [c for c in begins if not is_known_name(c.text) and not is_contents_name(c.text)]
    if not begins or any(c.style.size_pt > size + 0.5 for c in headings if c.position > front):
        return []
    edges = [c.position for c in begins]
    inside = [[c for c in headings if low < c.position < high] for low, high in itertools.pairwise([title[-1].position, *edges, len(rows)])]
    first, *later = [_beginnings(part) for part in inside]
    alike = sum(bool(first & names) for names in later)
    others = sum(same_style(c.style, title[0].style) for part in inside for c in part)
    if len(inside[0]) < _FEWEST or alike < max(1, _ALIKE * len(later)) or others > 0:
        return []
    starts = [first_block, *(c.rows[0].block for c in begins), n_blocks]
    names = [" ".join(t.text for t in title), *(c.text for c in begins)]
    return [Part(low, high, name) for (low, high), name in zip(itertools.pairwise(starts), names, strict=True)]


def _page_openers(rows: Sequence[Row]) -> set[int]:
    """Rows that open a page, what stands in its margins aside."""
    openers: set[int] = set()
    page: int | None = None
    for row in rows:
        if row.type is not BlockType.FURNITURE and row.page != page:
            page = row.page
            openers.add(row.position)
    return openers


def _beginnings(headings: Sequence[Candidate]) -> set[str]:
    """What is at the head of a part that would be at the head of another one too: first numbers and names that all documents have."""
    names = {key_of(c.text) for c in headings if is_known_name(c.text) or is_contents_name(c.text)}
    return names | {f"1 {label.kind}" for c in headings for label in c.labels[:1] if label.sure and label.path == (1,)}


def join_parts(parts: Sequence[Part], found: Sequence[Found], before: Sequence[Block]) -> Found:
    """Headings of the parts one level down, each below a heading that is the title of its part. before: blocks that precede all parts."""
    blocks: list[Block] = list(before)
    headings: list[Heading] = []
    for part, one in zip(parts, found, strict=True):
        start = len(blocks)
        printed = _title_blocks(one.blocks)
        page = next((b.page for b in one.blocks if b.page is not None), None)
        headings.append(Heading(start, printed, 1, one.title or part.title, "", page, (EVIDENCE,), _CONFIDENCE))
        headings.extend(replace(h, first_block=h.first_block + start, level=h.level + 1) for h in one.headings)
        blocks.extend(replace(b, sub_type=None) if b.sub_type == "document_title" else b for b in one.blocks)
    return Found(
        blocks,
        headings,
        None,
        sum(one.repaired for one in found),
        sum(one.rejected for one in found),
        sum(one.contents_entries for one in found),
        sum(one.contents_matched for one in found),
    )


def _title_blocks(blocks: Sequence[Block]) -> int:
    """Blocks at the start that print the title; 0 where something else stands before it, which then belongs to the part too."""
    printing = itertools.takewhile(lambda b: b.type is BlockType.TITLE and b.sub_type == "document_title", blocks)
    return sum(1 for _ in printing)
