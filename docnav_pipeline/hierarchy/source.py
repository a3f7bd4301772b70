"""Recovery where the source states levels: HTML, Markdown, DOCX, EPUB, XML."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from assets_store.settings import HierarchySettings
from docnav_pipeline.hierarchy.found import Found
from docnav_pipeline.hierarchy.heading import Heading
from docnav_pipeline.hierarchy.numbering import read_labels, split_label
from docnav_pipeline.hierarchy.overrides import Overrides
from docnav_pipeline.hierarchy.titles import key_of
from docnav_pipeline.parsing.block import Block, BlockType

# Share of the numbered headings of one depth that must agree on a level before it corrects the rest.
_AGREE = 0.75
# Headings with numbers of the second depth and deeper from which on flat levels are corrected.
_FEWEST_INSIDE = 3


def has_source_levels(blocks: Sequence[Block]) -> bool:
    """Whether the parser knows levels: most titles (the document's own aside) carry one."""
    titles = [b for b in blocks if b.type == BlockType.TITLE and b.sub_type != "document_title"]
    if titles:
        return sum(b.level is not None for b in titles) > len(titles) / 2
    # No title at all: nothing to weigh unless there are printed lines to read.
    return not any(b.lines or b.bbox for b in blocks)


def _document_titles(blocks: Sequence[Block], titles: Sequence[int]) -> tuple[str | None, set[int]]:
    """The title of the whole document, and the headings that print it and therefore head no section.

    That is a block marked so; and the first heading of the top level when all others stand below
    it, with those that stand right above it (a series name over the title, both h1).
    """
    marked = next((i for i, b in enumerate(blocks) if b.sub_type == "document_title" and b.text.strip()), None)
    text = " ".join(blocks[marked].text.split()) if marked is not None else None
    levels = [blocks[i].level or 1 for i in titles]
    top = min(levels, default=1)
    leading = next((n for n, level in enumerate(levels) if level != top), len(levels))
    alone = 0 < leading <= 3 and leading < len(levels) and top not in levels[leading:]
    tight = alone and all(b - a == 1 for a, b in itertools.pairwise(titles[:leading]))
    if not tight or split_label(blocks[titles[leading - 1]].text)[0]:
        return text, set()
    last = " ".join(blocks[titles[leading - 1]].text.split())
    if text is not None and key_of(text) != key_of(last):
        return text, set()
    return text or last, set(titles[:leading])


def _by_number(levels: dict[int, int], blocks: Sequence[Block]) -> dict[int, int]:
    """Levels after printed numbers had their say.

    Where headings of one number depth ("2.1" has 2) agree on a level, the few that stand
    elsewhere are moved to it, if the number of their parent is printed before them.
    """
    depths: dict[int, int] = {}
    paths: dict[int, tuple[int, ...]] = {}
    for i in levels:
        labels = [label for label in read_labels(blocks[i].text) if label.sure and label.kind in ("decimal", "lettered")]
        if labels:
            paths[i] = labels[0].path
            depths[i] = labels[0].depth
    votes: dict[int, Counter[int]] = defaultdict(Counter)
    for i, depth in depths.items():
        votes[depth][levels[i]] += 1
    agreed = {d: c.most_common(1)[0][0] for d, c in votes.items() if c.most_common(1)[0][1] >= max(2, _AGREE * sum(c.values()))}
    agreed = _nested(agreed, votes)
    corrected = dict(levels)
    seen: set[tuple[int, ...]] = set()
    for i in sorted(levels):
        if i in depths:
            if depths[i] in agreed and (depths[i] == 1 or paths[i][:-1] in seen):
                corrected[i] = agreed[depths[i]]
            seen.add(paths[i])
    return corrected


def _nested(agreed: dict[int, int], votes: dict[int, Counter[int]]) -> dict[int, int]:
    """Levels by number depth, put right where a source sets "1" and "1.1" on one level, or the other way round.

    Only where there are enough numbers of two depths: then the numbers order the headings, and the source does not.
    """
    depths = sorted(votes)
    enough = len(depths) > 1 and sum(votes[d].total() for d in depths[1:]) >= _FEWEST_INSIDE
    levels = [agreed.get(d) for d in depths]
    is_ordered = all(level is not None for level in levels) and levels == sorted({level for level in levels if level is not None})
    stated = [level for counts in votes.values() for level in counts]
    if not enough or is_ordered or len(set(stated)) >= len(depths) + 1:
        return agreed
    return {d: min(stated) + d - depths[0] for d in depths}


def recover_source(blocks: Sequence[Block], settings: HierarchySettings, overrides: Overrides) -> Found:
    """Headings from the source's own levels, moved so that the top is level 1."""
    out = list(blocks)
    rejected = repaired = 0
    titles = [i for i, b in enumerate(out) if b.type == BlockType.TITLE and b.text.strip() and b.sub_type != "document_title"]
    title, printing_it = _document_titles(out, titles)
    kept: list[int] = []
    added: set[int] = set()
    for i, block in enumerate(out):
        line = " ".join(block.text.split())
        if block.type not in (BlockType.TITLE, BlockType.TEXT) or not line or i in printing_it:
            continue
        if block.type == BlockType.TEXT:
            if len(line) <= settings.max_title_characters and overrides.added(line, block.page):
                out[i] = replace(block, type=BlockType.TITLE)
                kept.append(i)
                added.add(i)
                repaired += 1
        elif block.sub_type == "document_title":
            continue
        elif overrides.removes(line, block.page) or len(line) > settings.max_title_characters or not any(c.isalnum() for c in line):
            out[i] = replace(block, type=BlockType.TEXT, level=None)
            rejected += 1
        else:
            kept.append(i)
    levels: dict[int, int] = {}
    last = 1
    for i in kept:
        last = out[i].level or last
        levels[i] = last
    top = min(levels.values(), default=1)
    levels = {i: level - top + 1 for i, level in levels.items()}
    numbered = _by_number(levels, out)
    headings: list[Heading] = []
    depth_of_source: list[tuple[int, int]] = []
    for i in kept:
        line = " ".join(out[i].text.split())
        # A level that skips one (h2 -> h4) is one step down: the tree has no empty steps.
        while depth_of_source and depth_of_source[-1][0] >= numbered[i]:
            depth_of_source.pop()
        level = (depth_of_source[-1][1] if depth_of_source else 0) + 1
        depth_of_source.append((numbered[i], level))
        evidence: tuple[str, ...] = (
            ("override",) if i in added else ("source_level",) if numbered[i] == levels[i] else ("numbering", "source_level")
        )
        chosen = overrides.level_of(line, out[i].page)
        if chosen is not None:
            level, evidence = chosen, ("override", *(e for e in evidence if e != "override"))
        confidence = 1.0 if evidence[0] == "override" else 0.98 if numbered[i] == levels[i] else 0.9
        headings.append(Heading(i, 1, min(level, settings.max_level), line, split_label(line)[0], out[i].page, evidence, confidence))
    return Found(out, headings, title, repaired, rejected)
