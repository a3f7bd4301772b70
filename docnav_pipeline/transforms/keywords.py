"""Keywords of one text: frequent words and two-word phrases in any script, stop words out."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections import Counter
from functools import lru_cache

# Stop-word list of a text whose language is unknown or has no list.
_DEFAULT_LANGUAGE = "en"
# The English list of stopwords-iso also holds nouns and verbs that manuals, papers and filings are about.
_ENGLISH_CONTENT = (
    "billion bottom caption computer copy detail effect empty fill fire front group groups html http index information interest interests "
    "invention length member members microsoft mill million net netscape order orders page pages problem problems research resulted room "
    "rooms section sections side state states system systems test text thousand top trillion volume web webpage website zero"
)
_CONTENT_WORDS = {"en": frozenset(_ENGLISH_CONTENT.split())}
_MIN_LETTERS = 3
_MAX_LETTERS = 40
# Two-word phrases that stand once in a paragraph are mostly chance.
_MIN_PHRASE_COUNT = 2
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KATAKANA = "\u30a1-\u30fa\u30fc\u31f0-\u31ff"
_HIRAGANA = "\u3041-\u309f"
_LONGEST_GRAM = 4


def _marks() -> str:
    """Combining marks as a character class: `\\w` leaves them out, and words of Indic, Thai or Arabic script would fall apart."""
    points = [p for p in range(0x10000) if unicodedata.category(chr(p)) in ("Mn", "Mc")]
    ranges: list[list[int]] = []
    for point in points:
        if ranges and point == ranges[-1][1] + 1:
            ranges[-1][1] = point
        else:
            ranges.append([point, point])
    return "".join(f"{chr(a)}-{chr(b)}" for a, b in ranges)


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    marks = _marks()
    letter = rf"[^\W\d_{_HAN}{_KATAKANA}{_HIRAGANA}]"
    word = rf"{letter}(?:[^\W_{_HAN}{_KATAKANA}{_HIRAGANA}]|[{marks}]|['’](?={letter})|-(?=\w))*"
    return re.compile(rf"(?P<word>{word})|(?P<han>[{_HAN}]+)|(?P<katakana>[{_KATAKANA}]{{2,}})"), re.compile(r"[^\S\n]*")


@lru_cache(maxsize=64)
def stop_words(language: str | None) -> frozenset[str]:
    """Stop words of a language by its ISO 639-1 code (a region behind it is ignored), casefolded.

    The English list where the language is None or has no list; for other languages only their own. Words of the list that
    documents are about (`_CONTENT_WORDS`) are left out of it.
    """
    import stopwordsiso

    code = (language or _DEFAULT_LANGUAGE).replace("_", "-").partition("-")[0].lower()
    known = code if code in stopwordsiso.langs() else _DEFAULT_LANGUAGE
    words = frozenset(word.casefold().replace("’", "'") for word in stopwordsiso.stopwords(known))
    return words - _CONTENT_WORDS.get(known, frozenset())


def count_keywords(text: str, language: str | None, limit: int) -> list[tuple[str, int]]:
    """(term, count) of the most frequent terms of a text, at most `limit`, equal counts in order of first appearance.

    Terms are casefolded words of three letters or more, pairs of such words that stand side by side at least twice, and
    for Chinese and Japanese runs of two to four characters. Numbers, stop words and words over 40 letters are no terms.
    """
    stops = stop_words(language)
    words, gap = _patterns()
    counts: Counter[str] = Counter()
    phrases: Counter[str] = Counter()
    grams: Counter[str] = Counter()
    previous, end = "", -1
    for match in words.finditer(text):
        if match.lastgroup == "han":
            grams.update(_grams(match[0], stops))
            previous = ""
            continue
        term = unicodedata.normalize("NFKC", match[0]).casefold().replace("’", "'").removesuffix("'s")
        enough = _MIN_LETTERS <= len(term) <= _MAX_LETTERS or (match.lastgroup == "katakana" and len(term) <= _MAX_LETTERS)
        if not enough or term in stops:
            previous = ""
            continue
        term = sys.intern(term)
        counts[term] += 1
        between = gap.match(text, end) if previous else None
        if between is not None and between.end() == match.start():
            phrases[f"{previous} {term}"] += 1
        previous, end = term, match.end()
    counts.update({phrase: n for phrase, n in phrases.items() if n >= _MIN_PHRASE_COUNT})
    counts.update(_whole_grams(grams))
    return sorted(counts.items(), key=lambda item: -item[1])[:limit]


def _grams(run: str, stops: frozenset[str]) -> list[str]:
    """Runs of 2 to 4 Chinese characters that hold no one-character stop word and are none themselves."""
    out = []
    for piece in _split_at_stops(run, stops):
        for size in range(2, _LONGEST_GRAM + 1):
            out += [gram for i in range(len(piece) - size + 1) if (gram := piece[i : i + size]) not in stops]
    return out


def _split_at_stops(run: str, stops: frozenset[str]) -> list[str]:
    pieces, current = [], ""
    for char in run:
        if char in stops:
            pieces.append(current)
            current = ""
        else:
            current += char
    return [*pieces, current]


def _whole_grams(grams: Counter[str]) -> dict[str, int]:
    """Pairs, and longer runs that repeat; a run inside a longer one with the same count goes."""
    kept = {gram: n for gram, n in grams.items() if len(gram) == 2 or n > 1}
    inside: set[str] = set()
    for gram, n in kept.items():
        for size in range(2, len(gram)):
            inside.update(part for i in range(len(gram) - size + 1) if kept.get(part := gram[i : i + size]) == n)
    return {gram: n for gram, n in kept.items() if gram not in inside}
