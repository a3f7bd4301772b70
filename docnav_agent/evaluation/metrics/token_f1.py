"""Token-F1 of an answer: overlap of its words with those of a reference answer, as SQuAD counts it.

Both texts lose case, punctuation and the articles a, an, the; letters of scripts without spaces count one by one. F1 = 2·P·R / (P + R)
over the bags of words, the best over all references, 0..1. No answer, an abstention and a question that failed have 0; so has an answer
without a word. Applies to open questions with a reference that has a word. Source: Rajpurkar et al., EMNLP 2016.
"""

from __future__ import annotations

from collections import Counter

from docnav_agent.evaluation.case import Case
from docnav_agent.evaluation.metrics.base import Measured, MetricSettings, Statistic, Tools, mean_of
from docnav_agent.evaluation.outcome import Outcome
from docnav_agent.evaluation.words import words

NAME = "token_f1"
_ARTICLES = frozenset({"a", "an", "the"})


def answer_words(text: str) -> list[str]:
    """Words of an answer that count."""
    return [word for word in words(text) if word not in _ARTICLES]


def token_f1(answer: str, reference: str) -> float:
    """F1 of two texts, 0..1; 0 where either has no word."""
    said, wanted = Counter(answer_words(answer)), Counter(answer_words(reference))
    same = sum((said & wanted).values())
    return 2 * same / (said.total() + wanted.total()) if same else 0.0


class TokenF1:
    name = NAME
    version = "1"

    @property
    def statistics(self) -> list[Statistic]:
        return [mean_of(NAME, "token F1", "Overlap of the words of answer and reference answer, without case, punctuation and articles.")]

    def columns(self, case: Case) -> tuple[str, ...]:
        return (NAME,) if case.question.form == "open" and any(answer_words(text) for text in case.references) else ()

    def measure(self, case: Case, outcome: Outcome, tools: Tools) -> Measured:
        return Measured({NAME: max(token_f1(outcome.said, text) for text in case.references)} if self.columns(case) else {})


def make_metric(settings: MetricSettings) -> TokenF1:
    """No setting concerns it."""
    return TokenF1()
