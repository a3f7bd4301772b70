"""Evidence recall, all found, and precision at token budgets.

Evidence counts in its order up to a budget of words; what passes it is cut, in the middle of an item. A gold item is found when

- it has text, and at least 60 % of the word trigrams of the text (single words, where it has fewer than four) stand in the evidence of
  its document;
- it has a page only, and an item of its document that spans at most two pages covers it with at least 20 words inside the budget.

recall@B       share of the gold items found, 0..1            all@B    1 where every one is found
precision@B    share of the words used that stand in a gold trigram of their document, or on a gold page where gold is a page; 0 for none
words@B        words used, for comparison: at most B

Applies to questions with located gold that are not marked unanswerable. A question that failed has 0 everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from docnav_agent.evaluation.case import Case, Gold
from docnav_agent.evaluation.metrics.base import Measured, MetricSettings, Statistic, Tools, mean_of
from docnav_agent.evaluation.outcome import Fetched, Outcome
from docnav_agent.evaluation.words import Gram, gram_length, grams, stem, words

FOUND_SHARE = 0.6
MAX_PAGES = 2
MIN_PAGE_WORDS = 20


@dataclass(frozen=True, slots=True)
class Piece:
    """What a budget holds of one item. tokens: its words inside the budget. pages: those it can cover, as it spans few enough."""

    doc: str
    tokens: tuple[str, ...]
    pages: range
    step: int


def within(evidence: Sequence[Fetched], budget: int | None) -> Iterator[Piece]:
    """Pieces of evidence inside a budget of words, in order; None is no limit. Items without a word take no room."""
    used = 0
    for item in evidence:
        if budget is not None and used >= budget:
            return
        tokens = words(item.text)
        if budget is not None:
            tokens = tokens[: budget - used]
        if tokens:
            used += len(tokens)
            yield Piece(stem(item.doc), tuple(tokens), _pages(item, len(tokens)), item.step)


def _pages(item: Fetched, n_words: int) -> range:
    first, last = item.page_start, item.page_end or item.page_start
    if first is None or last is None or last - first >= MAX_PAGES or n_words < MIN_PAGE_WORDS:
        return range(0)
    return range(first, last + 1)


class Wanted:
    """One gold item, and how much of it has been seen so far."""

    def __init__(self, gold: Gold) -> None:
        self.doc = stem(gold.doc)
        self.page = gold.page
        tokens = words(gold.text)
        self.length = gram_length(tokens)
        self.grams: set[Gram] = grams(tokens, self.length)
        self._seen: set[Gram] = set()
        self._on_page = False

    def look(self, piece: Piece) -> None:
        """Look at a piece of evidence."""
        if piece.doc == self.doc:
            if self.grams:
                self._seen |= self.grams & grams(piece.tokens, self.length)
            self._on_page = self._on_page or self.page in piece.pages

    @property
    def found(self) -> bool:
        return len(self._seen) / len(self.grams) >= FOUND_SHARE if self.grams else self._on_page

    def share(self, piece: Piece) -> float:
        """Share of it that stands in one piece, 0..1."""
        if piece.doc != self.doc:
            return 0.0
        return len(self.grams & grams(piece.tokens, self.length)) / len(self.grams) if self.grams else float(self.page in piece.pages)

    def places(self, piece: Piece) -> set[int]:
        """Places of the words of a piece that belong to it."""
        if piece.doc != self.doc:
            return set()
        if not self.grams:
            return set(range(len(piece.tokens))) if self.page in piece.pages else set()
        found: set[int] = set()
        for at in range(len(piece.tokens) - self.length + 1):
            if piece.tokens[at : at + self.length] in self.grams:
                found.update(range(at, at + self.length))
        return found


class Evidence:
    """budgets: words."""

    name = "evidence"
    version = "1"

    def __init__(self, budgets: Sequence[int]) -> None:
        self.budgets = tuple(sorted(set(budgets)))

    @property
    def statistics(self) -> list[Statistic]:
        by_budget = (
            ("recall", "recall @{}", "Share of gold evidence within the first {} words of evidence, mean over questions.", "higher"),
            ("all", "all found @{}", "Share of questions with all of their gold evidence within the first {} words.", "higher"),
            ("precision", "precision @{}", "Share of the first {} words of evidence that are gold.", "higher"),
            ("words", "words used @{}", "Words of evidence used, at most {}.", "neither"),
        )
        return [
            mean_of(f"{name}@{budget}", title.format(budget), text.format(budget), better)  # type: ignore[arg-type]
            for name, title, text, better in by_budget
            for budget in self.budgets
        ]

    def columns(self, case: Case) -> tuple[str, ...]:
        return tuple(statistic.name for statistic in self.statistics) if case.located else ()

    def measure(self, case: Case, outcome: Outcome, tools: Tools) -> Measured:
        values: dict[str, float] = {}
        for budget in self.budgets if case.located else ():
            wanted = [Wanted(gold) for gold in case.located]
            used = gold_words = 0
            for piece in within(outcome.evidence, budget):
                used += len(piece.tokens)
                gold_words += len({place for want in wanted for place in want.places(piece)})
                for want in wanted:
                    want.look(piece)
            found = [want.found for want in wanted]
            values[f"recall@{budget}"] = sum(found) / len(found)
            values[f"all@{budget}"] = float(all(found))
            values[f"precision@{budget}"] = gold_words / used if used else 0.0
            values[f"words@{budget}"] = float(used)
        return Measured(values)


def make_metric(settings: MetricSettings) -> Evidence:
    """At the budgets of the settings."""
    return Evidence(settings.budgets)
