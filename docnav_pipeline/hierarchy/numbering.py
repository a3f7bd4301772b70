"""Printed labels: "2.1", "Appendix A", "Chapter 3", "第三章", "Article 5", "§ 12", "IV.", "a."."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

# Words that name a numbered unit, by the unit they name. Order of the keys is the order of
# nesting that printed works follow: a part holds chapters, a chapter holds sections.
UNIT_WORDS: dict[str, tuple[str, ...]] = {
    "book": ("book", "volume", "livre", "buch", "band", "libro", "том", "книга"),
    "title": ("title", "titre", "título", "titolo", "titel"),
    "part": ("part", "partie", "teil", "parte", "deel", "część", "часть"),
    "chapter": ("chapter", "chapitre", "kapitel", "capítulo", "capitolo", "hoofdstuk", "rozdział", "глава"),
    "appendix": ("appendix", "annex", "annexe", "appendice", "anhang", "anlage", "anexo", "apéndice", "allegato", "bijlage", "приложение"),
    "item": ("item",),
    "section": ("section", "abschnitt", "sección", "seção", "sezione", "sectie", "раздел"),
    "article": ("article", "artikel", "artículo", "artigo", "articolo", "art.", "статья"),
    "clause": ("clause", "klausel", "cláusula"),
    "schedule": ("schedule", "exhibit", "attachment"),
    "note": ("note",),
    "lesson": ("lesson", "unit", "module", "lektion", "leçon"),
    "step": ("step", "étape", "schritt", "paso"),
}
UNITS = tuple(UNIT_WORDS)
_UNIT_OF_WORD = {word: unit for unit, words in UNIT_WORDS.items() for word in words}
_CJK_UNITS = {
    "卷": "book",
    "编": "book",
    "編": "book",
    "部": "part",
    "章": "chapter",
    "节": "section",
    "節": "section",
    "条": "article",
    "條": "article",
}
_CJK_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_CJK_NUMBER = "0-9０-９零〇一二两三四五六七八九十百千"

_ROMAN = re.compile(r"M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})", re.IGNORECASE)
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = ("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
# "twenty-two" is printed as one word, as two, or with a hyphen.
_NUMBER_WORDS = {word: n for n, word in enumerate((*_ONES, *_TEENS), start=1)} | {
    f"{ten}{between}{one}" if one else ten: 10 * n + k
    for n, ten in enumerate(_TENS, start=2)
    for k, one in enumerate(("", *_ONES))
    for between in ("", "-", " ")
}


def _any_of(words: Iterable[str]) -> str:
    """A pattern for any of some words, longer ones first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


# A unit word and its number: "Chapter 3", "APPENDIX A:", "Item 1A.", "Article 5 -".
_WORD_LABEL = re.compile(
    r"(?P<word>" + _any_of(_UNIT_OF_WORD) + r")"
    r"\s+(?:n[o°º]\.?\s*)?(?P<number>\d+(?:\.\d+)*[A-Z]?|[IVXLC]+|[A-Z](?:\.\d+)*|(?:"
    + "|".join(sorted(_NUMBER_WORDS, key=len, reverse=True))
    + r"))"
    r"(?P<end>\s*[.:)\]–—-]+(?=\s|$)|(?=\s|$))",
    re.IGNORECASE,
)
_CJK_WORD_LABEL = re.compile(rf"第\s*(?P<number>[{_CJK_NUMBER}]+)\s*(?P<unit>[{''.join(_CJK_UNITS)}])[、：:．.]?")
_CJK_LIST_LABEL = re.compile(r"(?:(?P<plain>[一二三四五六七八九十]+)[、．.]|[（(](?P<bracketed>[一二三四五六七八九十]+)[)）])")
_SIGN_LABEL = re.compile(r"§{1,2}\s*(?P<number>\d+(?:\.\d+)*[a-z]?)[.:)]?(?=\s|$)")
_DECIMAL_LABEL = re.compile(r"(?P<number>\d{1,3}(?:\.\d{1,3})*)(?P<end>\.(?!\d)|[):]|(?=\s|$)|(?=[^\W\d_a-zA-Z]))")
_LETTERED_LABEL = re.compile(r"(?P<letter>[A-Z])(?P<rest>(?:\.\d{1,3})+)(?P<end>[.:)]?)(?=\s|$)")
_LETTER_LABEL = re.compile(r"(?P<letter>[A-Za-z])(?P<end>[.):])(?=\s|$)")
_ROMAN_LABEL = re.compile(r"(?P<number>[IVXLC]+|[ivxlc]+)(?P<end>[.):])(?=\s|$)")
_BRACKETED_LABEL = re.compile(r"[(\[](?:(?P<number>\d{1,2})|(?P<roman>[ivx]{1,5})|(?P<letter>[a-zA-Z]))[)\]](?=\s|$)")
_BARE_LETTER_LABEL = re.compile(r"(?P<letter>[A-Z])(?=\s+\S)")
_BARE_ROMAN_LABEL = re.compile(r"(?P<number>[IVX]{1,5})(?=\s+[^\W\d_])")


@dataclass(frozen=True, slots=True)
class Label:
    """One reading of a printed label.

    kind: "decimal", "lettered" (A.1), "upper" (A.), "lower" (a.), "upper_roman", "lower_roman",
        a unit of UNIT_WORDS ("chapter"), "sign" (§), "cjk" (一、), "cjk_bracket", or "bracket_decimal",
        "bracket_roman", "bracket_letter" for "(1)", "(i)", "(a)".
    path: numbers, outermost first: "2.1" is (2, 1), "B.3" and "Appendix B.3" are (2, 3).
    text: as printed, without the space behind it. rest: what follows.
    suffix: a letter after the number ("1A"), else "".
    sure: False where the same characters are often plain text ("A model", "I think").
    """

    kind: str
    path: tuple[int, ...]
    text: str
    rest: str
    suffix: str = ""
    sure: bool = True

    @property
    def depth(self) -> int:
        """How deep the label itself says it is, 1 = a single number."""
        return len(self.path)

    @property
    def end(self) -> str | None:
        """The punctuation that ends the label as printed, "" for none; None for a label that is not printed."""
        return (self.text[-1] if not self.text[-1].isalnum() else "") if self.text else None


def roman_value(text: str) -> int | None:
    """The value of a Roman number of either case, None when it is none."""
    if not text or not _ROMAN.fullmatch(text):
        return None
    values = [_ROMAN_VALUES[c] for c in text.upper()]
    return sum(-v if v < max(values[i:]) else v for i, v in enumerate(values))


def cjk_value(text: str) -> int | None:
    """The value of a Chinese number up to 9999 (or of digits), None when it is none."""
    digits = unicodedata.normalize("NFKC", text)
    if digits.isdigit():
        return int(digits)
    total, current = 0, 0
    for char in text:
        if char in _CJK_DIGITS:
            current = _CJK_DIGITS[char]
        elif char in "十百千":
            total += (current or 1) * {"十": 10, "百": 100, "千": 1000}[char]
            current = 0
        else:
            return None
    return total + current or None


def _letter_value(letter: str) -> int:
    return ord(letter.upper()) - ord("A") + 1


def _word_number(number: str) -> tuple[tuple[int, ...], str] | None:
    """Path and suffix of the number behind a unit word."""
    if number.lower() in _NUMBER_WORDS:
        return (_NUMBER_WORDS[number.lower()],), ""
    if number[0].isdigit():
        suffix = number[-1] if number[-1].isalpha() else ""
        return tuple(int(n) for n in number.removesuffix(suffix).split(".")), suffix.upper()
    if number.isupper() and len(number) == 1 and number not in "IVX":
        return (_letter_value(number),), ""
    if value := roman_value(number):
        return (value,), ""
    if number[0].isupper() and (len(number) == 1 or number[1] == "."):
        head, *tail = number.split(".")
        return (_letter_value(head), *(int(n) for n in tail)), ""
    return None


def read_labels(text: str) -> list[Label]:
    """Every reading of the label that `text` begins with, most certain first; [] when there is none.

    "I. Scope" reads as Roman one and as the letter I; the place in the sequence decides later.
    """
    text = " ".join(text.split())
    found: list[Label] = []

    def add(kind: str, path: tuple[int, ...], match: re.Match[str], suffix: str = "", sure: bool = True) -> None:
        found.append(Label(kind, path, text[: match.end()].strip(), text[match.end() :].strip(), suffix, sure))

    if match := _CJK_WORD_LABEL.match(text):
        if value := cjk_value(match["number"]):
            add(_CJK_UNITS[match["unit"]], (value,), match)
        return found
    if match := _CJK_LIST_LABEL.match(text):
        if value := cjk_value(match["plain"] or match["bracketed"]):
            add("cjk" if match["plain"] else "cjk_bracket", (value,), match)
        return found
    if match := _SIGN_LABEL.match(text):
        number = match["number"]
        suffix = number[-1] if number[-1].isalpha() else ""
        add("sign", tuple(int(n) for n in number.removesuffix(suffix).split(".")), match, suffix)
        return found
    if match := _WORD_LABEL.match(text):
        # A label is capitalised, and a sentence about a chapter is not: "Section 4 describes how".
        number = _word_number(match["number"])
        rest = text[match.end() :].strip()
        prose = not match["end"].strip() and rest[:1].islower()
        if number and match["word"][0].isupper() and not prose:
            unit = _UNIT_OF_WORD[match["word"].lower()]
            lettered = match["number"][0].isalpha()
            add(unit, number[0], match, number[1])
            if lettered and len(match["number"]) == 1 and match["number"].upper() in "IVX":
                add(unit, (_letter_value(match["number"]),), match)
            return found
    if match := _BRACKETED_LABEL.match(text):
        if match["number"] and match["number"] != "0":
            add("bracket_decimal", (int(match["number"]),), match, sure=False)
        if match["roman"] and (value := roman_value(match["roman"])):
            add("bracket_roman", (value,), match, sure=False)
        if match["letter"]:
            add("bracket_letter", (_letter_value(match["letter"]),), match, sure=False)
        return found
    if match := _DECIMAL_LABEL.match(text):
        path = tuple(int(n) for n in match["number"].split("."))
        if all(n < 200 for n in path) and not (match["number"][0] == "0" and len(match["number"]) > 1 and len(path) == 1):
            add("decimal", path, match)
        return found
    if match := _LETTERED_LABEL.match(text):
        add("lettered", (_letter_value(match["letter"]), *(int(n) for n in match["rest"][1:].split("."))), match)
        return found
    if (match := _ROMAN_LABEL.match(text)) and (value := roman_value(match["number"])):
        add("upper_roman" if match["number"].isupper() else "lower_roman", (value,), match)
    if match := _LETTER_LABEL.match(text):
        add("upper" if match["letter"].isupper() else "lower", (_letter_value(match["letter"]),), match)
    if not found:
        if (match := _BARE_ROMAN_LABEL.match(text)) and (value := roman_value(match["number"])):
            add("upper_roman", (value,), match, sure=len(match["number"]) > 1)
        if match := _BARE_LETTER_LABEL.match(text):
            add("upper", (_letter_value(match["letter"]),), match, sure=False)
    return found


def is_unit_word(text: str) -> bool:
    """Whether a line holds nothing but a word such as "Chapter"."""
    return text.strip().lower() in _UNIT_OF_WORD


def is_number_alone(text: str) -> bool:
    """Whether a line holds nothing but a number that may follow such a word: "3", "IV", "Three"."""
    word = text.strip().rstrip(".:")
    return word.isdigit() or word.lower() in _NUMBER_WORDS or (word.isupper() and roman_value(word) is not None)


def is_spelled_out(label: Label) -> bool:
    """Whether the number of a unit label is printed as a word: "Chapter Three"."""
    return label.text.partition(" ")[2].strip(" .:)-–—").lower() in _NUMBER_WORDS


def split_label(title: str) -> tuple[str, str]:
    """The printed label of a title and the rest: "2.1 Scope" -> ("2.1", "Scope"), "Scope" -> ("", "Scope").

    The label keeps its unit word and loses the punctuation that ends it; "(a)" and a lone letter
    or Roman one without punctuation ("A model", "I think") are no labels. A title that is nothing
    but a label ("Chapter 3") has rest "".
    """
    line = " ".join(title.split())
    for label in read_labels(line):
        if label.sure and not (label.kind == "decimal" and not label.rest):
            return label.text.rstrip(" .:)、：．–—-"), label.rest.lstrip(" -–—:")
    return "", line
