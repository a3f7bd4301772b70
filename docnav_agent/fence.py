"""Text of documents in prompts: put between named marks as data, with nothing in it that could close them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from assets_store.sentences import one_line
from assets_store.terminal import printable

FENCES = ("question", "option", "options", "statement", "note", "result", "text", "nodes", "evidence")
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
