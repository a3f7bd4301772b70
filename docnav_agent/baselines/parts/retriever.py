"""Retrieve-then-read: the best paragraphs of one search, up to the budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from docnav_agent.budget import EVIDENCE_LIMIT, Budget
from docnav_agent.evidence import EvidenceItem
from docnav_agent.search import Hit, Search
from docnav_agent.systems import Question, Retrieval

RANKING_ENDED = "ranking_ended"
# (query, scope, depth) → at least the best `depth` paragraphs where so many are ranked, best first. A deeper ranking begins as a shallower.
Rank = Callable[[str, Sequence[str] | None, int], list[Hit]]
# Paragraphs looked up at first; more are looked up while the budget has room.
_FIRST_DEPTH = 50


@dataclass(frozen=True, slots=True)
class Retriever:
    """A system of one step: rank paragraphs and take them in order. notice: what a person should know of how it runs."""

    name: str
    rank: Rank
    search: Search
    notice: str = ""

    def retrieve(self, question: Question, budget: Budget) -> Retrieval:
        """Whole paragraphs, best first, until the next one does not fit the budget; the first always fits.

        A budget that is to be filled takes paragraphs that the ranking does not hold in reading order after those that it holds,
        so that a ranking without a word of the question in most paragraphs is compared at the same number of tokens.
        """
        spent = budget.start()
        spent.add_step()
        scope = self.search.graph.resolve_documents(question.docs) if question.docs else None
        evidence: list[EvidenceItem] = []
        taken: set[str] = set()
        for node_id, why in self._candidates(question, scope, budget):
            if node_id in taken:
                continue
            taken.add(node_id)
            paragraph = self.search.graph.paragraph(node_id)
            if not spent.fits(paragraph.n_tokens):
                return self._ended(evidence, spent.seconds, EVIDENCE_LIMIT)
            spent.add_evidence(paragraph.n_tokens)
            evidence.append(EvidenceItem.from_paragraph(paragraph, len(evidence) + 1, why=why, usefulness=1 / (1 + len(evidence))))
        return self._ended(evidence, spent.seconds, RANKING_ENDED)

    def _candidates(self, question: Question, scope: Sequence[str] | None, budget: Budget) -> Iterator[tuple[str, str]]:
        """(paragraph, why): the ranking, taken deeper as long as it is asked for, then the rest where the budget is to be filled.

        A fused ranking may shift a little when it is taken deeper, so a paragraph may come twice.
        """
        depth = _FIRST_DEPTH
        while True:
            hits = self.rank(question.query, scope, depth)
            for hit in hits:
                yield hit.node_id, ", ".join(f"{name} rank {rank}" for name, rank in hit.ranks.items())
            if len(hits) < depth:
                break
            depth *= 4
        if budget.fill:
            for doc_id in scope if scope is not None else [node.node_id for node in self.search.graph.documents()]:
                for node_id in self.search.graph.paragraph_ids(doc_id):
                    yield node_id, "not ranked, in reading order"

    def _ended(self, evidence: list[EvidenceItem], seconds: float, reason: str) -> Retrieval:
        return Retrieval(evidence, steps=1, llm_calls=0, tokens=0, seconds=seconds, stop_reason=reason)


def rank_by_search(search: Search, mode: str) -> Rank:
    """The ranking of a search. mode: as in `Search.locate`."""
    return lambda query, scope, depth: search.locate(query, "paragraph", scope, depth, mode)
