"""The second hop: names in the question and in fetched text that other documents or sections are about."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+(?:['’.&-][^\W_]+)*")
_ENDS = re.compile(r"[.!?;:()\[\]{}|\n\"“”,]")
# Small words that stand inside names and never begin or end one.
_SMALL = "of the de la le du des del della di da dos das do von van der den zu zur y e al el bin ibn und and in on for to at"
_PARTICLES = frozenset(_SMALL.split())
# A bracket at the end of a title tells apart things of one name: "Mercury (planet)".
_DISTINCTION = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")

MAX_NAMES = 40
MAX_NAME_WORDS = 8
MIN_NAME_CHARACTERS = 3


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """Words of a text, casefolded, with one space between and around them, so that `in` compares whole words."""
    return f" {' '.join(word.casefold() for word in _WORD.findall(text))} "


def title_name(title: str) -> str:
    """What a title names: the title without a distinction in brackets."""
    return _DISTINCTION.sub("", title).strip() or title.strip()


def names_title(title: str, text: str) -> bool:
    """Whether a text names what a title is about: all its words, in order, as whole words.

    A title of one word must be written with a capital or a digit in the text, in scripts that have capitals: "water" names no
    document called "Water".
    """
    name = title_name(title)
    words = _WORD.findall(name)
    if not words or plain(name) not in plain(text) or len(name) < MIN_NAME_CHARACTERS:
        return False
    if len(words) > 1:
        return True
    folded = words[0].casefold()
    return any(word.casefold() == folded and (not word.islower() or word[0].isdigit()) for word in _WORD.findall(text))


def find_names(text: str, limit: int = MAX_NAMES) -> list[str]:
    """Runs of capitalised words, with the small words inside them, in order of first mention; each once.

    Scripts without capitals have none.
    """
    found: dict[str, str] = {}
    run: list[str] = []
    last_end = 0
    for match in _WORD.finditer(text):
        word = match.group()
        if run and _ENDS.search(text, last_end, match.start()):
            _keep(found, run)
            run = []
        if word[0].isupper() or word[0].isdigit() or (run and word in _PARTICLES):
            run.append(word)
        elif run:
            _keep(found, run)
            run = []
        last_end = match.end()
    _keep(found, run)
    return list(found.values())[:limit]


def _keep(found: dict[str, str], run: Iterable[str]) -> None:
    words = list(run)
    while words and (words[-1] in _PARTICLES or (words[-1][0].isdigit() and len(words) == 1)):
        words.pop()
    if words and len(words) <= MAX_NAME_WORDS and any(word[0].isupper() for word in words):
        found.setdefault(" ".join(words).casefold(), " ".join(words))
