"""Retrieve-then-read: the best paragraphs of one search, up to the budget."""

from __future__ import annotations

from dataclasses import dataclass

from docnav_agent.budget import EVIDENCE_LIMIT, Budget
from docnav_agent.evidence import EvidenceItem
from docnav_agent.search import Search
from docnav_agent.systems import Question, Retrieval

RANKING_ENDED = "ranking_ended"
# Paragraphs looked up at first; more are looked up while the budget has room.
_FIRST_DEPTH = 50


@dataclass(frozen=True, slots=True)
class Retriever:
    """A system of one step: search paragraphs and take them in order. mode: as in `Search.locate`."""

    name: str
    mode: str
    search: Search

    def retrieve(self, question: Question, budget: Budget) -> Retrieval:
        """Whole paragraphs, best first, until the next one does not fit the budget; the first always fits."""
        graph = self.search.graph
        spent = budget.start()
        spent.add_step()
        scope = graph.resolve_documents(question.docs) if question.docs else None
        evidence: list[EvidenceItem] = []
        taken: set[str] = set()
        depth = _FIRST_DEPTH
        while True:
            hits = self.search.locate(question.text, "paragraph", scope, depth, self.mode)
            # A fused ranking may shift a little when it is taken deeper, so what was taken is known by id.
            for hit in (hit for hit in hits if hit.node_id not in taken):
                taken.add(hit.node_id)
                paragraph = graph.paragraph(hit.node_id)
                if not spent.fits(paragraph.n_tokens):
                    return self._ended(evidence, spent.seconds, EVIDENCE_LIMIT)
                spent.add_evidence(paragraph.n_tokens)
                why = ", ".join(f"{name} rank {rank}" for name, rank in hit.ranks.items())
                evidence.append(EvidenceItem.from_paragraph(paragraph, len(evidence) + 1, why=why, usefulness=1 / (1 + len(evidence))))
            if len(hits) < depth:
                return self._ended(evidence, spent.seconds, RANKING_ENDED)
            depth *= 4

    def _ended(self, evidence: list[EvidenceItem], seconds: float, reason: str) -> Retrieval:
        return Retrieval(evidence, steps=1, llm_calls=0, tokens=0, seconds=seconds, stop_reason=reason)
