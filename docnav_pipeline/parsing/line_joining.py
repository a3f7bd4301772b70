"""Join the printed lines of a paragraph: line-end hyphens, and scripts written without spaces."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

_LAST_PART = re.compile(r"([^\W\d_]+)-$")
_FIRST_PART = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
# Scripts that put no space between words: kana, CJK ideographs, full-width forms.
_UNSPACED = re.compile("[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")


def words_of(text: str) -> frozenset[str]:
    """Words of a text in lower case, compounds with their hyphens; what `join_lines` decides with."""
    return frozenset(word.casefold() for word in _WORD.findall(text))


def join_lines(lines: Sequence[str], words: Set[str], drop_hyphens: bool = True) -> str:
    """One line of text from the printed lines of a paragraph.

    words: words of the whole document. A word cut by a hyphen is put together when the document
        has it in one piece elsewhere, and keeps its hyphen when the document has it with one.
    drop_hyphens: what holds when the document has neither form; true for typeset text, which
        breaks words, false for typewriter text, which breaks only at hyphens that are part of the word.
    """
    joined = ""
    for line in lines:
        line = line.strip()
        if not line:
            continue
        joined = join_two(joined, line, words, drop_hyphens) if joined else line
    return joined


def join_two(left: str, right: str, words: Set[str], drop_hyphens: bool = True) -> str:
    """`left` and `right` as they read in one line."""
    cut, first = _LAST_PART.search(left), _FIRST_PART.match(right)
    if cut and first and first.group()[0].islower():
        whole = (cut.group(1) + first.group()).casefold()
        compound = f"{cut.group(1)}-{first.group()}".casefold()
        if whole in words or (compound not in words and drop_hyphens and cut.group(1)[-1].islower()):
            return left[:-1] + right
        return left + right
    if cut and first:
        return left + right
    if _UNSPACED.match(left[-1]) and _UNSPACED.match(right[0]):
        return left + right
    return f"{left} {right}"
