"""Edges from the text to its footnotes, where only print tells which note a mark means."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from docnav_pipeline.transforms.edge_rows import Edge, edge_frame

_LABEL = re.compile(r"\s*[(\[]?(\d{1,3}|[*†‡§¶]{1,3}|[⁰¹²³⁴-⁹]{1,3})[)\].:]?\s*(?=\S)")
# A mark stands right behind a word or its punctuation, and no digit or letter follows it.
_BEHIND = r"(?:(?<=[^\W\d_])|(?<=[^\W\d_][.,;:!?)\]”\"'’»]))"
_SEVERAL = 0.8


@dataclass(frozen=True, slots=True)
class _Mark:
    """A place on a page that prints a mark. around: text at the mark, to find the paragraph that holds it."""

    block: int
    around: str


def footnote_edges(paragraphs: pl.DataFrame, layout: pl.DataFrame) -> pl.DataFrame:
    """Edges `cross_reference` from the paragraph that holds a mark to the one that holds the note of the same page.

    paragraphs: doc_id, paragraph_id, text, blocks. layout: doc_id, block, type, page, text, anchor.

    Weight 1 where the page prints the mark once, 0.8 for the first of several. Notes with an anchor are left to their links.
    """
    with_notes = layout.filter((pl.col("type") == "footnote") & pl.col("page").is_not_null() & pl.col("anchor").is_null())[
        "doc_id"
    ].unique()
    edges: list[Edge] = []
    for doc_id in with_notes.sort():
        blocks = layout.filter(pl.col("doc_id") == doc_id).sort("block")
        units = _units(paragraphs.filter(pl.col("doc_id") == doc_id))
        edges += _of_document(list(blocks.select("block", "type", "page", "text").iter_rows()), units)
    return edge_frame(edges)


def _units(paragraphs: pl.DataFrame) -> Mapping[int, list[tuple[str, str]]]:
    """Block -> (paragraph_id, text) of the paragraphs made from it, in order."""
    found: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for paragraph_id, text, blocks in paragraphs.select("paragraph_id", "text", "blocks").iter_rows():
        for block in blocks:
            found[block].append((paragraph_id, text))
    return found


def _of_document(blocks: Sequence[tuple[int, str, int | None, str]], units: Mapping[int, list[tuple[str, str]]]) -> Iterator[Edge]:
    by_page: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for block, kind, page, text in blocks:
        if kind in ("text", "list", "caption", "table", "title") and page is not None:
            by_page[page].append((block, text))
    for block, kind, page, text in blocks:
        label = _LABEL.match(text) if kind == "footnote" and page is not None else None
        if label is None or page is None or block not in units:
            continue
        mark = unicodedata.normalize("NFKC", label.group(1))
        places = _marks(mark, by_page[page])
        if not places:
            continue
        source = _holder(places[0], units)
        note = next((name for name, unit in units[block] if text[label.end() :].strip()[:20] in unit), units[block][0][0])
        if source is not None and source != note:
            yield Edge(source, note, "cross_reference", 1.0 if len(places) == 1 else _SEVERAL, f"footnote {mark}")


def _marks(mark: str, blocks: Sequence[tuple[int, str]]) -> list[_Mark]:
    raised = "".join(dict(zip("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹", strict=True)).get(c, c) for c in mark)
    pattern = re.compile(_BEHIND + f"(?:{re.escape(mark)}|{re.escape(raised)})" + r"(?![\w⁰¹²³⁴-⁹*†‡])")
    found = []
    for block, text in blocks:
        found += [_Mark(block, text[max(0, match.start() - 20) : match.end()]) for match in pattern.finditer(text)]
    return found


def _holder(mark: _Mark, units: Mapping[int, list[tuple[str, str]]]) -> str | None:
    """The paragraph that holds a mark; None where its block is in none (a heading)."""
    candidates = units.get(mark.block, [])
    return next((name for name, text in candidates if mark.around in text), candidates[0][0] if candidates else None)
