"""Lexical tokens of a text: what BM25 indexes and what it looks up.

NFKC and case folding; Unicode words without stop words, stemmed by language; identifiers (`X-200`, `4.2.1`, `snake_case`,
`camelCase`, `/etc/hosts`) whole and in pieces; scripts written without spaces as character bigrams. The name of this analyser
is stored with an index, and a query is analysed the same way or refused.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise

ANALYZER_NAME = "docnav-lexical-1"

# Longer runs are no words (encoded data, rulers), and each would be a term of its own.
_MAX_CHARACTERS = 64
# Distinct words remembered per language; a corpus of prose has fewer, a hostile one must not fill memory.
_MAX_CACHED = 400_000

_STEMMERS = {
    "ar": "arabic",
    "ca": "catalan",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}
# Lists of function words. The English list of stopwords-iso also holds "system", "computer", "fill" and "page", which manuals
# are about, so it serves only where there is no shorter one.
SHORT_LISTS = {
    "da": "DANISH",
    "de": "GERMAN",
    "en": "EN_PLUS",
    "es": "SPANISH",
    "fr": "FRENCH",
    "it": "ITALIAN",
    "nl": "DUTCH",
    "no": "NORWEGIAN",
    "pt": "PORTUGUESE",
    "ru": "RUSSIAN",
    "sv": "SWEDISH",
    "tr": "TURKISH",
}

# Kana, Han, Hangul, Thai, Lao, Myanmar, Khmer.
_UNSPACED = "\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"


def _combining_marks() -> str:
    """Marks that belong to the letter before them, as a character class; `\\w` leaves them out and would cut words there."""
    codes = {code for code in range(0x300, 0x1E00) if unicodedata.category(chr(code)).startswith("M")}
    starts = sorted(code for code in codes if code - 1 not in codes)
    ends = sorted(code for code in codes if code + 1 not in codes)
    return "".join(f"{chr(start)}-{chr(end)}" for start, end in zip(starts, ends, strict=True))


def _word_pattern(letter: str) -> str:
    """Words, and identifiers joined by marks between their parts; C++ and C# keep their ending."""
    return rf"/?{letter}++(?:(?:[-./_:@&+#\\]|,(?=\d{{3}}(?!\d))){letter}++)*+(?:\+\+|\#(?!\w))?"


_MARKS = _combining_marks()
_MARK = re.compile(f"[{_MARKS}]")
_ASCII = re.compile(_word_pattern("[A-Za-z0-9_]"))
_LETTER = rf"[^\W{_UNSPACED}]"
_PLAIN = re.compile(f"[{_UNSPACED}]+|{_word_pattern(_LETTER)}")
# Twice as slow, for texts that hold such marks.
_MARKED = re.compile(f"[{_UNSPACED}]+|{_word_pattern(f'(?:{_LETTER}|[{_MARKS}])')}")
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_FIRST_UNSPACED = "\u0e00"
_PIECES = re.compile(rf"(?:[^\W_]|[{_MARKS}])+")
_SEPARATED = re.compile(r"[-./_:@&+#\\,]")
_CAMEL = re.compile(r"[a-z0-9]+|[A-Z]+(?![a-z])|[A-Z][a-z0-9]*")
_IS_CAMEL = re.compile(r"[a-z][A-Z]")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")


def analyze(text: str, language: str | None) -> list[str]:
    """Tokens of a text in its order, with repeats. language: ISO 639-1; None or an unknown one means neither stemming nor stop words."""
    words = _words_of(language)
    tokens: list[str] = []
    if text.isascii():
        for word in _ASCII.findall(text):
            tokens += words[word]
        return tokens
    text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    for word in (_MARKED if _MARK.search(text) else _PLAIN).findall(text):
        tokens += _bigrams(word) if word[0] >= _FIRST_UNSPACED and _IS_UNSPACED.match(word) else words[word]
    return tokens


def is_stop_word(word: str, language: str | None) -> bool:
    """Whether a word, in any case, is left out of the tokens of a language."""
    return word.casefold() in _stop_words(language)


def _bigrams(run: str) -> list[str]:
    return [run] if len(run) == 1 else [a + b for a, b in pairwise(run)]


class _Words(dict[str, tuple[str, ...]]):
    """Tokens of a printed word, worked out once per word."""

    def __init__(self, language: str | None) -> None:
        super().__init__()
        self._stop = _stop_words(language)
        self._stem = _stemmer(language)

    def __missing__(self, word: str) -> tuple[str, ...]:
        if len(self) >= _MAX_CACHED:
            self.clear()
        tokens = self[word] = tuple(self._tokens(word))
        return tokens

    def _tokens(self, word: str) -> list[str]:
        whole = word.casefold().removeprefix("/")
        if not _SEPARATED.search(whole) and not _IS_CAMEL.search(word):
            return self._simple(whole)
        tokens = []
        if len(whole) <= _MAX_CHARACTERS:
            tokens.append(whole)
            # "e-mail" is also printed "email", and "1,000" also "1000".
            joined = whole.replace("-", "").replace(",", "")
            if joined != whole and not _SEPARATED.search(joined):
                tokens += self._simple(joined)
        for piece in _PIECES.findall(word):
            inner = _CAMEL.findall(piece) if _IS_CAMEL.search(piece) else [piece]
            for part in inner if len(inner) > 1 else [piece]:
                # Single characters of an identifier say nothing by themselves.
                if len(part) > 1:
                    tokens += self._simple(part.casefold())
        return tokens if "," not in whole else tokens[:2]

    def _simple(self, word: str) -> list[str]:
        if word in self._stop or len(word) > _MAX_CHARACTERS:
            return []
        return [self._stem(word)]


@lru_cache(maxsize=64)
def _words_of(language: str | None) -> _Words:
    return _Words(language)


@lru_cache(maxsize=64)
def _stop_words(language: str | None) -> frozenset[str]:
    if language is None:
        return frozenset()
    if language in SHORT_LISTS:
        from bm25s import stopwords

        words: tuple[str, ...] = getattr(stopwords, f"STOPWORDS_{SHORT_LISTS[language]}")
    else:
        import stopwordsiso

        words = tuple(stopwordsiso.stopwords(language)) if stopwordsiso.has_lang(language) else ()
    return frozenset(word.casefold() for word in words)


def _stemmer(language: str | None) -> Callable[[str], str]:
    name = _STEMMERS.get(language or "")
    if name is None:
        return str
    import Stemmer

    stem: Callable[[str], str] = Stemmer.Stemmer(name).stemWord
    # Numbers and identifiers of letters and digits stand for themselves.
    return lambda word: stem(word) if word.isalpha() else word
