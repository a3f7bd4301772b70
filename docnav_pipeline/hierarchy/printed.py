"""Recovery from print: no level is stated, so everything that is printed is weighed together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from assets_store.settings import HierarchySettings
from docnav_pipeline.hierarchy.bookmarks import Bookmarks, read_bookmarks, unlisted
from docnav_pipeline.hierarchy.candidates import Candidate, find_candidates
from docnav_pipeline.hierarchy.contents import find_contents
from docnav_pipeline.hierarchy.evidence import (
    LISTED,
    add_numbering,
    add_style_consensus,
    confidence,
    first_look,
    mind_contents,
    mind_listed_labels,
    style_numbers,
)
from docnav_pipeline.hierarchy.found import Found
from docnav_pipeline.hierarchy.front_matter import document_title, front_end, is_one_of_many, repeats_title, weigh_front_matter
from docnav_pipeline.hierarchy.heading import Heading
from docnav_pipeline.hierarchy.levels import assign_levels
from docnav_pipeline.hierarchy.matching import match_contents
from docnav_pipeline.hierarchy.numbering import UNIT_WORDS, is_spelled_out, split_label
from docnav_pipeline.hierarchy.overrides import Overrides
from docnav_pipeline.hierarchy.parts import find_parts, join_parts
from docnav_pipeline.hierarchy.repair import Span, cut_out
from docnav_pipeline.hierarchy.rows import join_lines, measure_body, rows_of
from docnav_pipeline.hierarchy.sequence import find_sequence
from docnav_pipeline.parsing.block import Block, BlockType

# Highest confidence in a heading that only its looks speak for, measured on documents with complete bookmarks.
_UNBACKED = 0.93
# Confidence in a bookmark that nothing prints, in a list that is otherwise right.
_UNPRINTED = 0.7
# Evidence that is named in a heading from this many log odds on.
_NAMED = 0.5


def recover_printed(blocks: Sequence[Block], settings: HierarchySettings, overrides: Overrides, is_part: bool = False) -> Found:
    """Headings of a document without stated levels, from contents, numbering, type and place.

    A file that joins several documents is recovered part by part. is_part: these blocks are one of them.
    """
    rows = rows_of(blocks)
    body = measure_body(rows)
    contents = match_contents(find_contents(blocks, rows), rows, body)
    bookmarks = read_bookmarks(blocks, rows, contents.rows, body) if settings.use_bookmarks else Bookmarks()
    candidates = find_candidates(rows, body, contents, bookmarks.entries, settings.max_title_characters, overrides.adds)
    first_look(candidates, body)
    mind_contents(candidates, body)
    mind_listed_labels(candidates, contents)
    add_style_consensus(candidates, body)
    add_numbering(candidates)
    front = front_end(candidates, rows, body, contents, bookmarks)
    title = document_title(candidates, front, body, [i for i, block in enumerate(blocks) if block.sub_type == "document_title"])
    if not is_part and not bookmarks.entries:
        first_block = rows[0].block if rows else 0
        parts = find_parts(candidates, title, front, rows, len(blocks), first_block)
        if parts:
            found = [recover_printed(blocks[p.start : p.end], settings, overrides, is_part=True) for p in parts]
            return join_parts(parts, found, blocks[:first_block])
    if title and is_one_of_many(title[0], candidates):
        front, title = min(front, title[0].position), ()
    weigh_front_matter(candidates, front, title, body, is_listed=bool(contents.entries))
    chosen = [c for c in candidates if _accepts(c, settings, overrides) and c not in title and not repeats_title(c, title)]
    dropped = unlisted(chosen, bookmarks)
    chosen = [c for i, c in enumerate(chosen) if i not in dropped or overrides.added(c.text, c.page)]
    sequence = find_sequence([c.labels for c in chosen], [LISTED if c.entry is not None else 4.0 for c in chosen], style_numbers(chosen))
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
                _confidence(c, evidence),
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
    if c.labels and c.labels[0].text and c.labels[0].sure and c.labels[0].kind in UNIT_WORDS and c.labels[0].rest:
        label = c.labels[0].text.rstrip(" .:)-–—")
        if is_spelled_out(c.labels[0]):
            return c.labels[0].rest, label  # "Chapter Three" over a title is an ornament that no list repeats
        if label == c.labels[0].text:
            between = " " if label.startswith("第") else ": "
            return f"{label}{between}{c.labels[0].rest}", label
    return c.text, label


def _confidence(c: Candidate, evidence: Sequence[str]) -> float:
    if evidence[0] == "override":
        return 1.0
    if {"bookmark", "contents", "numbering"}.isdisjoint(evidence):
        # However large a line is set: of those that no list and no number backs, this share was right.
        return min(_UNBACKED, confidence(c.logit))
    return confidence(c.logit)


def _accepts(c: Candidate, settings: HierarchySettings, overrides: Overrides) -> bool:
    if overrides.removes(c.text, c.page):
        return False
    return overrides.adds(c.text, c.page) or _confidence(c, _evidence(c, overrides)) >= settings.min_confidence


def _evidence(c: Candidate, overrides: Overrides) -> tuple[str, ...]:
    """Kinds of evidence that spoke for the heading, strongest first."""
    total: Counter[str] = Counter()
    for kind, value in c.reasons:
        if kind in ("contents", "numbering", "font", "known_name", "bookmark"):
            total[kind] += value  # type: ignore[assignment]
    if overrides.added(c.text, c.page) or overrides.level_of(c.text, c.page):
        total["override"] = 100
    # What states a level comes before what only speaks for a heading, however strongly.
    stating = {"override": 0.0, "bookmark": 0.0, "contents": 0.0, "numbering": _NAMED}
    named = [kind for kind, least in stating.items() if total[kind] > least]
    named += [kind for kind, value in total.most_common() if kind not in stating and value >= _NAMED]
    return tuple(named) or ("font",)
