"""Citation mentions in text, and which entries of a reference list each of them means."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

_MAX_RANGE = 40
_MAX_LIST_CHARACTERS = 400

_NAME = r"(?:(?:van|von|de|del|der|den|di|da|la|le|du|al|el|bin|ten|ter)\s+){0,2}[^\W\d_a-z][\w'’‐-]{0,40}[^\W\d_]"
_YEAR = r"(?:1[6-9]|20)\d{2}[a-z]?(?![\w/])"
_AUTHORS = rf"{_NAME}(?:,\s{_NAME}){{0,9}}(?:,?\s(?:and|&|und|et|y|e)\s{_NAME})?(?:,?\set\s?al\.?,?|\s?等人?)?"
_NUMERIC = re.compile(r"\[\s*([1-9]\d{0,2}(?:\s*(?:[,;]|[-–—])\s*[1-9]\d{0,2})*)\s*\]")
_BRACKETED = re.compile(
    rf"[(（\[](?P<inside>(?:[^()（）\[\]\n]{{0,80}}[\s;])?{_AUTHORS}\s?[,，]?\s?[(]?{_YEAR}[^()（）\[\]\n]{{0,300}})[)）\]]"
)
_ONE_OF_BRACKET = re.compile(rf"(?P<authors>{_AUTHORS})\s?[,，]?\s?(?P<years>{_YEAR}(?:\s?[,，]\s?{_YEAR})*)")
_IN_SENTENCE = re.compile(
    rf"(?<![\w-])(?P<authors>{_AUTHORS})\s?[(（](?P<years>{_YEAR}(?:\s?[,;，]\s?{_YEAR})*)(?:[,，:]\s?[^()（）\n]{{1,40}})?[)）]"
)
# Labels of entries as RFCs and some styles of BibTeX print them: [RFC8446], [QUIC-TLS], [KSL09].
_LABEL = r"[A-Z](?:[A-Za-z+]*\d[\w.+-]{0,20}|[A-Z]{2,20}(?:-[A-Z0-9]{1,20}){0,4})"
_LABELLED = re.compile(rf"\[(?P<labels>{_LABEL}(?:\s*[,;]\s*{_LABEL}){{0,9}})\]")
# Digits glued to a word or its punctuation: where the print raises them, text does not.
_GLUED = re.compile(
    r"(?:(?<![\w-])[a-zà-ÿ]{4,}|[^\W\d_]{3}[.,;:)”\"’])(?P<numbers>[1-9]\d{0,2}(?:[,–-][1-9]\d{0,2}){0,9})(?![\w%°]|[.,:–-]\d)"
)
_RAISED_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_RAISED = re.compile(r"(?:(?<=[^\W\d_]{3})|(?<=[^\W\d_][.,;:)”\"’]))[¹²³⁴-⁹][⁰¹²³⁴-⁹]{0,2}(?:[,⁻–-][¹²³⁴-⁹][⁰¹²³⁴-⁹]{0,2}){0,9}")
# Words that begin a sentence or name a month are no authors.
_NO_AUTHOR_WORDS = (
    "in since until from by during before after between january february march april may june july august september october november "
    "december spring summer autumn fall winter table figure section chapter act law rule version fiscal year years updated accessed "
    "see also copyright on the of for as at revised published effective ended dated no"
)
_NO_AUTHOR = frozenset(_NO_AUTHOR_WORDS.split())


@dataclass(frozen=True, slots=True)
class CitationKey:
    """What a mention points to: a number of the list, a label such as "RFC8446", or the first author's last name (casefolded) and the year
    ("2020a"). second: last name of the second author where the mention gives it."""

    number: int | None = None
    author: str = ""
    year: str = ""
    label: str = ""
    second: str = field(default="", compare=False)


def find_citations(text: str) -> list[str]:
    """Citation mentions as printed, each once, in order: "[3-5]", "[RFC8446]", "(Smith et al., 2020; Lee, 2019)", "Smith (2020)", "¹²".

    A number or label in brackets that begins a line is an entry of a reference list, and no mention.
    """
    found: dict[str, None] = {}
    hits: list[tuple[int, str]] = []
    for match in (*_NUMERIC.finditer(text), *_LABELLED.finditer(text)):
        line = text[: match.start()].rpartition("\n")[2]
        if line.strip() and text[match.end() : match.end() + 1] != "(":
            hits.append((match.start(), match[0]))
    hits += [(m.start(), m[0]) for m in _RAISED.finditer(text)]
    hits += [(m.start(), m[0]) for m in _BRACKETED.finditer(text) if len(m[0]) <= _MAX_LIST_CHARACTERS and citation_keys(m[0])]
    hits += [(m.start(), m[0]) for m in _IN_SENTENCE.finditer(text) if citation_keys(m[0])]
    for _, mention in sorted(hits):
        found.setdefault(" ".join(mention.split()))
    return list(found)


def citation_keys(mention: str) -> list[CitationKey]:
    """The entries that a printed mention points to, in order; ranges are spelled out, up to 40 entries."""
    mention = mention.strip()
    labelled = _LABELLED.fullmatch(mention)
    if labelled:
        return [CitationKey(label=label) for label in re.split(r"\s*[,;]\s*", labelled["labels"])]
    raised = mention.translate(_RAISED_DIGITS)
    numeric = _NUMERIC.fullmatch(f"[{raised}]" if raised[:1].isdigit() else mention)
    if numeric:
        keys: list[CitationKey] = []
        for part in re.split(r"[,;]", numeric[1]):
            ends = [int(n) for n in re.split(r"[-–—]", part)]
            last = ends[-1] if ends[0] <= ends[-1] < ends[0] + _MAX_RANGE else ends[0]
            keys += [CitationKey(number=n) for n in range(ends[0], last + 1)]
        return keys
    inside = _IN_SENTENCE.fullmatch(mention)
    matches: Iterable[re.Match[str]] = [inside] if inside else _ONE_OF_BRACKET.finditer(mention)
    out: list[CitationKey] = []
    for match in matches:
        author = first_author(match["authors"])
        if author and author not in _NO_AUTHOR:
            second = _second_author(match["authors"])
            out += [CitationKey(author=author, year=year, second=second) for year in re.findall(_YEAR, match["years"])]
    return out


def glued_marks(text: str) -> list[str]:
    """Numbers glued to words of a text, as raised marks come out of a PDF: "of pumps.3,4 They" -> "3,4". Each once, in order.

    Whether they are citations only a document with a numbered list can tell; numbers of names ("COVID-19", "GPT4") are left out.
    """
    return list(dict.fromkeys(match["numbers"] for match in _GLUED.finditer(text)))


def first_author(authors: str) -> str:
    """Last name of the first author, casefolded: "van der Berg and Lee" -> "van der berg"."""
    match = re.match(_NAME, authors.strip())
    return match[0].casefold() if match else ""


def _second_author(authors: str) -> str:
    names = re.findall(_NAME, authors)
    return str(names[1]).casefold() if len(names) > 1 else ""
