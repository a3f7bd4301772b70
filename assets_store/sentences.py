"""Sentences of a source text as spans, so that a quoted sentence stands in its text character by character.

A line that is a list item, a table row or a title is a sentence of its own; lines that run on are joined to sentences.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# An end: a mark with its closing quotes or brackets, then white space; or a CJK mark, which needs none.
_END = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s)|[。！？；]+[”’」』）]*")
_LIST_ITEM = re.compile(r"\s*(?:[-*•‣▪·–—]|\(?\d{1,3}[.)]|\(?[A-Za-z][.)])\s+\S")
_TABLE_ROW = re.compile(r".*\S\s*\|\s*\S.*|\s*\|.*")
# Words before a full stop that ends no sentence.
_SHORTENED = """al approx art bd ca cf ch co corp dept dr e.g ed eds eg eq est et etc fig figs gen i.e ie inc jan feb mar apr jun
jul aug sep sept oct nov dec jr lt ltd max min mr mrs ms no nos nr op p para pp pt prof ref rev sec sect sen sr st tab u.k u.s viz
vol vs z.b"""
_ABBREVIATIONS = frozenset(_SHORTENED.split())
_LAST_WORD = re.compile(r"([\w.]+)$")


@dataclass(frozen=True, slots=True)
class Sentence:
    """text: as it stands at start..end of its source, without white space around it."""

    text: str
    start: int
    end: int


def split_sentences(text: str) -> list[Sentence]:
    """Sentences in order. Together they hold every character of the text that is no white space."""
    found: list[Sentence] = []
    for start, end in _runs(text):
        begin = start
        for match in _END.finditer(text, start, end):
            if match.group()[0] in ".!?…" and not _ends_sentence(text, begin, match, end):
                continue
            _append(found, text, begin, match.end())
            begin = match.end()
        _append(found, text, begin, end)
    return found


def one_line(text: str) -> str:
    """Text with every run of white space as one space."""
    return " ".join(text.split())


def _append(found: list[Sentence], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    stripped = piece.strip()
    if stripped:
        begin = start + len(piece) - len(piece.lstrip())
        found.append(Sentence(stripped, begin, begin + len(stripped)))


def _runs(text: str) -> list[tuple[int, int]]:
    """Spans that sentences cannot cross: list items, table rows, and paragraphs between empty lines."""
    runs: list[tuple[int, int]] = []
    open_at: int | None = None
    position = 0
    for line in text.splitlines(keepends=True):
        start, position = position, position + len(line)
        if not line.strip():
            if open_at is not None:
                runs.append((open_at, start))
                open_at = None
            continue
        if _TABLE_ROW.fullmatch(line.rstrip("\r\n")):
            if open_at is not None:
                runs.append((open_at, start))
                open_at = None
            runs.append((start, position))
            continue
        if open_at is not None and _LIST_ITEM.match(line):
            runs.append((open_at, start))
            open_at = None
        if open_at is None:
            open_at = start
    if open_at is not None:
        runs.append((open_at, position))
    return runs


def _ends_sentence(text: str, begin: int, match: re.Match[str], end: int) -> bool:
    rest = text[match.end() : end].lstrip()
    if not rest:
        return True
    if rest[0].islower():
        return False
    if match.group()[0] != ".":
        return True
    word = _LAST_WORD.search(text, max(begin, match.start() - 20), match.start())
    if word is None:
        return True
    last = word.group(1).casefold()
    # A number with a full stop at the start is a label ("2. Press"), a single letter an initial ("J. Smith").
    is_label = last.isdigit() and not text[begin : match.start()].strip()[: -len(last)].strip()
    is_initial = len(last) == 1 and last.isalpha()
    return not (last in _ABBREVIATIONS or is_label or is_initial)
