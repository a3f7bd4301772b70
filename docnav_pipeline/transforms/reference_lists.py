"""Reference lists: the paragraphs that hold them, their entries, and which entry a citation mention means."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import polars as pl

from docnav_pipeline.transforms.citations import CitationKey

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
# A list without a heading: at least so many entries in a row, most of them with a year or an address.
_MIN_UNHEADED = 3
_MOST = 0.6
# Of a list entry only so many characters are looked at.
_MAX_ENTRY = 2_000
_AUTHOR_REACH = 200

_MARKER = re.compile(
    r"(?:^|(?<=\s))[ \t]*(?:[-*•]\s+)?"
    r"(?:\[(?P<bracket>\d{1,4})\]|\[(?P<label>[^\W\d_][\w.+:-]{1,24})\]|(?P<plain>\d{1,4})(?:[.)]\s+|\s+)(?=[^\W\d_a-zß-ÿ]|[“\"«^]))",
    re.MULTILINE,
)
_BULLET = re.compile(r"^[-*•]\s+")
# Page ranges and volumes ("33:1877-1901") and arXiv numbers ("2009.03300") hold no year.
_YEAR = re.compile(r"(?<![\w:./–-])(?P<year>(?:1[6-9]|20)\d{2})(?P<suffix>[a-z]?)(?![\w–-]|\.\d)")
_ADDRESS = re.compile(r"https?://|\bwww\.|\bdoi\b|\barXiv\b", re.IGNORECASE)
_NAME_START = re.compile(
    r"[^\W\d_a-z][\w'’‐-]+,\s+(?:[^\W\d_a-z]\.|[^\W\d_a-z][^\W\d_]+)|(?:[^\W\d_a-z]\.[ -]?){1,3}\s?[^\W\d_a-z][\w'’‐-]+"
)
_INITIALS = re.compile(r"(?:[^\W\d_a-zß-ÿ]\.?[- ]?){1,4}|(?i:jr\.?|sr\.?|i{2,3}|iv)")
_NEXT_AUTHOR = re.compile(r",|;|&|\band\b|\bund\b|\bet\b|\by\b|\(|:|。|、|\bal\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a reference list. paragraph_id: where it begins. number, label: as printed in front of it, None and "" for none."""

    paragraph_id: str
    text: str
    number: int | None = None
    label: str = ""

    @property
    def years(self) -> tuple[str, ...]:
        """Years in the entry, with the letter behind them: "2020a"."""
        return tuple(match["year"] + match["suffix"] for match in _YEAR.finditer(self.text))


def is_reference_title(title: str) -> bool:
    """Whether a heading, with or without a number in front, names a reference list."""
    plain = re.sub(r"^[\W\d_]*(?:[IVXLC]+\.\s+|[A-Z]\.\s+)?(?:\d+(?:\.\d+)*\.?\s+)?", "", title).strip(" .:")
    plain = re.sub(r"^(?:normative|informative|further|selected|additional|external)\s+", "", plain.casefold())
    return plain in _REFERENCE_TITLES


def reference_paragraphs(paragraphs: pl.DataFrame) -> pl.DataFrame:
    """Rows of the paragraphs that hold a reference list, in the order given.

    paragraphs: doc_id, paragraph_id, text, path and any other columns; those of a document in reading order. A list stands under a heading
    that names it. In a document without such a heading it is a run of paragraphs of three or more entries: numbered in brackets from 1 up,
    or each beginning with a name, most of them with a year or an address.
    """
    titles = paragraphs["path"].explode().drop_nulls().unique()
    lists = [title for title in titles if is_reference_title(title)]
    headed = paragraphs["path"].list.eval(pl.element().is_in(lists)).list.any().fill_null(False)
    with_list = set(paragraphs.filter(headed)["doc_id"])
    chosen = headed.to_list()
    run: list[int] = []
    of_run, before = "", None
    for at, (doc_id, text) in enumerate(paragraphs.select("doc_id", "text").iter_rows()):
        if doc_id in with_list:
            continue
        n = _entry_count(text, before if doc_id == of_run else None)
        if n is not None and (doc_id == of_run or not run):
            run.append(at)
        else:
            _choose(run, paragraphs, chosen)
            run = [at] if n is not None else []
        of_run, before = doc_id, n
    _choose(run, paragraphs, chosen)
    return paragraphs.filter(pl.Series(chosen, dtype=pl.Boolean))


def _choose(run: Sequence[int], paragraphs: pl.DataFrame, chosen: list[bool]) -> None:
    if not run:
        return
    texts = paragraphs["text"].gather(list(run)).to_list()
    entries = list(split_entries(("", text) for text in texts))
    dated = sum(bool(entry.years) or bool(_ADDRESS.search(entry.text)) for entry in entries)
    numbered = [entry.number for entry in entries if entry.number is not None]
    rises = numbered == sorted(numbered) and (not numbered or numbered[0] <= 1)
    if len(entries) >= _MIN_UNHEADED and dated >= _MOST * len(entries) and rises:
        for at in run:
            chosen[at] = True


def _entry_count(text: str, before: int | None) -> int | None:
    """The last number of a paragraph of entries in brackets, 0 of one of entries that begin with names; None of any other.

    before: of the paragraph above.
    """
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    first = re.match(r"\[(\d{1,4})\]\s+\S", lines[0]) if lines else None
    if first:
        numbers = [int(n) for n in re.findall(r"^\s*\[(\d{1,4})\]\s", text, re.MULTILINE)]
        return numbers[-1] if int(first[1]) <= 1 or (before is not None and int(first[1]) == before + 1) else None
    parts = [part for part in re.split(r"\n\s*\n", text) if part.strip()]
    named = sum(bool(_NAME_START.match(part.strip())) and bool(_YEAR.search(part)) for part in parts)
    return 0 if parts and named == len(parts) and (len(parts) >= 2 or before == 0) else None


def split_entries(paragraphs: Iterable[tuple[str, str]]) -> Iterator[Entry]:
    """Entries of (paragraph_id, text) of one list in reading order; text in front of the first entry, and what goes on, belongs to one."""
    pending: Entry | None = None
    marked = False
    for paragraph_id, text in paragraphs:
        for part in re.split(r"\n\s*\n", text):
            for entry in _of_part(paragraph_id, part, pending.number if pending else None):
                has_mark = entry.number is not None or bool(entry.label)
                marked = marked or has_mark
                if pending is not None and not has_mark and (_goes_on(entry.text) or (marked and not _begins(entry.text))):
                    pending = replace(pending, text=f"{pending.text}\n{entry.text}"[:_MAX_ENTRY])
                    continue
                if pending is not None:
                    yield pending
                pending = replace(entry, text=entry.text[:_MAX_ENTRY])
    if pending is not None:
        yield pending


def _of_part(paragraph_id: str, part: str, last: int | None) -> Iterator[Entry]:
    """Entries of text without a blank line. last: number of the entry before."""
    starts: list[tuple[int, int, int | None, str]] = []
    for match in _MARKER.finditer(part):
        at_line_start = not part[: match.start()].rpartition("\n")[2].strip()
        number = int(match["bracket"] or match["plain"] or 0) or None
        follows = number is not None and last is not None and number == last + 1
        sure = bool(match["bracket"]) or bool(match["label"])
        # In running text "[7]" is a mention, and "2018" at the start of a line a year, unless it is the next number.
        if not (follows or (at_line_start and (sure or (last is None and number is not None and number <= 1)))):
            continue
        starts.append((match.start(), match.end(), number, match["label"] or ""))
        last = number if number is not None else last
    if not starts:
        yield from (Entry(paragraph_id, text) for text in _unmarked(part))
        return
    if head := part[: starts[0][0]].strip():
        yield Entry(paragraph_id, head)
    ends = [start[0] for start in starts[1:]] + [len(part)]
    for (_, begin, number, label), end in zip(starts, ends, strict=True):
        yield Entry(paragraph_id, part[begin:end].strip(), number, label)


def _unmarked(part: str) -> list[str]:
    """Entries without number: one a line where most lines are whole entries, else all of it."""
    lines = [_BULLET.sub("", line.strip()) for line in part.split("\n") if line.strip()]
    whole = sum(bool(_YEAR.search(line) or _ADDRESS.search(line)) and not _goes_on(line) for line in lines)
    bulleted = sum(bool(_BULLET.match(line.strip())) for line in part.split("\n"))
    if len(lines) > 1 and (whole >= 0.8 * len(lines) or bulleted == len(lines)):
        return lines
    return ["\n".join(lines)] if lines else []


def _begins(text: str) -> bool:
    """Whether a text without a mark is an entry of its own in a list of entries with marks."""
    return bool(_NAME_START.match(text)) and bool(_YEAR.search(text))


def _goes_on(text: str) -> bool:
    """Whether a text is the rest of an entry: it begins in small letters, with a digit or an address."""
    return text[:1].islower() or text[:1].isdigit() or text.startswith(("(", ")", ",", "&"))


@lru_cache(maxsize=20_000)
def author_names(text: str) -> tuple[str, ...]:
    """Last names in front of the title of an entry, casefolded, first author first; () where none are told apart.

    Read are "Smith, J., Lee, K.", "Smith J, Lee K", "J. Smith and K. Lee" and "Jane Smith, Kim Lee".
    """
    head = text[:_AUTHOR_REACH]
    year = _YEAR.search(head)
    head = re.split(r"[“\"«]|(?<=[^\W\d_]{2})\.\s", head[: year.start()] if year and year.start() > 3 else head, maxsplit=1)[0]
    names: list[str] = []
    for part in _NEXT_AUTHOR.split(head):
        words = [word.strip(".,;:*∗† ") for word in part.split()]
        words = [word for word in words if word and not _INITIALS.fullmatch(word)]
        if words and any(c.isupper() or not c.isascii() for c in words[-1]) and len(words) <= 4:
            names.append(words[-1].casefold())
    return tuple(names)


class ReferenceList:
    """The entries of one reference list.

    paragraphs: (paragraph_id, text) in reading order. A number or label that two entries carry belongs to the first.
    """

    def __init__(self, paragraphs: Sequence[tuple[str, str]]) -> None:
        self.entries = list(split_entries(paragraphs))
        self._by_number: dict[int, Entry] = {}
        self._by_label: dict[str, Entry] = {}
        self._by_first: dict[tuple[str, str], list[Entry]] = defaultdict(list)
        for entry in self.entries:
            if entry.number is not None:
                self._by_number.setdefault(entry.number, entry)
            if entry.label:
                self._by_label.setdefault(entry.label.casefold(), entry)
            first = author_names(entry.text)[:1]
            for year in dict.fromkeys(entry.years):
                for form in {year, year[:4]}:
                    if first:
                        self._by_first[first[0], form].append(entry)
        self.largest = max(self._by_number, default=0)
        self.is_labelled = bool(self._by_label)

    def find(self, key: CitationKey) -> str | None:
        """paragraph_id of the entry that a key means, None where the list has none or several that fit equally well."""
        found = self.find_entry(key)
        return found.paragraph_id if found is not None else None

    def find_entry(self, key: CitationKey) -> Entry | None:
        """The entry that a key means. Of several in one paragraph that fit equally well it is the first."""
        if key.number is not None:
            return self._by_number.get(key.number)
        if key.label:
            return self._by_label.get(key.label.casefold())
        found = self._by_name(key)
        if len({entry.paragraph_id for entry in found}) > 1:
            return None
        return found[0] if found else None

    def _by_name(self, key: CitationKey) -> list[Entry]:
        """Entries by first author and year; else those that name the author in front. A second author decides between several."""
        last = key.author.split()[-1] if key.author else ""
        found = self._by_first.get((last, key.year), []) or self._by_first.get((key.author, key.year), [])
        if not found:
            name = re.compile(rf"(?<!\w){re.escape(key.author)}(?!\w)")
            found = [e for e in self.entries if key.year in e.years and name.search(e.text[:_AUTHOR_REACH].casefold())]
        if key.second and len(found) > 1:
            second = key.second.split()[-1]
            found = [entry for entry in found if second in author_names(entry.text)[1:2]] or found
        return found
