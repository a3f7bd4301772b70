"""What both ways of recovery return."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from docnav_pipeline.hierarchy.heading import Heading
from docnav_pipeline.parsing.block import Block


@dataclass(frozen=True, slots=True)
class Found:
    """Repaired blocks, headings in reading order, the document's title, and counts for the report."""

    blocks: Sequence[Block]
    headings: Sequence[Heading]
    title: str | None
    repaired: int = 0
    rejected: int = 0
    contents_entries: int = 0
    contents_matched: int = 0
