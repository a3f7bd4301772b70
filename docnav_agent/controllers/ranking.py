"""Which paragraphs to fetch first, judged by what searches and edges showed of them: navigation, before any text is read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from docnav_agent.environment import NodeCard

# Share of the titles above a paragraph when it is chosen for fetching: it lets in tables and figures with little text of their own.
TITLE_SHARE = 0.20


@dataclass(slots=True)
class _Paragraph:
    card: NodeCard
    title: float = 0.0
    match: float = 0.0
    bonus: float = 0.0
    why: str = ""


class Candidates:
    """Paragraphs that a run was shown, with what searches and moves said of them. titles: likeness of title paths, 0..1."""

    def __init__(self, titles: Callable[[Sequence[tuple[str, ...]]], Sequence[float]]) -> None:
        self._titles = titles
        self._known: dict[str, _Paragraph] = {}

    def add_hits(self, cards: Sequence[NodeCard]) -> None:
        """Hits of searches for the question by words and meaning together; the score is about 0..1 and the highest stays."""
        self._take(cards)
        for card in cards:
            known = self._known[card.node_id]
            known.match = max(known.match, card.score or 0.0)
            known.why = known.why or ", ".join(f"{name} rank {rank}" for name, rank in card.ranks.items())

    def add(self, cards: Iterable[NodeCard], bonus: float, why: str) -> None:
        """Paragraphs that a move along the tree or an edge led to; the largest bonus stays."""
        paragraphs = [card for card in cards if card.level == "paragraph"]
        self._take(paragraphs)
        for card in paragraphs:
            known = self._known[card.node_id]
            if bonus > known.bonus:
                known.bonus, known.why = bonus, why

    def score(self, node_id: str) -> float:
        """Score for fetching, 0 for a paragraph never shown."""
        known = self._known.get(node_id)
        return known.match + TITLE_SHARE * known.title + known.bonus if known else 0.0

    def parts(self, node_id: str) -> tuple[float, float, float]:
        """Match, likeness of titles, and bonus of a paragraph."""
        known = self._known.get(node_id)
        return (known.match, known.title, known.bonus) if known else (0.0, 0.0, 0.0)

    def card(self, node_id: str) -> NodeCard | None:
        known = self._known.get(node_id)
        return known.card if known else None

    def best(self, without: Collection[str] = ()) -> list[str]:
        """Ids, best first, equal scores by id."""
        left = [node_id for node_id in self._known if node_id not in without]
        return sorted(left, key=lambda node_id: (-self.score(node_id), node_id))

    def _take(self, cards: Sequence[NodeCard]) -> None:
        new = {card.node_id: card for card in cards if card.node_id not in self._known}
        if new:
            titles = self._titles([card.path for card in new.values()])
            self._known.update((node_id, _Paragraph(card, title)) for (node_id, card), title in zip(new.items(), titles, strict=True))
