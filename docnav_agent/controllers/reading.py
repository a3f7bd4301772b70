"""How useful fetched text is: by its words near together and in order, and by its sentence most like the question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from assets_store.sentences import split_sentences
from docnav_agent.controllers.relevance import QuestionTerms, WordMatch
from docnav_agent.environment import MAX_PIECES

if TYPE_CHECKING:
    from docnav_agent.evidence import EvidenceItem

# Shares of reading for a short question, and of titles for a long one. A long question is no longer answered by one sentence, nor do
# its words stand near together, so reading says less of it: its share falls with the square of the words beyond FEW_WORDS.
# Measured together on manuals, articles, filings, contracts and mixed PDFs.
NEARNESS_SHARE = 0.30
ORDER_SHARE = 0.20
SENTENCE_SHARE = 0.70
TITLE_SHARE = 0.30
FEW_WORDS = 4
# What a further text of a page that an earlier one came from loses.
SAME_PAGE_LOSS = 0.05

# Shorter sentences are read together with the next: a list item says little alone.
MIN_CHARACTERS = 60
MAX_CHARACTERS = 500
# Sentences compared with the question per text, those with most of its words first, and texts that are compared at all. Comparing
# all sentences of all texts found no more evidence in four times the time.
MAX_SENTENCES = 5
MAX_TEXTS = 16


class Reader:
    """Reads each evidence text once. encode: texts → unit rows."""

    def __init__(self, question: str, terms: QuestionTerms, encode: Callable[[Sequence[str]], NDArray[np.float32]]) -> None:
        self._question = question
        self._terms = terms
        self._encode = encode
        self._vector: NDArray[np.float32] | None = None
        self._matches: dict[str, WordMatch] = {}
        self._likeness: dict[str, float] = {}

    def match(self, item: EvidenceItem) -> WordMatch:
        """How the words of a text match the question."""
        found = self._matches.get(item.node_id)
        if found is None:
            found = self._matches[item.node_id] = self._terms.match(item.text)
        return found

    def scores(self, evidence: Sequence[EvidenceItem], navigation: Sequence[float], titles: Sequence[float]) -> list[float]:
        """Score of each text: that of navigation before reading, its words, its sentence most like the question, its titles.

        Texts that come late by navigation and words count as the least like the question of those that were compared.
        """
        share = min(1.0, FEW_WORDS / max(1, len(self._terms.words))) ** 2
        before = []
        for item, score, title in zip(evidence, navigation, titles, strict=True):
            match = self.match(item)
            words = NEARNESS_SHARE * match.nearness + ORDER_SHARE * match.order
            before.append(score + share * words + (1 - share) * TITLE_SHARE * title)
        first = sorted(range(len(evidence)), key=lambda row: (-before[row], evidence[row].evidence_id))[:MAX_TEXTS]
        self._compare([evidence[row] for row in first])
        likeness = {row: self._likeness[evidence[row].node_id] for row in first}
        least = min(likeness.values(), default=0.0)
        return [score + share * SENTENCE_SHARE * likeness.get(row, least) for row, score in enumerate(before)]

    def _compare(self, items: Sequence[EvidenceItem]) -> None:
        """Compare sentences of what is new with the question, all in one batch."""
        owners: list[str] = []
        texts: list[str] = []
        for item in items:
            if item.node_id in self._likeness:
                continue
            self._likeness[item.node_id] = 0.0
            pieces = passages(item.text)
            mass = [self._terms.match(piece).coverage for piece in pieces] if len(pieces) > MAX_SENTENCES else [0.0] * len(pieces)
            for row in sorted(range(len(pieces)), key=lambda row: (-mass[row], row))[:MAX_SENTENCES]:
                owners.append(item.node_id)
                texts.append(pieces[row])
        if not texts:
            return
        if self._vector is None:
            self._vector = self._encode([self._question])[0]
        for owner, like in zip(owners, self._encode(texts) @ self._vector, strict=True):
            self._likeness[owner] = max(self._likeness[owner], float(like))


def spread_pages(evidence: Sequence[EvidenceItem], scores: Sequence[float]) -> list[int]:
    """Positions of the evidence, best first, when a further text of a page says less. Texts without pages lose nothing."""
    left = sorted(range(len(evidence)), key=lambda row: (-scores[row], row))
    seen: set[tuple[str, int]] = set()
    ranked: list[int] = []

    def worth(row: int) -> float:
        item = evidence[row]
        return scores[row] - (SAME_PAGE_LOSS if item.page_start is not None and (item.doc_id, item.page_start) in seen else 0.0)

    while left:
        best = max(left, key=worth)
        left.remove(best)
        ranked.append(best)
        page = evidence[best].page_start
        if page is not None:
            seen.add((evidence[best].doc_id, page))
    return ranked


def with_pieces(
    evidence: Sequence[EvidenceItem], ranked: Sequence[int], pieces: Callable[[str], tuple[Sequence[str], Sequence[str]]]
) -> list[int]:
    """The same positions with the fetched pieces of one table together, in reading order, where the best of them stands.

    pieces: node id → node ids before and behind it that hold other rows of its table, nearest first.
    """
    at = {item.node_id: row for row, item in enumerate(evidence)}
    placed: dict[int, None] = {}
    for row in ranked:
        if row in placed:
            continue
        before, behind = pieces(evidence[row].node_id)
        near = [*behind[:MAX_PIECES], *before[:MAX_PIECES]][:MAX_PIECES]
        group = [*(name for name in reversed(before) if name in near), evidence[row].node_id, *(name for name in behind if name in near)]
        placed.update(dict.fromkeys(at[name] for name in group if name in at and at[name] not in placed))
    return list(placed)


def passages(text: str) -> list[str]:
    """Sentences, short ones joined with what follows, long ones cut at spaces where there are any."""
    found: list[str] = []
    open_text = ""
    for sentence in split_sentences(text):
        open_text = f"{open_text} {sentence.text}".strip()
        while len(open_text) > MAX_CHARACTERS:
            at = open_text.rfind(" ", MIN_CHARACTERS, MAX_CHARACTERS) + 1 or MAX_CHARACTERS
            found.append(open_text[:at].rstrip())
            open_text = open_text[at:]
        if len(open_text) >= MIN_CHARACTERS:
            found.append(open_text)
            open_text = ""
    if open_text.strip():
        found.append(open_text.strip())
    return found
