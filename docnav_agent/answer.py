"""An answer: drafts of quoted or written sentences with marks, the citations behind the marks, and their check."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assets_store.sentences import one_line
from docnav_agent.evidence import EvidenceItem

if TYPE_CHECKING:
    from docnav_agent.graph import Graph

Tokenize = Callable[[str], Sequence[str]]
Encode = Callable[[Sequence[str]], NDArray[np.float32]]

MARK = re.compile(r"\[(E\d{2,})\]")


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
        if draft.by == "extractive" and f"{rendered(quote.text)} [{quote.evidence_id}]" not in draft.text:
            problems.append(f"quote {one_line(quote.text)[:60]!r} of {quote.evidence_id} is not in the answer")
    if graph is not None:
        for name in dict.fromkeys((*MARK.findall(draft.text), *(quote.evidence_id for quote in draft.quotes))):
            item = items.get(name)
            # A snippet, of a run without fetching, is a piece of its node.
            text = graph.paragraph(item.node_id).text if item is not None else ""
            if item is not None and not (item.text in text if item.level == "snippet" else item.text == text):
                problems.append(f"{name} is not the text of node {item.node_id!r}")
    return tuple(problems)


def rendered(text: str) -> str:
    """A quote on one line, without bullets and cell borders around it.

    What looks like a mark in source text gets round brackets, or a document could cite for us.
    """
    line = one_line(text)
    return MARK.sub(r"(\1)", line.strip("|*•‣▪- ") or line)
