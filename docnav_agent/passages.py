"""The prompt of a call that sees a question and evidence, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from assets_store.tokens import count_tokens
from docnav_agent.answer import MARK
from docnav_agent.evidence import EvidenceItem
from docnav_agent.excerpt import excerpt
from docnav_agent.fence import asked_lines, data_line, fenced, harmless

if TYPE_CHECKING:
    from docnav_agent.systems import Question

QUESTION_TOKENS = 800
OPTIONS_TOKENS = 1200
MIN_PIECE = 60


def evidence_prompt(
    question: Question, evidence: Sequence[EvidenceItem], limit: int, tokenize: Callable[[str], Sequence[str]]
) -> tuple[str, tuple[EvidenceItem, ...]]:
    """Question, options and passages in at most `limit` tokens, and the evidence that is in them.

    evidence: best first; whole passages as long as they fit, then one more as its best sentences. Only `text` is read.
    Raises TypeError for anything that is no EvidenceItem: navigation output cannot carry an answer.
    """
    for item in evidence:
        if not isinstance(item, EvidenceItem):
            raise TypeError(f"an answer is made of EvidenceItem only, found {type(item).__name__}; FETCH the node first")
    head = asked_lines(question, min(QUESTION_TOKENS, limit // 4), min(OPTIONS_TOKENS, limit // 3))
    left = limit - count_tokens("\n".join(head)) - 20
    terms = tokenize(question.text)
    lines = []
    used: list[EvidenceItem] = []
    for item in evidence:
        # A passage that prints a mark itself must not look like two passages.
        text = MARK.sub(r"(\1)", harmless(item.text))
        if count_tokens(text) + 6 > left:
            if left < MIN_PIECE and used:
                break
            text = data_line(excerpt(text, terms, tokenize, max(MIN_PIECE, left - 6)))
        lines.append(f"[{item.evidence_id}] {text}")
        used.append(item)
        left -= count_tokens(lines[-1])
    return "\n".join((*head, fenced("evidence", lines), "Reply with one JSON object.")), tuple(used)
