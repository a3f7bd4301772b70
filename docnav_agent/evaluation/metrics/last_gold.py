"""How far one has to go until the last gold item is found: words read, and steps of the run.

reached                 1 where all gold is found in the evidence as a whole, else 0
words_to_last_gold      words of evidence, in the order of the ranking, up to the end of the item with which the last gold item is found
steps_to_last_gold      the first step after which all that was fetched so far holds all gold

The two distances exist only where all gold is found: no number of words is right for a question where it never is, and 0 would be the
best one. They are medians over those questions; how many these are, says `reached`. A question that failed is not reached.
"""

from __future__ import annotations

from collections.abc import Iterable

from docnav_agent.evaluation.case import Case
from docnav_agent.evaluation.metrics.base import Measured, MetricSettings, Statistic, Tools, mean_of
from docnav_agent.evaluation.metrics.evidence import Piece, Wanted, within
from docnav_agent.evaluation.outcome import Outcome

REACHED, WORDS, STEPS = "reached", "words_to_last_gold", "steps_to_last_gold"


class LastGold:
    name = "last_gold"
    version = "1"

    @property
    def statistics(self) -> list[Statistic]:
        return [
            mean_of(REACHED, "reached", "Share of questions of which all gold evidence was fetched, at any length."),
            _median(WORDS, "words to last gold", "Median words of evidence up to the last gold item, where reached."),
            _median(STEPS, "steps to last gold", "Median steps until the last gold item was fetched, where reached."),
        ]

    def columns(self, case: Case) -> tuple[str, ...]:
        return (REACHED,) if case.located else ()

    def measure(self, case: Case, outcome: Outcome, tools: Tools) -> Measured:
        if not case.located:
            return Measured({})
        pieces = list(within(outcome.evidence, None))
        ranked = _first_complete(case, pieces)
        if ranked is None:
            return Measured({REACHED: 0.0})
        by_step = sorted(pieces, key=lambda piece: piece.step)
        fetched = _first_complete(case, by_step)
        assert fetched is not None
        n_words = sum(len(piece.tokens) for piece in pieces[: ranked + 1])
        return Measured({REACHED: 1.0, WORDS: float(n_words), STEPS: float(by_step[fetched].step)})


def _median(name: str, title: str, definition: str) -> Statistic:
    return Statistic(name, title, definition, ((name, ""),), "lower", median=True)


def _first_complete(case: Case, pieces: Iterable[Piece]) -> int | None:
    """Place of the piece with which all gold is found; None where it never is."""
    wanted = [Wanted(gold) for gold in case.located]
    for place, piece in enumerate(pieces):
        for want in wanted:
            want.look(piece)
        if all(want.found for want in wanted):
            return place
    return None


def make_metric(settings: MetricSettings) -> LastGold:
    """No setting concerns it."""
    return LastGold()
