"""The extractive answer: sentences of fetched evidence with marks, the citations behind them, and their check.

Draft, Citation and Answer are those of a written answer (`docnav_agent.written_answer`) too.

`write_answer` receives the question and evidence, nothing else: no card, no snippet, no note. It reads the `text` of each
item only; document, section, pages and boxes come in when a mark is resolved to a citation.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assets_store.sentences import one_line, split_sentences
from docnav_agent.asked import split_question
from docnav_agent.evidence import EvidenceItem

if TYPE_CHECKING:
    from docnav_agent.graph import Graph

Tokenize = Callable[[str], Sequence[str]]
Encode = Callable[[Sequence[str]], NDArray[np.float32]]

MARK = re.compile(r"\[(E\d{2,})\]")
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


@dataclass(frozen=True, slots=True)
class Quote:
    """One quoted sentence. text: as it stands in the evidence; start: character in the evidence text."""

    evidence_id: str
    text: str
    start: int
    score: float


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A written sentence that its evidence does not carry, with what it cited and why."""

    text: str
    evidence: tuple[str, ...]
    fault: str

    def row(self) -> dict[str, Any]:
        return {"text": self.text, "evidence": list(self.evidence), "fault": self.fault}


@dataclass(frozen=True, slots=True)
class Draft:
    """What the answer step wrote. text: sentences, each with its marks.

    quotes: source sentences behind it; an extractive draft without one abstains. missing: what no fetched text holds.
    by: `extractive` or `llm`. carried: whether evidence carries a written answer. choice: label of the option that was chosen;
    verdict: of a true-or-false question. unsupported: sentences apart from the answer, or marked in it. attributed: sentences whose
    citation was wrong and was mended.
    """

    text: str
    quotes: tuple[Quote, ...]
    missing: tuple[str, ...]
    by: str = "extractive"
    carried: bool = False
    choice: str | None = None
    verdict: bool | None = None
    unsupported: tuple[Unsupported, ...] = ()
    attributed: int = 0

    @property
    def answers(self) -> bool:
        return self.carried if self.by == "llm" else bool(self.quotes)


@dataclass(frozen=True, slots=True)
class Citation:
    """Where a mark leads: evidence id → node → document, section path, pages and boxes."""

    evidence_id: str
    node_id: str
    doc: str
    doc_id: str
    section: tuple[str, ...]
    page_start: int | None
    page_end: int | None
    boxes: tuple[dict[str, Any], ...]
    quote: str

    def row(self) -> dict[str, Any]:
        return {
            "evidence_id": self.evidence_id,
            "node_id": self.node_id,
            "doc": self.doc,
            "doc_id": self.doc_id,
            "section": list(self.section),
            "page_start": self.page_start,
            "page_end": self.page_end,
            "boxes": list(self.boxes),
            "quote": self.quote,
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one question.

    answered: whether evidence carries it. problems: citations that do not resolve. answer_by: `extractive` or `llm`.
    unsupported: written sentences that evidence does not carry; they are not in the answer, or marked in it.
    back_offs: where something simpler went on in place of the language model. tokens: read and written by a model; cost: of them.
    """

    question: str
    answer: str
    citations: tuple[Citation, ...]
    stop_reason: str
    missing: tuple[str, ...]
    answered: bool
    system: str
    controller: str
    snapshot: str
    run_dir: str | None
    steps: int
    llm_calls: int
    tokens: int
    evidence_tokens: int
    seconds: float
    problems: tuple[str, ...] = ()
    evidence: tuple[EvidenceItem, ...] = field(default=(), repr=False)
    answer_by: str = "extractive"
    choice: str | None = None
    verdict: bool | None = None
    unsupported: tuple[Unsupported, ...] = ()
    back_offs: tuple[str, ...] = ()
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0

    def row(self) -> dict[str, Any]:
        """The shape of `ask --json` and of `answer.json`."""
        return {
            "question": self.question,
            "answer": self.answer,
            "answered": self.answered,
            "citations": [citation.row() for citation in self.citations],
            "stop_reason": self.stop_reason,
            "missing": list(self.missing),
            "problems": list(self.problems),
            "answer_by": self.answer_by,
            "choice": self.choice,
            "verdict": self.verdict,
            "unsupported": [sentence.row() for sentence in self.unsupported],
            "back_offs": list(self.back_offs),
            "system": self.system,
            "controller": self.controller,
            "snapshot": self.snapshot,
            "run_dir": self.run_dir,
            "steps": self.steps,
            "llm_calls": self.llm_calls,
            "tokens": self.tokens,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "cost": self.cost,
            "evidence_tokens": self.evidence_tokens,
            "seconds": round(self.seconds, 3),
        }


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
    return Draft(" ".join(f"{_rendered(q.text)} [{q.evidence_id}]" for q in quotes), quotes, missing)


def cite(draft: Draft, evidence: Sequence[EvidenceItem]) -> tuple[Citation, ...]:
    """One citation per mark of the draft that has evidence, in order of first use; `check` reports the others."""
    items = {item.evidence_id: item for item in evidence}
    quotes: dict[str, list[str]] = {}
    for quote in draft.quotes:
        quotes.setdefault(quote.evidence_id, []).append(quote.text)
    citations = []
    for name in dict.fromkeys(MARK.findall(draft.text)):
        if name in items:
            item = items[name]
            boxes = tuple(box.model_dump(mode="json") for box in item.boxes)
            citations.append(
                Citation(
                    name,
                    item.node_id,
                    item.doc,
                    item.doc_id,
                    item.section,
                    item.page_start,
                    item.page_end,
                    boxes,
                    "\n".join(quotes.get(name, [])),
                )
            )
    return tuple(citations)


def check(draft: Draft, evidence: Sequence[EvidenceItem], graph: Graph | None = None) -> tuple[str, ...]:
    """What does not hold, one line each; empty when every mark and quote resolves.

    Checked: each mark names evidence; each quote stands in that evidence's text where it says and, in an extractive answer, in the
    answer with its mark; with a graph, the evidence is text of its node.
    """
    items = {item.evidence_id: item for item in evidence}
    problems = [f"[{name}] names no evidence of this run" for name in dict.fromkeys(MARK.findall(draft.text)) if name not in items]
    for quote in draft.quotes:
        item = items.get(quote.evidence_id)
        if item is None:
            problems.append(f"quote {one_line(quote.text)[:60]!r} names {quote.evidence_id}, which is no evidence of this run")
            continue
        if item.text[quote.start : quote.start + len(quote.text)] != quote.text:
            problems.append(f"quote {one_line(quote.text)[:60]!r} does not stand in {quote.evidence_id} at character {quote.start}")
        if draft.by == "extractive" and f"{_rendered(quote.text)} [{quote.evidence_id}]" not in draft.text:
            problems.append(f"quote {one_line(quote.text)[:60]!r} of {quote.evidence_id} is not in the answer")
    if graph is not None:
        for name in dict.fromkeys((*MARK.findall(draft.text), *(quote.evidence_id for quote in draft.quotes))):
            item = items.get(name)
            # A snippet, of a run without fetching, is a piece of its node.
            text = graph.paragraph(item.node_id).text if item is not None else ""
            if item is not None and not (item.text in text if item.level == "snippet" else item.text == text):
                problems.append(f"{name} is not the text of node {item.node_id!r}")
    return tuple(problems)


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


def _rendered(text: str) -> str:
    """A quote on one line, without bullets and cell borders around it.

    What looks like a mark in source text gets round brackets, or a document could cite for us.
    """
    line = one_line(text)
    return MARK.sub(r"(\1)", line.strip("|*•‣▪- ") or line)


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
