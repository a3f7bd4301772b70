"""What a question asks, apart from what it says around it: "Consider the lease of May; how long is the notice? Answer in days." """

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assets_store.sentences import split_sentences

_CLAUSE_END = re.compile(r"(?<=[;；])\s*")
_QUESTION_MARKS = ("?", "？", "؟")
_CLOSING = "\"'”’»)）」』 "

# A question with fewer words of meaning ("How do I fix this?") leans on what was said before it.
MIN_WORDS = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """ask: the clauses to answer; the whole text where nothing can be left out. context: clauses before them, empty for none."""

    ask: str
    context: str = ""


def split_question(text: str, terms: Callable[[str], Sequence[object]]) -> Asked:
    """Set apart the clauses that end with a question mark. terms: text → its words of meaning.

    Instructions after the last of them are left out. Clauses before are context when the question can stand alone, and
    part of it otherwise.
    """
    clauses = [clause for sentence in split_sentences(text) for clause in _CLAUSE_END.split(sentence.text) if clause.strip()]
    asking = [clause.rstrip(_CLOSING).endswith(_QUESTION_MARKS) for clause in clauses]
    if not any(asking):
        return Asked(text)
    first, last = asking.index(True), len(asking) - asking[::-1].index(True)
    ask = " ".join(clause for clause, is_asking in zip(clauses, asking, strict=True) if is_asking)
    if len(terms(ask)) >= MIN_WORDS:
        return Asked(ask, " ".join(clauses[:first]))
    return Asked(" ".join(clauses[:last]))
