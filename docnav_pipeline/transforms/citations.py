"""Citation mentions in text, reference lists, and which entry a mention means."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_MAX_RANGE = 40
_MAX_LIST_CHARACTERS = 400
# Characters between the first author and the year of one entry of a reference list.
_ENTRY_REACH = 400

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
# Words that begin a sentence or name a month are no authors.
_NO_AUTHOR_WORDS = (
    "in since until from by during before after between january february march april may june july august september october november "
    "december spring summer autumn fall winter table figure section chapter act law rule version fiscal year years updated accessed "
    "see also copyright on the of for as at revised published effective ended dated no"
)
_NO_AUTHOR = frozenset(_NO_AUTHOR_WORDS.split())

_REFERENCE_TITLES = frozenset(
    {
        "references", "reference", "reference list", "list of references", "references cited", "references and notes", "bibliography",
        "literature cited", "literature", "works cited", "citations", "cited works", "sources", "notes and references",
        "literatur", "literaturverzeichnis", "quellen", "quellenverzeichnis", "références", "bibliographie", "références bibliographiques",
        "referencias", "bibliografía", "referencias bibliográficas", "riferimenti", "bibliografia", "riferimenti bibliografici",
        "referências", "literatuur", "literatuurlijst", "список литературы", "литература",
        "参考文献", "參考文獻", "引用文献", "参考资料", "참고문헌",
    }
)  # fmt: skip
_NUMBERED_ENTRY = re.compile(
    r"(?:^|(?<=\s))\[(?P<bracket>\d{1,4})\]|^\s*(?P<plain>\d{1,4})[.)]?\s+(?=[^\W\d_a-z]|[\u3400-\u9fff])", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class CitationKey:
    """What a mention points to: a number of the list, or the first author's last name (casefolded) and the year ("2020a")."""

    number: int | None = None
    author: str = ""
    year: str = ""


def find_citations(text: str) -> list[str]:
    """Citation mentions as printed, each once, in order: "[3-5]", "(Smith et al., 2020; Lee, 2019)", "Smith (2020)".

    A number in brackets that begins a line is an entry of a reference list, and no mention.
    """
    found: dict[str, None] = {}
    hits: list[tuple[int, str]] = []
    for match in _NUMERIC.finditer(text):
        line = text[: match.start()].rpartition("\n")[2]
        if line.strip() and text[match.end() : match.end() + 1] != "(":
            hits.append((match.start(), match[0]))
    hits += [(m.start(), m[0]) for m in _BRACKETED.finditer(text) if len(m[0]) <= _MAX_LIST_CHARACTERS and citation_keys(m[0])]
    hits += [(m.start(), m[0]) for m in _IN_SENTENCE.finditer(text) if citation_keys(m[0])]
    for _, mention in sorted(hits):
        found.setdefault(" ".join(mention.split()))
    return list(found)


def citation_keys(mention: str) -> list[CitationKey]:
    """The entries that a printed mention points to, in order; ranges are spelled out, up to 40 entries."""
    numeric = _NUMERIC.fullmatch(mention.strip())
    if numeric:
        keys: list[CitationKey] = []
        for part in re.split(r"[,;]", numeric[1]):
            ends = [int(n) for n in re.split(r"[-–—]", part)]
            last = ends[-1] if ends[0] <= ends[-1] < ends[0] + _MAX_RANGE else ends[0]
            keys += [CitationKey(number=n) for n in range(ends[0], last + 1)]
        return keys
    inside = _IN_SENTENCE.fullmatch(mention.strip())
    matches: Iterable[re.Match[str]] = [inside] if inside else _ONE_OF_BRACKET.finditer(mention)
    out: list[CitationKey] = []
    for match in matches:
        author = first_author(match["authors"])
        if author and author not in _NO_AUTHOR:
            out += [CitationKey(author=author, year=year) for year in re.findall(_YEAR, match["years"])]
    return out


def first_author(authors: str) -> str:
    """Last name of the first author, casefolded: "van der Berg and Lee" -> "van der berg"."""
    match = re.match(_NAME, authors.strip())
    return match[0].casefold() if match else ""


def is_reference_title(title: str) -> bool:
    """Whether a heading, with or without a number in front, names a reference list."""
    plain = re.sub(r"^[\W\d_]*(?:[IVXLC]+\.\s+|[A-Z]\.\s+)?", "", title).strip(" .:")
    return plain.casefold() in _REFERENCE_TITLES


class ReferenceList:
    """The reference list of one document, spread over paragraphs.

    entries: (paragraph_id, text) of its paragraphs in reading order. A number that two entries carry belongs to the first.
    """

    def __init__(self, entries: Sequence[tuple[str, str]]) -> None:
        self._entries = [(paragraph, text, text.casefold()) for paragraph, text in entries]
        self._by_number: dict[int, str] = {}
        for paragraph, text in entries:
            for match in _NUMBERED_ENTRY.finditer(text):
                self._by_number.setdefault(int(match["bracket"] or match["plain"]), paragraph)
        self._by_name: dict[CitationKey, str | None] = {}

    def find(self, key: CitationKey) -> str | None:
        """paragraph_id of the entry that a key means, None where the list has none."""
        if key.number is not None:
            return self._by_number.get(key.number)
        if key not in self._by_name:
            self._by_name[key] = self._find_name(key)
        return self._by_name[key]

    def _find_name(self, key: CitationKey) -> str | None:
        name = re.compile(rf"(?<!\w){re.escape(key.author)}(?!\w)")
        year = re.compile(rf"(?<!\d){re.escape(key.year)}(?!\w)")
        for paragraph, _, folded in self._entries:
            if key.author in folded and key.year in folded:
                for match in name.finditer(folded):
                    if year.search(folded, match.end(), match.end() + _ENTRY_REACH):
                        return paragraph
        return None
