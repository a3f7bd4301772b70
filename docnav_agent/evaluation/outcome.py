"""What one system did for one question: the text that it fetched, its answer, what it took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from docnav_agent.answer import MARK
from docnav_agent.evidence import EvidenceItem


@dataclass(frozen=True, slots=True)
class Fetched:
    """One fetched paragraph. doc: name of the source file. step: of the run that fetched it, from 1. n_tokens: by the store's counter."""

    doc: str
    text: str
    page_start: int | None = None
    page_end: int | None = None
    section: tuple[str, ...] = ()
    node_id: str = ""
    n_tokens: int = 0
    step: int = 1

    @classmethod
    def of(cls, item: EvidenceItem) -> Fetched:
        """Of an item of evidence; nothing but FETCH makes one."""
        return cls(item.doc, item.text, item.page_start, item.page_end, item.section, item.node_id, item.n_tokens, item.step)


@dataclass(frozen=True, slots=True)
class Outcome:
    """evidence: best first.

    answer: None where none was asked for. answered: whether it answers and every citation resolves; an abstention does not.
    choice: label of the option that was chosen; verdict: of a true-or-false question; None for none.
    seconds: wall clock; cost: money by the prices of the settings. error: why it failed, empty where it did not; a question that
    failed has no evidence and no answer, and every metric gives it the worst that it has.
    """

    evidence: tuple[Fetched, ...] = ()
    answer: str | None = None
    answered: bool = False
    choice: str | None = None
    verdict: bool | None = None
    stop_reason: str = ""
    steps: int = 0
    llm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    error: str = ""

    @property
    def failed(self) -> bool:
        return bool(self.error)

    @property
    def said(self) -> str:
        """The answer as a reader would say it, without marks of citations; empty where there is none."""
        return " ".join(MARK.sub("", self.answer or "").split()) if self.answered else ""

    @property
    def evidence_tokens(self) -> int:
        return total_tokens(self.evidence)


def total_tokens(evidence: Sequence[Fetched]) -> int:
    """Tokens of fetched text, by the store's counter."""
    return sum(item.n_tokens for item in evidence)
