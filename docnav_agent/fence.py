"""Text of documents in prompts: put between named marks as data, with nothing in it that could close them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from assets_store.sentences import one_line
from assets_store.terminal import printable
from docnav_agent.excerpt import cut

if TYPE_CHECKING:
    from docnav_agent.systems import Question

FENCES = ("history", "question", "option", "options", "statement", "note", "result", "text", "nodes", "evidence", "references")
MAX_TURNS = 4
_TAG = re.compile(rf"<(?=\s*/?\s*(?:{'|'.join(FENCES)})\b)", re.IGNORECASE)


def fenced(name: str, lines: Iterable[str]) -> str:
    """Lines of data between `<name>` and `</name>`."""
    assert name in FENCES
    return "\n".join((f"<{name}>", *lines, f"</{name}>"))


def data_line(text: str) -> str:
    """Text on one line that opens and closes no fence and holds no control characters."""
    return harmless(one_line(text))


def harmless(text: str) -> str:
    """Text whose marks of a fence are broken: `‹/text>` for `</text>`."""
    return _TAG.sub("‹", printable(text))


def asked_lines(question: Question, question_tokens: int, option_tokens: int) -> list[str]:
    """A question for a prompt: its last turns, itself and its options, each in a fence of its own and cut to its tokens."""
    blocks = []
    if question.history:
        turns = question.history[-MAX_TURNS:]
        blocks.append(fenced("history", (f"{turn.speaker}: {cut(data_line(turn.text), question_tokens // 4)}" for turn in turns)))
    blocks.append(fenced("question", [cut(data_line(question.text), question_tokens)]))
    if question.options:
        lines = (f"{option.label}: {cut(data_line(option.text), option_tokens // len(question.options))}" for option in question.options)
        blocks.append(fenced("statement" if question.form == "true_false" else "options", lines))
    return blocks
