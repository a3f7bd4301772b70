"""Levels of accepted headings, decided over the whole document.

What is known for sure comes first and teaches the rest: bookmarks that were found in print, else numbers that state their own depth
("2.1.3"), then the indent of the printed contents, then labels whose depth follows from the
sequence ("II." above "A." above "1."). Headings without any of these take the level of those
that are set like them, and styles that nothing is known of go between their neighbours in size.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence

from docnav_pipeline.hierarchy.candidates import Candidate
from docnav_pipeline.hierarchy.numbering import UNIT_WORDS
from docnav_pipeline.hierarchy.rows import Style
from docnav_pipeline.hierarchy.sequence import Numbered
from docnav_pipeline.hierarchy.titles import is_known_name, key_of

# Left edges of contents entries closer than this (share of page width) are one indent.
_INDENT_STEP = 0.008


def prominence(style: Style) -> tuple[float, bool, bool, bool]:
    """Sort key: the more prominent a style, the larger."""
    return (style.size_pt, style.bold, style.caps, not style.italic)


def _indent_ranks(headings: Sequence[Candidate]) -> dict[int, int]:
    """Heading -> rank of its contents entry's indent, 1 = outermost; {} when entries are not indented."""
    edges: dict[int, float] = {}
    margins: dict[int, float] = {}
    for i, c in enumerate(headings):
        if c.entry is not None and c.entry.indent is not None and c.entry.level is None:
            parity = (c.entry.page or 0) % 2
            edges[i] = c.entry.indent
            margins[parity] = min(margins.get(parity, 1.0), c.entry.indent)
    shifted = {i: edge - margins[(headings[i].entry.page or 0) % 2] for i, edge in edges.items()}  # type: ignore[union-attr]
    groups: list[list[int]] = []
    for i in sorted(shifted, key=lambda i: shifted[i]):
        if groups and shifted[i] - shifted[groups[-1][-1]] <= _INDENT_STEP:
            groups[-1].append(i)
        else:
            groups.append([i])
    # One or two entries at an edge of their own are misread lines, not a level: they join the next group to the left.
    rare = [len(group) <= 2 and len(group) < 0.03 * len(shifted) for group in groups]
    ranks: dict[int, int] = {}
    rank = 0
    for group, is_rare in zip(groups, rare, strict=True):
        rank += not is_rare or rank == 0
        ranks.update(dict.fromkeys(group, rank))
    return ranks if rank > 1 else {}


def _decimal_levels(sequence: Mapping[int, Numbered]) -> dict[int, int]:
    """Levels of labels that belong to a scheme which states depth ("2", "2.1", "A", "A.1"): their place in the sequence."""
    deep = any(len(n.label.path) > 1 for n in sequence.values())
    if not deep:
        return {}
    stated = {"decimal", "lettered", "upper", "appendix", "chapter"}
    return {i: n.depth for i, n in sequence.items() if len(n.label.path) > 1 or n.label.kind in stated}


def assign_levels(headings: Sequence[Candidate], sequence: Mapping[int, Numbered]) -> list[int]:
    """Level of each heading, 1 = top. sequence: place in the numbering, by position in `headings`."""
    known = _decimal_levels(sequence)
    bookmarked = {i: c.entry.level for i, c in enumerate(headings) if c.entry is not None and c.entry.level is not None}
    if len(bookmarked) >= 0.3 * len(headings):
        known = bookmarked
    _add_contents(known, headings)
    if len(sequence) >= 0.6 * len(headings):
        for i, numbered in sequence.items():
            known.setdefault(i, numbered.depth)
    else:
        for i, numbered in sequence.items():
            if numbered.label.kind in UNIT_WORDS and numbered.label.kind != "step":
                known.setdefault(i, numbered.depth)
    _add_alike(known, headings, lambda i: (headings[i].style, sequence[i].label.kind if i in sequence else ""))
    _add_inside_units(known, headings, sequence)
    _add_unstyled(known, headings, sequence)
    _add_alike(known, headings, lambda i: headings[i].style if i not in sequence else None)
    _add_nested(known, headings)
    return _from_the_top([known[i] for i in range(len(headings))])


def _from_the_top(levels: list[int]) -> list[int]:
    """Levels in which what stands before the first top heading (preface, abstract) begins at 1 too: nothing stands above it."""
    top = min(levels, default=1)
    first = levels.index(top) if levels else 0
    lead = min(levels[:first], default=top) - top
    return [level - lead if i < first else level for i, level in enumerate(levels)]


def _add_inside_units(known: dict[int, int], headings: Sequence[Candidate], sequence: Mapping[int, Numbered]) -> None:
    """A heading without label that is set like the numbered units around it ("Item 7", "Item 8") is inside one of them.

    Its level is the unit's plus one, for headings between the first and the last unit of that style.
    """
    units: dict[Style, list[int]] = defaultdict(list)
    for i, numbered in sequence.items():
        if numbered.label.kind in UNIT_WORDS and i in known:
            units[headings[i].style].append(i)
    for style, members in units.items():
        inside = [i for i in range(min(members), max(members)) if i not in known and i not in sequence and headings[i].style == style]
        if not inside:
            continue
        inner = known[max(m for m in members if m < inside[0])]
        for i in inside:
            known[i] = inner + 1
        # "Note 1" right behind "Notes to the statements" starts a series inside that heading.
        for kind in {sequence[m].label.kind for m in members}:
            series = [m for m in members if sequence[m].label.kind == kind]
            before = headings[series[0] - 1] if series[0] - 1 in inside else None
            if before is not None and any(key_of(word) in key_of(before.text) for word in UNIT_WORDS[kind]):
                shift = inner + 2 - known[series[0]]
                for m in series:
                    known[m] += shift


def _add_contents(known: dict[int, int], headings: Sequence[Candidate]) -> None:
    """Levels from the indents of the printed contents, where these agree with the numbers known already."""
    ranks = _indent_ranks(headings)
    if ranks and len(known) < 0.3 * len(ranks):
        known.clear()  # a few numbers in a document without numbered sections
    votes: dict[int, Counter[int]] = defaultdict(Counter)
    for i, rank in ranks.items():
        if i in known:
            votes[rank][known[i]] += 1
    by_rank = {rank: counter.most_common(1)[0][0] for rank, counter in votes.items()}
    agreeing = sum(known[i] == by_rank[rank] for i, rank in ranks.items() if i in known)
    n_both = sum(i in known for i in ranks)
    levels = [by_rank[r] for r in sorted(by_rank)]
    if n_both and (agreeing < 0.8 * n_both or levels != sorted(set(levels))):
        return
    if not n_both:
        ranks = _split_ranks(ranks, headings)
    shift = min((by_rank[r] - r for r in by_rank), default=0)
    for i, rank in ranks.items():
        known.setdefault(i, max(1, by_rank.get(rank, rank + shift)))


def _split_ranks(ranks: Mapping[int, int], headings: Sequence[Candidate]) -> dict[int, int]:
    """Ranks with the outermost one split where its entries name headings of two sizes, as parts and their sections are."""
    outer = [i for i in sorted(ranks) if ranks[i] == 1]
    sizes = Counter(headings[i].style.size_pt for i in outer)
    largest = max(sizes, default=0.0)
    rest = [size for size in sizes if size < 0.87 * largest]
    large = [i for i in outer if headings[i].style.size_pt >= 0.87 * largest]
    if not rest or not outer or headings[outer[0]].style.size_pt < 0.87 * largest or len(large) > len(outer) / 2:
        return dict(ranks)
    return {i: 1 if i in large else rank + 1 for i, rank in ranks.items()}


def _add_alike(known: dict[int, int], headings: Sequence[Candidate], kind_of: Callable[[int], Hashable]) -> None:
    """Give headings of one kind the level that most known ones of the kind have."""
    votes: dict[Hashable, Counter[int]] = defaultdict(Counter)
    for i, level in known.items():
        votes[kind_of(i)][level] += 1
    for i in range(len(headings)):
        if i not in known and votes.get(kind_of(i)):
            known[i] = votes[kind_of(i)].most_common(1)[0][0]


def _add_unstyled(known: dict[int, int], headings: Sequence[Candidate], sequence: Mapping[int, Numbered]) -> None:
    """Headings without label in a style that numbered ones of several levels share, as in plain text.

    The style says nothing then. Names that sections carry everywhere, and what stands before the first
    number or behind the last, are top sections; others stand one below the section they are in.
    """
    spread: dict[Style, Counter[int]] = defaultdict(Counter)
    for i in sequence:
        if i in known:
            spread[headings[i].style][known[i]] += 1
    shared = {s for s, counts in spread.items() if len(counts) > 1 and counts.most_common(1)[0][1] < 0.8 * counts.total()}
    numbered = [i for i in sequence if i in known]
    level = 1
    for i, c in enumerate(headings):
        if i in sequence and i in known:
            level = known[i]
        elif i not in known and c.style in shared:
            outside = is_known_name(c.text) or not min(numbered) < i < max(numbered)
            known[i] = 1 if outside else level + 1


def _add_nested(known: dict[int, int], headings: Sequence[Candidate]) -> None:
    """Levels of styles that nothing is known of, from most to least prominent.

    A style is one level below the more prominent headings that its members follow; what most
    members say decides for all. A style that only stands before any larger heading shares the
    level of the next larger style.
    """
    sizes = Counter(c.style for c in headings)
    # A lone line of doubtful standing, as drawings and misread scans have them, is nobody's parent.
    steady = [sizes[c.style] >= 3 or c.logit >= 4.0 for c in headings]
    unknown = sorted({headings[i].style for i in range(len(headings)) if i not in known}, key=prominence, reverse=True)
    for style in unknown:
        votes: Counter[int] = Counter()
        for i, c in enumerate(headings):
            if c.style != style or i in known:
                continue
            above = next(
                (j for j in range(i - 1, -1, -1) if j in known and steady[j] and prominence(headings[j].style) > prominence(style)), None
            )
            if above is not None:
                votes[known[above] + 1] += 1
        if votes:
            level = votes.most_common(1)[0][0]
        else:
            larger = [
                (prominence(headings[j].style), known[j]) for j in known if steady[j] and prominence(headings[j].style) > prominence(style)
            ]
            smaller = [known[j] for j in known if prominence(headings[j].style) < prominence(style)]
            level = min(larger)[1] if larger else max(1, min(smaller, default=2) - 1) if smaller else 1
        for i, c in enumerate(headings):
            if c.style == style and i not in known:
                known[i] = level
