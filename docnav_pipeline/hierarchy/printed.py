"""Recovery from print: no level is stated, so everything that is printed is weighed together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from assets_store.settings import HierarchySettings
from docnav_pipeline.hierarchy.bookmarks import Bookmarks, read_bookmarks, unlisted
from docnav_pipeline.hierarchy.candidates import Candidate, find_candidates
from docnav_pipeline.hierarchy.contents import Contents, find_contents
from docnav_pipeline.hierarchy.evidence import add_numbering, add_style_consensus, confidence, first_look, mind_contents, style_numbers
from docnav_pipeline.hierarchy.found import Found
from docnav_pipeline.hierarchy.heading import Heading
from docnav_pipeline.hierarchy.levels import assign_levels
from docnav_pipeline.hierarchy.matching import match_contents
from docnav_pipeline.hierarchy.numbering import UNIT_WORDS, split_label
from docnav_pipeline.hierarchy.overrides import Overrides
from docnav_pipeline.hierarchy.repair import Span, cut_out
from docnav_pipeline.hierarchy.rows import Body, Row, join_lines, measure_body, rows_of
from docnav_pipeline.hierarchy.sequence import find_sequence
from docnav_pipeline.hierarchy.titles import is_contents_name, is_known_name, key_of
from docnav_pipeline.parsing.block import Block, BlockType

# Cover lines, authors and dates are set large and are no headings.
FRONT_MATTER = -7.0
# Confidence in a bookmark that nothing prints, in a list that is otherwise right.
_UNPRINTED = 0.7
# A title is set at least this much larger than text.
_TITLE_SIZE = 1.15
# Evidence that is named in a heading, strongest first, from this many log odds on.
_NAMED = 0.5


def _front(candidates: Sequence[Candidate], rows: Sequence[Row], body: Body, contents: Contents, bookmarks: Bookmarks) -> int:
    """Row position where front matter (cover, title, authors) ends.

    That is at the printed contents; without one, at the first heading of the first page that is
    sure by its name or number, or else at the first paragraph.
    """
    listed = min((e.row for e in (*contents.entries, *bookmarks.entries) if e.row is not None), default=None)
    if listed is not None:
        return min(listed, min((row for row in contents.rows if row < listed), default=listed))
    first_page = next((c.page for c in candidates if c.style.size_pt > body.style.size_pt and c.type != BlockType.FURNITURE), None)
    for c in candidates:
        if c.page == first_page and (is_known_name(c.text) or (c.label is not None and c.label.path[0] == 1 and c.logit > 0)):
            return c.position
    lines = 0
    for row in rows:
        if row.page is not None and first_page is not None and row.page > first_page:
            return row.position
        lines = lines + 1 if row.type == BlockType.TEXT and row.style == body.style and len(row.text) >= 40 else 0
        if lines == 4:
            return row.position - 3
    return 0


def _title(candidates: Sequence[Candidate], front: int, body: Body) -> tuple[Candidate, ...]:
    """The document's title: the most prominent lines of the front matter and the lines beside them that are set alike."""
    early = [c for c in candidates if c.position < front and c.type in (BlockType.TITLE, BlockType.TEXT)]
    early = [c for c in early if sum(ch.isalpha() for ch in c.text) >= 3 and c.logit > FRONT_MATTER and not is_contents_name(c.text)]
    early = [c for c in early if c.page == early[0].page]
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


def _same_title(above: Candidate, below: Candidate) -> bool:
    adjacent = below.rows[0].position - above.rows[-1].position == 1 and above.page == below.page
    return adjacent and abs(above.style.size_pt - below.style.size_pt) <= 0.5 and above.style.bold == below.style.bold


def recover_printed(blocks: Sequence[Block], settings: HierarchySettings, overrides: Overrides) -> Found:
    """Headings of a document without stated levels, from contents, numbering, type and place."""
    rows = rows_of(blocks)
    body = measure_body(rows)
    contents = match_contents(find_contents(blocks, rows), rows, body)
    bookmarks = read_bookmarks(blocks, rows, contents.rows, body) if settings.use_bookmarks else Bookmarks()
    candidates = find_candidates(rows, body, contents, bookmarks.entries, settings.max_title_characters)
    first_look(candidates, body)
    mind_contents(candidates, body)
    add_style_consensus(candidates, body)
    add_numbering(candidates)
    front = _front(candidates, rows, body, contents, bookmarks)
    title = _title(candidates, front, body)
    for c in candidates:
        if c.position < front and c.entry is None and not is_known_name(c.text) and not is_contents_name(c.text):
            # Without printed contents the first section may begin right below the title.
            mild = not contents.entries and title and c.position > title[-1].position and c.type == BlockType.TITLE
            penalty = FRONT_MATTER / 2 if mild else FRONT_MATTER
            c.reasons.append(("place", penalty))
            c.logit += penalty
    if title and title[0].style.size_pt > 1.3 * body.style.size_pt:
        for c in candidates:
            if c.entry is None and c.style.size_pt > 1.4 * title[0].style.size_pt:
                # No heading is set much larger than the title: a drawing or a misread scan.
                c.reasons.append(("place", -4.0))
                c.logit -= 4.0
    chosen = [c for c in candidates if _accepts(c, settings, overrides) and c not in title and not _repeats(c, title)]
    dropped = unlisted(chosen, bookmarks)
    chosen = [c for i, c in enumerate(chosen) if i not in dropped or overrides.added(c.text, c.page)]
    sequence = find_sequence([c.labels for c in chosen], [4.0 for c in chosen], style_numbers(chosen))
    levels = assign_levels(chosen, sequence)
    spans = [Span(c.rows[0].block, c.rows[0].line, c.rows[-1].block, -1 if c.rows[-1].ends_block else c.rows[-1].end_line) for c in chosen]
    out, places = cut_out(blocks, spans, {r.block for t in title for r in t.rows if t.alone})
    headings: list[Heading] = []
    for c, level, (first, n) in zip(chosen, levels, places, strict=True):
        forced = overrides.level_of(c.text, c.page)
        evidence = _evidence(c, overrides)
        headings.append(
            Heading(
                first,
                n,
                min(forced or level, settings.max_level),
                *_title_and_label(c),
                c.page,
                evidence,
                1.0 if evidence[0] == "override" else confidence(c.logit),
            )
        )
    headings = _with_unprinted(headings, bookmarks, out, overrides)
    n_titles = sum(b.type == BlockType.TITLE for b in blocks)
    kept_titles = len({r.block for c in chosen for r in c.rows if r.type == BlockType.TITLE})
    return Found(
        out,
        headings,
        join_lines([t.text for t in title]) or None,
        sum(c.type != BlockType.TITLE or not c.alone for c in chosen),
        max(0, n_titles - kept_titles),
        len(contents.entries),
        sum(e.row is not None for e in contents.entries),
    )


def _with_unprinted(headings: Sequence[Heading], bookmarks: Bookmarks, blocks: Sequence[Block], overrides: Overrides) -> list[Heading]:
    """Headings with those bookmarks added that no line prints; each stands before the first block of its page."""
    extra: list[Heading] = []
    for entry in bookmarks.unprinted:
        first = next((i for i, b in enumerate(blocks) if b.page is not None and b.page >= (entry.page or 0)), None)
        if first is not None and not overrides.removes(entry.title, entry.page):
            label = split_label(entry.title)[0]
            extra.append(Heading(first, 0, entry.level or 1, entry.title, label, entry.page, ("bookmark",), _UNPRINTED))
    return sorted([*extra, *headings], key=lambda h: (h.first_block, h.n_blocks))


def _title_and_label(c: Candidate) -> tuple[str, str]:
    """Title on one line, and its label. A unit label that only space sets off ("Appendix A A sample") gets a colon."""
    label, _ = split_label(c.text)
    if c.labels and c.labels[0].sure and c.labels[0].kind in UNIT_WORDS and c.labels[0].rest:
        label = c.labels[0].text.rstrip(" .:)-–—")
        if label == c.labels[0].text:
            return f"{label}: {c.labels[0].rest}", label
    return c.text, label


def _repeats(c: Candidate, title: Sequence[Candidate]) -> bool:
    """Whether the lines print the document's title once more (half title, first page of text) rather than a section."""
    if not title or c.entry is not None or c.style.size_pt < 0.8 * title[0].style.size_pt:
        return False
    return key_of(c.text) in (key_of(join_lines([t.text for t in title])), *(key_of(t.text) for t in title))


def _accepts(c: Candidate, settings: HierarchySettings, overrides: Overrides) -> bool:
    if overrides.removes(c.text, c.page):
        return False
    return overrides.added(c.text, c.page) is not None or confidence(c.logit) >= settings.min_confidence


def _evidence(c: Candidate, overrides: Overrides) -> tuple[str, ...]:
    """Kinds of evidence that spoke for the heading, strongest first."""
    total: Counter[str] = Counter()
    for kind, value in c.reasons:
        if kind in ("contents", "numbering", "font", "known_name", "bookmark"):
            total[kind] += value  # type: ignore[assignment]
    if overrides.added(c.text, c.page) or overrides.level_of(c.text, c.page):
        total["override"] = 100
    sure = ("override", "bookmark", "contents")
    named = [kind for kind in sure if kind in total] + [kind for kind, value in total.most_common() if kind not in sure and value >= _NAMED]
    return tuple(named) or ("font",)
