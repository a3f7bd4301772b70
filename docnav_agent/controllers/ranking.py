"""Which paragraphs to fetch first, judged by what searches and edges showed of them: navigation, before any text is read."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from docnav_agent.environment import NodeCard


@dataclass(slots=True)
class _Paragraph:
    card: NodeCard
    match: float = 0.0
    bonus: float = 0.0
    why: str = ""


@dataclass(slots=True)
class Candidates:
    """Paragraphs that a run was shown, with what searches and moves said of them."""

    _known: dict[str, _Paragraph] = field(default_factory=dict)

    def add_hits(self, cards: Iterable[NodeCard]) -> None:
        """Hits of searches for the question by words and meaning together; the score is about 0..1 and the highest stays."""
        for card in cards:
            known = self._known.setdefault(card.node_id, _Paragraph(card))
            known.match = max(known.match, card.score or 0.0)
            known.why = known.why or ", ".join(f"{name} rank {rank}" for name, rank in card.ranks.items())

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
        return known.match + bonus_share * known.bonus if known else 0.0

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
