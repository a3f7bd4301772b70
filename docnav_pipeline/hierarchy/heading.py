"""What hierarchy recovery returns: the headings of one document."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Heading:
    """One recovered heading.

    first_block, n_blocks: the blocks (positions in the repaired block list) that print it;
        n_blocks is 0 for a heading that has no printed block (a folder, a bookmark believed
        without print), which then starts before block `first_block`.
    level: 1 = top section; the document title is not a heading.
    title: as printed, label included, on one line. label: "2.1", "Appendix A", "" when none.
    page: from 1, None where the format has no pages.
    evidence: names of the kinds of evidence that decided, strongest first
        ("source_level", "bookmark", "contents", "numbering", "font", "known_name", "override").
    confidence: 0..1, calibrated as the share of headings of that strength that are right.
    """

    first_block: int
    n_blocks: int
    level: int
    title: str
    label: str
    page: int | None
    evidence: tuple[str, ...]
    confidence: float
