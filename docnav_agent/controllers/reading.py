"""How useful fetched text is: by its words near together and in order, and by its sentence most like the question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from assets_store.sentences import split_sentences
from docnav_agent.controllers.relevance import QuestionTerms, WordMatch

if TYPE_CHECKING:
    from docnav_agent.evidence import EvidenceItem

# Shares beside the score of navigation, which is at most 1 without its bonus; measured on manuals and articles.
NEARNESS_SHARE = 0.30
ORDER_SHARE = 0.20
SENTENCE_SHARE = 0.70

# Shorter sentences are read together with the next: a list item says little alone.
MIN_CHARACTERS = 60
MAX_CHARACTERS = 1000
MAX_SENTENCES = 40


class Reader:
    """Reads each evidence text once. encode: texts → unit rows."""

    def __init__(self, question: str, terms: QuestionTerms, encode: Callable[[Sequence[str]], NDArray[np.float32]]) -> None:
        self._question = question
        self._terms = terms
        self._encode = encode
        self._vector: NDArray[np.float32] | None = None
        self._matches: dict[str, WordMatch] = {}
        self._likeness: dict[str, float] = {}

    def read(self, evidence: Sequence[EvidenceItem]) -> None:
        """Read what is new, all sentences in one batch."""
        new = [item for item in evidence if item.node_id not in self._matches]
        if not new:
            return
        owners: list[str] = []
        texts: list[str] = []
        for item in new:
            self._matches[item.node_id] = self._terms.match(item.text)
            self._likeness[item.node_id] = 0.0
            for text in passages(item.text)[:MAX_SENTENCES]:
                owners.append(item.node_id)
                texts.append(text)
        if self._vector is None:
            vectors = self._encode([self._question, *texts])
            self._vector, vectors = vectors[0], vectors[1:]
        else:
            vectors = self._encode(texts)
        for owner, likeness in zip(owners, vectors @ self._vector, strict=True):
            self._likeness[owner] = max(self._likeness[owner], float(likeness))

    def match(self, node_id: str) -> WordMatch:
        """How the words of a text that was read match the question."""
        return self._matches[node_id]

    def score(self, node_id: str) -> float:
        """Score of a text that was read, 0..1.2, to add to the score of navigation."""
        match = self._matches[node_id]
        return NEARNESS_SHARE * match.nearness + ORDER_SHARE * match.order + SENTENCE_SHARE * self._likeness[node_id]


def passages(text: str) -> list[str]:
    """Sentences, short ones joined with what follows, long ones cut."""
    found: list[str] = []
    open_text = ""
    for sentence in split_sentences(text):
        open_text = f"{open_text} {sentence.text}".strip()
        if len(open_text) >= MIN_CHARACTERS:
            found.append(open_text[:MAX_CHARACTERS])
            open_text = ""
    if open_text:
        found.append(open_text[:MAX_CHARACTERS])
    return found
