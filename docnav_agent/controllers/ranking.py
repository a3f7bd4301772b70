"""Which paragraphs to fetch first, judged by what searches and edges showed of them: navigation, before any text is read."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from docnav_agent.environment import NodeCard

# Shares of BM25 (by its ceiling) and cosine; 0.5 to 0.6 was best on manuals and articles alike.
LEXICAL_SHARE = 0.55
DENSE_SHARE = 0.45


@dataclass(slots=True)
class _Paragraph:
    card: NodeCard
    lexical: float = 0.0
    dense: float = 0.0
    bonus: float = 0.0
    why: str = ""


@dataclass(slots=True)
class Candidates:
    """Paragraphs that a run was shown, with what each search said of them."""

    _known: dict[str, _Paragraph] = field(default_factory=dict)

    def add_lexical(self, cards: Iterable[NodeCard], ceiling: float) -> None:
        """Hits of a BM25 search. ceiling: score that none can pass."""
        for card in cards:
            known = self._known.setdefault(card.node_id, _Paragraph(card))
            known.lexical = max(known.lexical, min(1.0, (card.score or 0.0) / ceiling) if ceiling > 0 else 0.0)
            known.why = known.why or f"words, rank {card.ranks.get('bm25', 0)}"

    def add_dense(self, cards: Iterable[NodeCard]) -> None:
        """Hits of a dense search; the score is a cosine."""
        for card in cards:
            known = self._known.setdefault(card.node_id, _Paragraph(card))
            known.dense = max(known.dense, card.score or 0.0)
            known.why = known.why or f"meaning, rank {card.ranks.get('dense', 0)}"

    def add(self, cards: Iterable[NodeCard], bonus: float, why: str) -> None:
        """Paragraphs that a move along the tree or an edge led to; the largest bonus stays."""
        for card in cards:
            if card.level == "paragraph":
                known = self._known.setdefault(card.node_id, _Paragraph(card))
                if bonus > known.bonus:
                    known.bonus, known.why = bonus, why

    def score(self, node_id: str, bonus_share: float = 1.0) -> float:
        """Score of a paragraph, 0 for one never shown. bonus_share: factor of what moves along tree and edges gave."""
        known = self._known.get(node_id)
        if known is None:
            return 0.0
        return LEXICAL_SHARE * known.lexical + DENSE_SHARE * max(0.0, known.dense) + bonus_share * known.bonus

    def cosine(self, node_id: str) -> float:
        """Cosine of a paragraph with the question, 0 where no dense search showed it."""
        known = self._known.get(node_id)
        return known.dense if known else 0.0

    def why(self, node_id: str) -> str:
        known = self._known.get(node_id)
        return known.why if known else ""

    def card(self, node_id: str) -> NodeCard | None:
        known = self._known.get(node_id)
        return known.card if known else None

    def best(self, without: Collection[str] = ()) -> list[str]:
        """Ids, best first, equal scores by id."""
        left = [node_id for node_id in self._known if node_id not in without]
        return sorted(left, key=lambda node_id: (-self.score(node_id), node_id))
