"""Bookmarks of a PDF: believed as far as they are found in print."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from docnav_pipeline.hierarchy.candidates import Candidate
from docnav_pipeline.hierarchy.contents import Entry
from docnav_pipeline.hierarchy.matching import match_entries
from docnav_pipeline.hierarchy.numbering import read_labels
from docnav_pipeline.hierarchy.rows import Body, Row, Style
from docnav_pipeline.hierarchy.titles import key_of
from docnav_pipeline.parsing.block import Block, BlockType

# Share of bookmarks that must be found on their page for the list to count at all, and to be
# believed about headings that are not printed.
_USABLE, _TRUSTED = 0.5, 0.9
_MIN_TRUSTED = 10
# A style counts as covered when the list names at least this share of the lines set in it.
_COVERED = 0.7


@dataclass(frozen=True, slots=True)
class Bookmarks:
    """The list as entries with levels from 1. trusted: nearly all were found where they point."""

    entries: tuple[Entry, ...] = ()
    trusted: bool = False

    @property
    def unprinted(self) -> list[Entry]:
        """Bookmarks without a printed line, worth keeping only where the rest of the list is right."""
        return [e for e in self.entries if e.row is None and e.printed_page is not None] if self.trusted else []


def read_bookmarks(blocks: Sequence[Block], rows: Sequence[Row], excluded: frozenset[int], body: Body) -> Bookmarks:
    """Check the bookmarks among `blocks` against print. excluded: rows of the printed contents.

    A list of which less than half is found is dropped (titles of another document, one target for all).
    """
    outline = [b for b in blocks if b.type == BlockType.OUTLINE and key_of(b.text)]
    entries: list[Entry] = []
    for block in outline:
        labels = read_labels(block.text)
        entries.append(
            Entry(
                " ".join(block.text.split()),
                labels[0] if labels else None,
                block.page,
                False,
                None,
                False,
                block.page,
                level=max(1, block.level or 1),
                source="bookmark",
            )
        )
    entries = _without_root(entries)
    if not entries:
        return Bookmarks()
    matched, _ = match_entries(entries, rows, excluded, body, {False: 0})
    share = sum(e.row is not None for e in matched) / len(matched)
    if share < _USABLE:
        return Bookmarks()
    trusted = share >= _TRUSTED and len(matched) >= _MIN_TRUSTED
    return Bookmarks(tuple(e for e in matched if e.row is not None or trusted), trusted)


def _without_root(entries: Sequence[Entry]) -> list[Entry]:
    """Without a single first bookmark that all others stand below: it names the document."""
    levels = [e.level or 1 for e in entries]
    if len(levels) > 1 and levels.count(min(levels)) == 1 and levels[0] == min(levels):
        return [replace(e, level=(e.level or 1) - min(levels)) for e in entries[1:]]
    return [replace(e, level=(e.level or 1) - min(levels, default=1) + 1) for e in entries]


def unlisted(candidates: Sequence[Candidate], bookmarks: Bookmarks) -> set[int]:
    """Positions of accepted candidates that a trusted list would name if they were headings.

    These are the unnamed ones set in a style of which the list names nearly all others. Styles
    that the list does not reach down to are left alone.
    """
    if not bookmarks.trusted:
        return set()
    named: Counter[Style] = Counter()
    total: Counter[Style] = Counter()
    for c in candidates:
        total[c.style] += 1
        named[c.style] += c.entry is not None and c.entry.source == "bookmark"
    covered = {s for s in total if named[s] >= 3 and named[s] >= _COVERED * total[s]}
    deepest = min((s.size_pt for s in covered), default=None)
    return {
        i
        for i, c in enumerate(candidates)
        if (c.entry is None or c.entry.source != "bookmark") and deepest is not None and (c.style in covered or c.style.size_pt > deepest)
    }
