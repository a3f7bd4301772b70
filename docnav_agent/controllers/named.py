"""Which titles a text names."""

from __future__ import annotations

from functools import lru_cache

from assets_store.title_names import WORD, title_name

MIN_NAME_CHARACTERS = 3


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """Words of a text, casefolded, with one space between and around them, so that `in` compares whole words."""
    return f" {' '.join(word.casefold() for word in WORD.findall(text))} "


def names_title(title: str, text: str) -> bool:
    """Whether a text names what a title is about: all its words, in order, as whole words.

    A title of one word must be written with a capital or a digit in the text, in scripts that have capitals: "water" names no
    document called "Water".
    """
    name = title_name(title)
    words = WORD.findall(name)
    if not words or plain(name) not in plain(text) or len(name) < MIN_NAME_CHARACTERS:
        return False
    if len(words) > 1:
        return True
    folded = words[0].casefold()
    return any(word.casefold() == folded and (not word.islower() or word[0].isdigit()) for word in WORD.findall(text))
