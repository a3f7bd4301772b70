"""Evidence: source text that FETCH brought, with where it stands; the only thing an answer may be made of.

An `EvidenceItem` is made from a `Paragraph` of the graph and from nothing else, so a title, a snippet or a profile has no
way into one. Cards of nodes (`docnav_agent.environment.NodeCard`) are another type, and the answer step refuses them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from docnav_agent.nodes import Paragraph

EVIDENCE_ID = re.compile(r"E\d{2,}")


class Box(BaseModel):
    """Where text is printed. bbox: x0, y0, x1, y1 in 0..1 from the top left of the page; page from 1."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    page: int | None
    bbox: tuple[float, ...] = Field(max_length=4)


class EvidenceItem(BaseModel):
    """One fetched paragraph.

    evidence_id: "E01", "E02", ... in order of fetching.
    section: titles from the top section down, for citations only; the answer step reads `text`.
    step: number of the step that fetched it, from 1. usefulness: 0..1, larger is better, for ordering.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    evidence_id: str = Field(pattern=r"^E\d{2,}$")
    node_id: str
    level: str = "paragraph"
    doc: str
    doc_id: str
    uri: str = ""
    product_version: str = ""
    section: tuple[str, ...] = ()
    text: str
    n_tokens: int = Field(ge=0)
    page_start: int | None = None
    page_end: int | None = None
    boxes: tuple[Box, ...] = ()
    position: int = 0
    step: int = Field(1, ge=0)
    why: str = ""
    usefulness: float = Field(0.0, ge=0, le=1)

    @classmethod
    def from_paragraph(cls, paragraph: Paragraph, number: int, step: int = 1, why: str = "", usefulness: float = 0.0) -> EvidenceItem:
        """Evidence of a paragraph of the graph. number: from 1, gives the evidence id."""
        return cls(
            evidence_id=evidence_id(number),
            node_id=paragraph.paragraph_id,
            doc=paragraph.doc,
            doc_id=paragraph.doc_id,
            uri=paragraph.uri,
            product_version=paragraph.product_version,
            section=tuple(paragraph.path),
            text=paragraph.text,
            n_tokens=paragraph.n_tokens,
            page_start=paragraph.page_start,
            page_end=paragraph.page_end,
            boxes=tuple(as_boxes(paragraph.boxes)),
            position=paragraph.position,
            step=step,
            why=why,
            usefulness=min(1.0, max(0.0, usefulness)),
        )

    def rated(self, usefulness: float) -> EvidenceItem:
        """The same evidence with another usefulness, cut to 0..1."""
        return self.model_copy(update={"usefulness": min(1.0, max(0.0, usefulness))})

    def row(self) -> dict[str, Any]:
        """The shape of EVIDENCE.jsonl and of `fetch --json`."""
        return {
            "evidence_id": self.evidence_id,
            "node_id": self.node_id,
            "doc": self.doc,
            "doc_id": self.doc_id,
            "uri": self.uri,
            "section": list(self.section),
            "text": self.text,
            "page_start": self.page_start,
            "page_end": self.page_end,
            "boxes": [box.model_dump(mode="json") for box in self.boxes],
            "n_tokens": self.n_tokens,
            "usefulness": round(self.usefulness, 6),
        }


def evidence_id(number: int) -> str:
    """ "E01" for 1; three digits from 100 on."""
    return f"E{number:02d}"


def as_boxes(boxes: Iterable[Any]) -> list[Box]:
    """Boxes as rows of the paragraphs table hold them: mappings or objects with `page` and `bbox`."""
    found = []
    for box in boxes:
        if isinstance(box, Box):
            found.append(box)
            continue
        page, bbox = (box["page"], box["bbox"]) if isinstance(box, dict) else (box.page, box.bbox)
        found.append(Box(page=page, bbox=tuple(float(x) for x in bbox)))
    return found


def total_tokens(evidence: Sequence[EvidenceItem]) -> int:
    """Tokens of all items, by the store's token counter."""
    return sum(item.n_tokens for item in evidence)
