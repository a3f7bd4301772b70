"""How well a text matches a question by words: share of the question's weight that it holds, near together, and in order."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

# Scripts without spaces are looked at by pairs of characters, as the analyser indexes them.
_UNSPACED = "\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_WORD = re.compile(rf"[{_UNSPACED}]+|[^\W_{_UNSPACED}]+(?:[-'’./_&@][^\W_{_UNSPACED}]+)*")
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")

# Content words that a matching passage of a text spans; of 8, 12 and 20 the best on questions over manuals and articles.
WINDOW = 12


class Terms:
    """Words of a text as the index knows them. tokenize: text → search terms; its results are kept per word."""

    def __init__(self, tokenize: Callable[[str], Sequence[str]]) -> None:
        self._tokenize = tokenize
        self._known: dict[str, tuple[str, ...]] = {}

    def __call__(self, text: str) -> list[tuple[str, tuple[str, ...]]]:
        """(word as written, its terms) in order; words without terms (stop words, marks) are left out."""
        found = []
        for match in _WORD.finditer(text):
            run = match.group()
            for word in _pairs(run) if _IS_UNSPACED.match(run) else (run,):
                terms = self._known.get(word)
                if terms is None:
                    terms = self._known[word] = tuple(self._tokenize(word))
                if terms:
                    found.append((word, terms))
        return found


@dataclass(frozen=True, slots=True)
class WordMatch:
    """How a text matches a question, each 0..1. words: positions of the question's words that the text holds."""

    coverage: float
    nearness: float
    order: float
    words: frozenset[int]


class QuestionTerms:
    """The words of a question with their weights, and how texts match them.

    idf: search term → weight, 0 for one that the corpus does not hold. A word weighs what its rarest known term weighs.
    words: as written, in order, repeats left out; weights: of the same words, adding up to 1 where any is known.
    """

    def __init__(self, question: str, terms: Terms, idf: Callable[[str], float]) -> None:
        self._terms = terms
        own: dict[tuple[str, ...], str] = {}
        for word, variants in terms(question):
            own.setdefault(variants, word)
        self.words = list(own.values())
        raw = [max((idf(term) for term in variants), default=0.0) for variants in own]
        total = sum(raw) or 1.0
        self.weights = [weight / total for weight in raw]
        self._position = {term: position for position, variants in enumerate(own) for term in variants}
        # Neighbours that both are known; weighed by both.
        pairs = [(i, i + 1) for i in range(len(self.words) - 1) if self.weights[i] and self.weights[i + 1]]
        mass = sum(self.weights[i] + self.weights[j] for i, j in pairs) or 1.0
        self._pairs = {(i, j): (self.weights[i] + self.weights[j]) / mass for i, j in pairs}

    def unknown(self) -> list[str]:
        """Words that stand nowhere in the corpus."""
        return [word for word, weight in zip(self.words, self.weights, strict=True) if not weight]

    def match(self, text: str) -> WordMatch:
        """How a text matches. Texts of n words cost O(n)."""
        places: list[tuple[int, int]] = []
        for place, (_, variants) in enumerate(self._terms(text)):
            position = next((self._position[term] for term in variants if term in self._position), None)
            if position is not None:
                places.append((place, position))
        held = frozenset(position for _, position in places)
        in_order = {(a, b) for (at, a), (then, b) in pairwise(places) if then - at == 1}
        order = sum(weight for pair, weight in self._pairs.items() if pair in in_order)
        return WordMatch(self._mass(held), self._nearness(places), order, held)

    def _mass(self, positions: frozenset[int]) -> float:
        return sum(self.weights[position] for position in positions)

    def _nearness(self, places: Sequence[tuple[int, int]]) -> float:
        """Greatest weight of distinct words within WINDOW content words."""
        best = mass = 0.0
        inside = dict.fromkeys(range(len(self.words)), 0)
        first = 0
        for place, position in places:
            inside[position] += 1
            if inside[position] == 1:
                mass += self.weights[position]
            while place - places[first][0] > WINDOW:
                left = places[first][1]
                inside[left] -= 1
                if not inside[left]:
                    mass -= self.weights[left]
                first += 1
            best = max(best, mass)
        return min(1.0, best)


def _pairs(run: str) -> list[str]:
    return [run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]
