"""From layout blocks to headings with levels: the one way into hierarchy recovery."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from assets_store.models.language_model import LanguageModel
from assets_store.settings import HierarchySettings
from docnav_pipeline.hierarchy.heading import Heading
from docnav_pipeline.hierarchy.llm_levels import ask_levels, is_doubtful
from docnav_pipeline.hierarchy.overrides import Overrides, unmatched
from docnav_pipeline.hierarchy.printed import recover_printed
from docnav_pipeline.hierarchy.retype import retype
from docnav_pipeline.hierarchy.source import has_source_levels, recover_source
from docnav_pipeline.parsing.block import Block


@dataclass(frozen=True, slots=True)
class HierarchyReport:
    """What recovery did to one document.

    by_evidence: headings by their strongest evidence. repaired: headings that the parser had not set
    apart as titles (cut out of a block, joined from several, or typed as something else).
    rejected: blocks that the parser called titles and that are none. contents_entries and
    contents_matched: entries of printed contents, and how many of them were found in print.
    llm_calls, prompt_tokens, completion_tokens: what asking a language model for levels cost;
    llm_faults: replies that could not be used. unmatched_overrides: corrections that matched nothing.
    """

    by_evidence: Mapping[str, int]
    repaired: int = 0
    rejected: int = 0
    contents_entries: int = 0
    contents_matched: int = 0
    llm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    llm_faults: tuple[str, ...] = ()
    unmatched_overrides: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecoveredHierarchy:
    """Blocks after repair, and the headings that refer to them, in reading order.

    title: the title of the whole document, None when it prints none; it is no heading.
    """

    blocks: tuple[Block, ...]
    headings: tuple[Heading, ...]
    title: str | None
    report: HierarchyReport = field(default_factory=lambda: HierarchyReport({}))


def recover(
    blocks: Sequence[Block], settings: HierarchySettings, overrides: Overrides | None = None, model: LanguageModel | None = None
) -> RecoveredHierarchy:
    """Headings of one document with level, label, evidence and confidence.

    blocks: all blocks of the document in reading order. Documents whose source states levels
    (HTML, Markdown, DOCX, EPUB) keep them, corrected by printed numbers; for all others (PDF)
    everything printed is weighed over the whole document. model: asked for the levels of headings
    that nothing certain speaks for, in documents of low confidence; None asks nobody.
    """
    corrections = overrides or Overrides()
    way = recover_source if has_source_levels(blocks) else recover_printed
    found = way(retype(blocks), settings, corrections)
    counts = Counter(h.evidence[0] if h.evidence else "none" for h in found.headings)
    report = HierarchyReport(dict(sorted(counts.items())), found.repaired, found.rejected, found.contents_entries, found.contents_matched)
    headings = tuple(found.headings)
    if corrections != Overrides():
        lines = [(" ".join(line.split()), block.page) for block in blocks for line in (block.text, *block.text.split("\n"))]
        lost = unmatched(corrections, [(h.title, h.page) for h in headings], lines)
        report = replace(report, unmatched_overrides=tuple(lost))
    if model is not None and is_doubtful(headings, settings):
        asked = ask_levels(headings, found.blocks, settings, model)
        headings = asked.headings
        report = replace(report, **asdict(asked.usage), llm_faults=asked.faults)
    return RecoveredHierarchy(tuple(found.blocks), headings, found.title, report)


def outline_entries(recovered: RecoveredHierarchy) -> list[dict[str, Any]]:
    """The headings as plain data in reading order: title, level, page, label, confidence, evidence."""
    return [
        {
            "title": h.title,
            "level": h.level,
            "page": h.page,
            "label": h.label,
            "confidence": round(h.confidence, 3),
            "evidence": list(h.evidence),
        }
        for h in recovered.headings
    ]
