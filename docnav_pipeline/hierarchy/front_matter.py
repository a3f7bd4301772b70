"""What stands before the first section: cover, title, authors. None of it heads a section."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from docnav_pipeline.hierarchy.bookmarks import Bookmarks
from docnav_pipeline.hierarchy.candidates import Candidate
from docnav_pipeline.hierarchy.contents import Contents
from docnav_pipeline.hierarchy.rows import Body, Row, join_lines
from docnav_pipeline.hierarchy.titles import is_contents_name, is_known_name, key_of
from docnav_pipeline.parsing.block import BlockType

# Log odds of a line of the cover, of an author line, a date: set large, and no heading.
_COVER = -7.0
# Log odds of a line set much larger than the title: a drawing, a misread scan.
_OVERSIZED = -4.0
# A title is set at least this much larger than text.
_TITLE_SIZE = 1.15


def front_end(candidates: Sequence[Candidate], rows: Sequence[Row], body: Body, contents: Contents, bookmarks: Bookmarks) -> int:
    """Row position where front matter (cover, title, authors) ends.

    That is at the printed contents; without one, at the first heading of the first page that is
    sure by its name or number, or else at the first paragraph.
    """
    listed = min((e.row for e in (*contents.entries, *bookmarks.entries) if e.row is not None), default=None)
    if listed is not None:
        return min(listed, min((row for row in contents.rows if row < listed), default=listed))
    kinds = Counter(c.label.kind for c in candidates if c.label is not None)
    first_page = next((c.page for c in candidates if c.style.size_pt > body.style.size_pt and c.type != BlockType.FURNITURE), None)
    for c in candidates:
        if c.page == first_page and (
            is_known_name(c.text)
            or (c.label is not None and c.label.path[0] == 1 and c.logit > 0 and (c.label.sure or kinds[c.label.kind] > 1))
        ):
            return c.position
    lines = 0
    for row in rows:
        if row.page is not None and first_page is not None and row.page > first_page:
            return row.position
        lines = lines + 1 if row.type == BlockType.TEXT and row.style == body.style and len(row.text) >= 40 else 0
        if lines == 4:
            return row.position - 3
    return 0


def document_title(candidates: Sequence[Candidate], front: int, body: Body, marked: Collection[int] = ()) -> tuple[Candidate, ...]:
    """The document's title: the most prominent lines of the front matter and the lines beside them that are set alike.

    marked: blocks that the layout parser called the title; the first line of the document is believed to be it
    where there is no front matter to look at.
    """
    early = [c for c in candidates if c.position < front and c.type in (BlockType.TITLE, BlockType.TEXT)]
    early = [c for c in early if sum(ch.isalpha() for ch in c.text) >= 3 and c.logit > _COVER and not is_contents_name(c.text)]
    early = [c for c in early if c.page == early[0].page]
    if not early:
        first_line = candidates[:1] if front == 0 and candidates and candidates[0].entry is None else []
        alike = sum(c.logit > 0 and c.style == candidates[0].style for c in candidates)
        early = [c for c in first_line if c.rows[0].block in marked and c.label is None and c.style.size_pt > 0 and alike == 1]
    if not early:
        return ()
    best = max(early, key=lambda c: (c.style.size_pt, c.style.bold, -c.position))
    if best.style.size_pt < _TITLE_SIZE * body.style.size_pt:
        return ()
    first = last = early.index(best)
    while first > 0 and _same_title(early[first - 1], early[first]):
        first -= 1
    while last + 1 < len(early) and _same_title(early[last], early[last + 1]):
        last += 1
    return tuple(early[first : last + 1])


def is_one_of_many(first: Candidate, candidates: Sequence[Candidate]) -> bool:
    """Whether the most prominent line is only the first of several headings that are set and used alike: then the file has no title.

    Others stand on its page too, or headings of one kind stand below it as below the others.
    """
    others = [c for c in candidates if c.logit > 0 and c.position > first.position and c.style == first.style and c.page is not None]
    if len(others) < 2 or first.page is None or not first.style.size_pt:
        return False
    if any(c.page == first.page for c in others):
        return True
    between = [c for c in candidates if c.logit > 0 and first.position < c.position < others[0].position]
    behind = {c.style for c in candidates if c.logit > 0 and c.position > others[0].position}
    inside = [c for c in between if c.style in behind and c.style != first.style and not is_known_name(c.text)]
    return len(inside) >= 2


def _same_title(above: Candidate, below: Candidate) -> bool:
    adjacent = below.rows[0].position - above.rows[-1].position == 1 and above.page == below.page
    return adjacent and abs(above.style.size_pt - below.style.size_pt) <= 0.5 and above.style.bold == below.style.bold


def weigh_front_matter(candidates: Sequence[Candidate], front: int, title: Sequence[Candidate], body: Body, is_listed: bool) -> None:
    """Hold their place against candidates of the cover, and their size against those larger than the title.

    is_listed: the document prints its contents; without, the first section may begin right below the title.
    """
    sized = bool(title) and title[0].style.size_pt > 1.3 * body.style.size_pt
    for c in candidates:
        penalty = 0.0
        if c.position < front and c.entry is None and not is_known_name(c.text) and not is_contents_name(c.text):
            mild = not is_listed and title and c.position > title[-1].position and c.type == BlockType.TITLE
            penalty = _COVER / 2 if mild else _COVER
        if sized and c.entry is None and c.style.size_pt > 1.4 * title[0].style.size_pt:
            penalty += _OVERSIZED
        if penalty:
            c.reasons.append(("place", penalty))
            c.logit += penalty


def repeats_title(c: Candidate, title: Sequence[Candidate]) -> bool:
    """Whether the lines print the document's title once more (half title, first page of text) rather than a section."""
    if not title or c.entry is not None or c.style.size_pt < 0.8 * title[0].style.size_pt:
        return False
    return key_of(c.text) in (key_of(join_lines([t.text for t in title])), *(key_of(t.text) for t in title))
