"""Titles inside entries of reference lists: the index that finds candidates, and the comparison that places one in an entry."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from docnav_pipeline.transforms.document_identity import words_of

# A title is looked up by its rarest words, so that the work grows with the corpus and not with its square.
_KEYS = 4
# A word that more titles than this have among their rarest says nothing.
_MAX_POSTINGS = 200
_MIN_SQUASHED = 5
_HYPHEN = re.compile(r"(?<=\w)[-‐\u00ad]\s*(?=\w)")
_SUBTITLE = re.compile(r"\s*(?::|\s[-–—]\s|[?!]|\.\s|—)\s*")
_EDGE = " \t\n\"'“”‘’«»„`*_"
_BEFORE, _AFTER = ".,:;?!)]}-–—/(>", ".,:;?!([{-–—/<"
_SMALL = (
    "a an the of and & for in on to with by from at as or und der die das des dem den für mit von zu zur zum im ein eine et le la les de "
    "du un une pour en à au aux y el los las una para con por del di il lo gli e da al"
)
_SMALL_WORDS = frozenset(_SMALL.split())


@dataclass(frozen=True, slots=True)
class TitleMatch:
    """A title found in an entry. start, end: span in the entry.

    whole: all of the title and nothing more is there; else a subtitle is missing on one side, or small words differ.
    """

    start: int
    end: int
    whole: bool
    n_words: int
    n_characters: int


class TitleIndex:
    """Titles by their rarest words. titles: (key, title); a key may have several titles."""

    def __init__(self, titles: Sequence[tuple[int, str]]) -> None:
        forms = [(key, title, form) for key, title in titles for form in (title, *_without_subtitle(title))]
        kept = [(key, title, _index_words([form, _HYPHEN.sub("", form)])) for key, title, form in forms]
        spread: Counter[str] = Counter()
        for _, _, words in kept:
            spread.update(words)
        self._keys: dict[str, list[int]] = defaultdict(list)
        self._titles: list[tuple[int, str]] = []
        self._needed: list[int] = []
        for key, title, words in kept:
            for word in sorted(words, key=lambda word: (spread[word], word))[:_KEYS]:
                self._keys[word].append(len(self._titles))
            self._titles.append((key, title))
            self._needed.append(2 if len(words) >= 3 else 1)

    def candidates(self, text: str) -> list[tuple[int, str]]:
        """(key, title) of the titles that may stand in a text, in the order given."""
        found: Counter[int] = Counter()
        for word in _index_words([text, _HYPHEN.sub("", text)]):
            postings = self._keys.get(word, ())
            if len(postings) <= _MAX_POSTINGS:
                found.update(postings)
        # One rare word in common is chance: two are asked for where the title has three.
        return list(dict.fromkeys(self._titles[n] for n in sorted(found) if found[n] >= self._needed[n]))


def find_title(title: str, text: str) -> TitleMatch | None:
    """Where a title stands in an entry as a title, None where it does not.

    Case, punctuation, ligatures, hyphens and line breaks make no difference. What stands in front of it and behind must end there: a title
    inside a longer one is none. Without its subtitle, or with other small words ("of the"), a title is found too, but not whole.
    """
    squashed, places = _squash(text)
    for form in dict.fromkeys((title, *_without_subtitle(title))):
        wanted, _ = _squash(form)
        found = _find(wanted, squashed, places, text)
        if found is not None:
            start, end = found
            whole = form == title and not _side(text, start, end)
            return TitleMatch(start, end, whole, len(words_of(form)), len(wanted))
    return _without_small_words(title, text)


def _index_words(texts: Iterable[str]) -> set[str]:
    words = {word for text in texts for word in words_of(text)}
    return {word for word in words if (len(word) >= 3 or word.isdigit() or not word.isascii()) and word not in _SMALL_WORDS}


@lru_cache(maxsize=4_096)
def _squash(text: str) -> tuple[str, list[int]]:
    """Letters and digits of a text, casefolded, and where each stands in it."""
    letters: list[str] = []
    places: list[int] = []
    for at, char in enumerate(text):
        for plain in unicodedata.normalize("NFKC", char).casefold():
            if plain.isalnum():
                letters.append(plain)
                places.append(at)
    return "".join(letters), places


def _find(wanted: str, squashed: str, places: Sequence[int], text: str) -> tuple[int, int] | None:
    if len(wanted) < _MIN_SQUASHED:
        return None
    at = squashed.find(wanted)
    while at >= 0:
        start, end = places[at], places[at + len(wanted) - 1] + 1
        if _is_bounded(text, start, end):
            return start, end
        at = squashed.find(wanted, at + 1)
    return None


def _is_bounded(text: str, start: int, end: int) -> bool:
    before, after = text[:start].rstrip(), text[end:].lstrip()
    quoted = before[-1:] in _EDGE and after.lstrip(".,")[:1] in _EDGE
    before, after = before.rstrip(_EDGE), after.lstrip(_EDGE)
    # "2019 On pumps": a year in front ends there too.
    opens = not before or before[-1] in _BEFORE or bool(re.search(r"\d{4}[a-z]?$", before))
    closes = not after or after[0] in _AFTER or bool(re.match(r"(?:In|in:|RFC|Ph\.?D|PhD|Tech|Technical|\d{4})\b", after))
    return (opens and closes) or (quoted and opens)


def _side(text: str, start: int, end: int) -> bool:
    """Whether a longer title goes on at either side of a colon or dash."""
    before, after = text[:start].rstrip(_EDGE), text[end:].lstrip(_EDGE)
    left = before[-1:] in (":", "—", "–") and not re.search(r"(?:\d{4}[a-z]?\)?|\bal\.?|[^\W\d_]\.|\]):$", before)
    return left or after[:1] in (":", "—", "–")


def _without_subtitle(title: str) -> list[str]:
    parts = _SUBTITLE.split(title, maxsplit=1)
    return [parts[0]] if len(parts) == 2 and len(words_of(parts[0])) >= 2 and parts[1].strip() else []


@lru_cache(maxsize=4_096)
def _word_set(text: str) -> frozenset[str]:
    return frozenset(words_of(text))


def _without_small_words(title: str, text: str) -> TitleMatch | None:
    wanted = [word for word in words_of(title) if word not in _SMALL_WORDS]
    if len(wanted) < 4 or not _word_set(text).issuperset(wanted):
        return None
    words = [(m.start(), m.end(), m[0]) for m in re.finditer(r"[^\W_]+", text)]
    plain = [(start, end, word) for start, end, raw in words for word in words_of(raw) if word not in _SMALL_WORDS]
    for at in range(len(plain) - len(wanted) + 1):
        if plain[at][2] == wanted[0] and [word for _, _, word in plain[at : at + len(wanted)]] == wanted:
            start, end = plain[at][0], plain[at + len(wanted) - 1][1]
            # A small word in front belongs to the title: "The pumps of ...".
            before = re.search(r"(?:[^\W\d_]+\s+)$", text[:start])
            first = start - len(before[0]) if before and before[0].strip().casefold() in _SMALL_WORDS else start
            if _is_bounded(text, first, end):
                return TitleMatch(first, end, False, len(wanted), sum(map(len, wanted)))
    return None
