"""The extractive answer: sentences of fetched evidence, word for word, each with its mark.

`write_answer` receives the question and evidence, nothing else: no card, no snippet, no note. It reads the `text` of each
item only; document, section, pages and boxes come in when a mark is resolved to a citation.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from assets_store.sentences import one_line, split_sentences
from docnav_agent.answer import Draft, Encode, Quote, Tokenize, rendered
from docnav_agent.asked import split_question
from docnav_agent.evidence import EvidenceItem

_WORD = re.compile(r"[^\W_]+(?:[-'’./_][^\W_]+)*")

MAX_SENTENCES = 4
MAX_ITEMS = 12
# A unit of text with more words than this is no sentence to quote whole; it is still quoted, but scored by its share.
LONG_SENTENCE_WORDS = 60
SHORT_SENTENCE_WORDS = 30
MAX_ENCODED = 64

# Shares of the score of a sentence, and what each rank of its evidence costs.
SENTENCE_SHARE = 0.40
CONTEXT_SHARE = 0.20
LIKENESS_SHARE = 0.40
PLACE_LOSS = 0.03
# Below this score no sentence is an answer; a further sentence must come near the best one and say something else.
MIN_SCORE = 0.30
RELATIVE_SCORE = 0.70
MAX_OVERLAP = 0.8


@dataclass(slots=True)
class _Candidate:
    item: int
    row: int
    text: str
    start: int
    terms: frozenset[str]
    score: float = 0.0


def write_answer(question: str, evidence: Sequence[EvidenceItem], tokenize: Tokenize, encode: Encode | None = None) -> Draft:
    """Quote the sentences that say most of what the question asks, or abstain.

    evidence: best first; only its `text` is read. tokenize: text → search terms, as a question is analysed.
    encode: texts → unit rows; without it words alone decide.
    Raises TypeError for anything that is no EvidenceItem: navigation output cannot carry an answer.
    """
    for item in evidence:
        if not isinstance(item, EvidenceItem):
            raise TypeError(f"an answer is made of EvidenceItem only, found {type(item).__name__}; FETCH the node first")
    ask = split_question(question, lambda text: list(question_words(text, tokenize))).ask
    words = question_words(ask, tokenize)
    texts = [item.text for item in evidence]
    terms = [frozenset(tokenize(text)) for text in texts]
    missing = tuple(missing_words(words, terms))
    candidates = _candidates(texts[:MAX_ITEMS], tokenize)
    if not candidates or not words:
        return Draft("", (), missing)
    weights = _weights(words, candidates)
    _score(ask, candidates, weights, terms, encode)
    chosen = _choose(candidates)
    if not chosen:
        return Draft("", (), missing)
    quotes = tuple(Quote(evidence[c.item].evidence_id, c.text, c.start, round(c.score, 4)) for c in chosen)
    return Draft(" ".join(f"{rendered(q.text)} [{q.evidence_id}]" for q in quotes), quotes, missing)


def question_words(question: str, tokenize: Tokenize) -> dict[str, tuple[str, ...]]:
    """Words of a question that carry meaning → their search terms, as written, in order."""
    words: dict[str, tuple[str, ...]] = {}
    for match in _WORD.finditer(question):
        terms = tuple(tokenize(match.group()))
        if terms and match.group() not in words:
            words[match.group()] = terms
    return words


def missing_words(words: dict[str, tuple[str, ...]], terms: Sequence[frozenset[str]]) -> list[str]:
    """Words of a question none of whose terms stands in a text. terms: of each text."""
    held = frozenset().union(*terms)
    return [word for word, own in words.items() if not any(term in held for term in own)]


def _candidates(texts: Sequence[str], tokenize: Tokenize) -> list[_Candidate]:
    seen: set[str] = set()
    found = []
    for number, text in enumerate(texts):
        for row, sentence in enumerate(split_sentences(text)):
            key = one_line(sentence.text).casefold()
            if key not in seen and any(character.isalnum() for character in key):
                seen.add(key)
                found.append(_Candidate(number, row, sentence.text, sentence.start, frozenset(tokenize(sentence.text))))
    return found


def _weights(words: dict[str, tuple[str, ...]], candidates: Sequence[_Candidate]) -> dict[str, float]:
    """Question term → weight; a term that few sentences hold weighs more. The weights add up to 1."""
    counts = Counter(term for candidate in candidates for term in candidate.terms)
    raw = {term: math.log(1 + len(candidates) / (0.5 + counts[term])) for terms in words.values() for term in terms}
    total = sum(raw.values())
    return {term: weight / total for term, weight in raw.items()}


def _coverage(terms: frozenset[str], weights: dict[str, float]) -> float:
    return sum(weight for term, weight in weights.items() if term in terms)


def _score(
    question: str, candidates: Sequence[_Candidate], weights: dict[str, float], terms: Sequence[frozenset[str]], encode: Encode | None
) -> None:
    """Set the score of each candidate, 0..1: terms in the sentence, terms in its paragraph, likeness to the question, place."""
    around = {number: _coverage(terms[number], weights) for number in {c.item for c in candidates}}
    for candidate in candidates:
        candidate.score = SENTENCE_SHARE * _coverage(candidate.terms, weights) + CONTEXT_SHARE * around[candidate.item]
    if encode is None:
        scale = SENTENCE_SHARE + CONTEXT_SHARE
        for candidate in candidates:
            candidate.score /= scale
    else:
        # Only the best by words are compared by meaning: one batch of short texts, whatever the evidence weighs.
        short = sorted(range(len(candidates)), key=lambda row: (-candidates[row].score * _place(candidates[row]), row))[:MAX_ENCODED]
        vectors = encode([question, *(candidates[row].text for row in short)])
        for row, likeness in zip(short, vectors[1:] @ vectors[0], strict=True):
            candidates[row].score += LIKENESS_SHARE * max(0.0, float(likeness))
    for candidate in candidates:
        candidate.score *= _place(candidate)


def _place(candidate: _Candidate) -> float:
    """Factor for the rank of the evidence, and for text too long to be a sentence."""
    words = len(candidate.text.split())
    return (1.0 - PLACE_LOSS * candidate.item) * math.sqrt(min(1.0, LONG_SENTENCE_WORDS / max(words, 1)))


def _choose(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """Sentences to quote in reading order: the best one, then those near it in score that say something else."""
    left = sorted(candidates, key=lambda c: (-c.score, c.item, c.start))
    if not left or left[0].score < MIN_SCORE:
        return []
    chosen = [left[0]]
    for candidate in left[1:]:
        if len(chosen) == MAX_SENTENCES:
            break
        if candidate.score < RELATIVE_SCORE * chosen[0].score:
            break
        if all(_overlap(candidate.terms, other.terms) < MAX_OVERLAP for other in chosen):
            chosen.append(candidate)
    return _without_gaps(sorted(chosen, key=lambda c: (c.item, c.start)), {(c.item, c.row): c for c in candidates})


def _without_gaps(chosen: Sequence[_Candidate], by_place: dict[tuple[int, int], _Candidate]) -> list[_Candidate]:
    """The chosen sentences with a short one that stands alone between two of them: the middle step of a procedure."""
    filled: list[_Candidate] = []
    for candidate in chosen:
        between = by_place.get((candidate.item, candidate.row - 1))
        last = filled[-1] if filled else None
        is_gap = last is not None and last.item == candidate.item and last.row == candidate.row - 2
        if is_gap and between is not None and len(between.text.split()) <= SHORT_SENTENCE_WORDS:
            filled.append(between)
        filled.append(candidate)
    return filled


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, min(len(one), len(other)))
