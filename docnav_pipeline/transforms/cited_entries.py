"""Which entries of its reference lists a document cites, and from where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import polars as pl

from docnav_pipeline.transforms.citations import CitationKey, citation_keys, glued_marks
from docnav_pipeline.transforms.reference_lists import Entry, ReferenceList, is_reference_title

# Glued numbers are citations where at least so many of them, and this share, name an entry of the list.
_MIN_GLUED = 3
_GLUED_SHARE = 0.7

# paragraph_id, text, path, position
Row = tuple[str, str, Sequence[str], int]


@dataclass(frozen=True, slots=True)
class Mention:
    """A mention in a paragraph and the entries that it names; unresolved where there are none."""

    source_id: str
    text: str
    entries: tuple[Entry, ...]


class ReferenceLists:
    """The lists of one document: one at its end, one a chapter, or both.

    rows: (paragraph_id, text, path, position) of what `reference_paragraphs` gives, in reading order. A list ends where its heading changes
    or other text comes between. order, parents: of all nodes of the document, reading order and parent.
    """

    def __init__(self, rows: Sequence[Row], order: Mapping[str, int], parents: Mapping[str, str | None]) -> None:
        groups: list[list[tuple[str, str]]] = []
        before: tuple[tuple[str, ...], int] | None = None
        for paragraph_id, text, path, position in rows:
            here = _up_to_heading(path)
            if before is None or before[0] != here or position > before[1] + 1:
                groups.append([])
            groups[-1].append((paragraph_id, text))
            before = (here, position)
        self.lists = [ReferenceList(group) for group in groups]
        self.members = {paragraph_id for group in groups for paragraph_id, _ in group}
        self._order, self._parents = order, parents
        self._above = [set(self._ancestors(group[0][0])) for group in groups]
        self._starts = [order.get(group[0][0], 0) for group in groups]
        spans = sorted((min(e.number for e in found.entries if e.number), found.largest) for found in self.lists if found.largest)
        self._one_numbering = all(a[1] < b[0] for a, b in pairwise(spans))

    def find(self, source_id: str, key: CitationKey) -> Entry | None:
        """The entry that a key means in a paragraph: in the list of its chapter first, then in the next list behind it."""
        for rank, found in enumerate(self._near(source_id)):
            entry = found.find_entry(key)
            if entry is not None:
                return entry
            if key.number is not None and found.largest and not self._one_numbering and rank == 0:
                return None
        return None

    def _near(self, source_id: str) -> list[ReferenceList]:
        if len(self.lists) == 1:
            return self.lists
        mine, at = self._ancestors(source_id), self._order.get(source_id, 0)
        rank = sorted(
            range(len(self.lists)),
            key=lambda n: (-sum(node in self._above[n] for node in mine), self._starts[n] < at, abs(self._starts[n] - at)),
        )
        return [self.lists[n] for n in rank]

    def _ancestors(self, node_id: str) -> list[str]:
        found: list[str] = []
        above = self._parents.get(node_id)
        while above is not None:
            found.append(above)
            above = self._parents.get(above)
        return found


def find_mentions(lists: ReferenceLists, citations: Iterable[tuple[str, Sequence[str], str]]) -> list[Mention]:
    """Mentions of a document in the order given; those that name no entry of its lists have none.

    citations: (paragraph_id, mentions as printed, text). Labels in brackets count only where a list has labels. Numbers glued to words are
    read as raised marks where the list is numbered, the document has no numbers in brackets, and most of them name an entry.
    """
    rows = [row for row in citations if row[0] not in lists.members]
    labelled = any(found.is_labelled for found in lists.lists)
    mentions: list[Mention] = []
    bracketed = False
    for source, printed, _ in rows:
        for text in printed:
            keys = citation_keys(text)
            if any(key.label for key in keys) and not labelled:
                continue
            if keys and keys[0].number is not None and not text.startswith("["):
                found = _entries(lists, source, keys)
                # A raised number without an entry may be a footnote or an exponent.
                mentions += [Mention(source, text, found)] if found else []
                continue
            bracketed = bracketed or text.startswith("[")
            mentions.append(Mention(source, text, _entries(lists, source, keys)))
    if not bracketed and any(found.largest >= _MIN_GLUED for found in lists.lists):
        mentions += _glued(lists, rows)
    return mentions


def _glued(lists: ReferenceLists, rows: Sequence[tuple[str, Sequence[str], str]]) -> list[Mention]:
    marks = [(source, mark) for source, _, text in rows for mark in glued_marks(text)]
    found = [Mention(source, mark, _entries(lists, source, citation_keys(f"[{mark}]"))) for source, mark in marks]
    good = [mention for mention in found if mention.entries]
    distinct = {entry.number for mention in good for entry in mention.entries}
    enough = len(distinct) >= _MIN_GLUED and len(good) >= _GLUED_SHARE * len(found)
    return good if enough else []


def _entries(lists: ReferenceLists, source: str, keys: Iterable[CitationKey]) -> tuple[Entry, ...]:
    found = (lists.find(source, key) for key in keys)
    return tuple(dict.fromkeys(entry for entry in found if entry is not None))


def lists_by_document(references: pl.DataFrame) -> dict[str, list[Row]]:
    """doc_id -> rows for `ReferenceLists`. references: doc_id, paragraph_id, text, path, position."""
    found: dict[str, list[Row]] = {}
    ordered = references.sort("doc_id", "position")
    for doc_id, *row in ordered.select("doc_id", "paragraph_id", "text", "path", "position").iter_rows():
        found.setdefault(doc_id, []).append((row[0], row[1], row[2], row[3]))
    return found


def _up_to_heading(path: Sequence[str]) -> tuple[str, ...]:
    """The path down to the heading that names the list; all of it where none does."""
    at = next((n for n, title in enumerate(path) if is_reference_title(title)), len(path) - 1)
    return tuple(path[: at + 1])
