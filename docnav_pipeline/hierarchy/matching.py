"""Which printed lines the entries of a table of contents, or bookmarks, name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from docnav_pipeline.hierarchy.contents import Contents, Entry
from docnav_pipeline.hierarchy.numbering import read_labels
from docnav_pipeline.hierarchy.rows import Body, Row
from docnav_pipeline.hierarchy.titles import bare_of_mark, key_of
from docnav_pipeline.parsing.block import BlockType

# Lines of one heading in print; longer ones are paragraphs.
_MAX_LINES = 4


def match_contents(contents: Contents, rows: Sequence[Row], body: Body) -> Contents:
    """Find the printed heading of each entry, by title, page and order.

    The distance between printed page numbers and pages of the file is the one that most
    entries with an unambiguous title agree on; a title that occurs elsewhere too is then
    taken on its own page.
    """
    if not contents.entries:
        return contents
    entries, offsets = match_entries(contents.entries, rows, contents.rows, body)
    return replace(contents, entries=tuple(entries), offset=offsets.get(False))


def match_entries(
    entries: Sequence[Entry], rows: Sequence[Row], excluded: frozenset[int], body: Body, offsets: Mapping[bool, int] | None = None
) -> tuple[list[Entry], Mapping[bool, int]]:
    """Entries with the rows that print their headings, and page of the file minus printed page for (Arabic, Roman) numbers.

    excluded: rows that print the table of contents itself. offsets: where they are known.
    """
    runs = _runs(rows, excluded)
    found = [_places(entry, runs) for entry in entries]
    if offsets is None:
        offsets = _offsets(entries, found, rows)
    taken: set[int] = set()
    matched: list[Entry] = []
    floor = 0
    for entry, places in zip(entries, found, strict=True):
        offset = offsets.get(entry.roman)
        expected = entry.printed_page + offset if entry.printed_page is not None and offset is not None else None
        if not places and expected is not None:
            places = _similar(entry, rows, expected, excluded)
        best: tuple[float, int, int] | None = None
        for row, n in places:
            if row in taken:
                continue
            score = _place_score(rows, row, n, expected, floor, body)
            if score > 0 and (best is None or score > best[0]):
                best = (score, row, n)
        if best:
            _, row, n = best
            taken.update(range(row, row + n))
            floor = max(floor, row)
            matched.append(replace(entry, row=row, n_rows=n))
        else:
            matched.append(entry)
    return matched, offsets


def _places(entry: Entry, runs: Mapping[str, list[tuple[int, int]]]) -> list[tuple[int, int]]:
    return list(dict.fromkeys(place for key in _entry_keys(entry) for place in runs.get(key, ())))


def _offsets(entries: Sequence[Entry], found: Sequence[list[tuple[int, int]]], rows: Sequence[Row]) -> dict[bool, int]:
    """Pages of the file minus printed page, for Arabic (False) and Roman (True) numbers; each entry shares one vote among its places."""
    votes: dict[bool, dict[int, float]] = {False: defaultdict(float), True: defaultdict(float)}
    for entry, places in zip(entries, found, strict=True):
        pages = {page for row, _ in places if (page := rows[row].page) is not None}
        for page in pages:
            if entry.printed_page is not None:
                votes[entry.roman][page - entry.printed_page] += 1.0 / len(pages)
    return {roman: max(sorted(shifts), key=lambda shift: shifts[shift]) for roman, shifts in votes.items() if shifts}


def _place_score(rows: Sequence[Row], first: int, n: int, expected: int | None, floor: int, body: Body) -> float:
    row = rows[first]
    score = 1.0
    if expected is not None and row.page is not None:
        distance = abs(row.page - expected)
        if distance > 1:
            return 0.0
        score += 4.0 - 2.0 * distance
    elif first < floor or row.type == BlockType.TABLE:
        return 0.0
    else:
        # Without a page the first printed place behind the previous entry is meant.
        score += 1.0 / (1.0 + (first - floor) / 50.0)
    prominent = row.style.size_pt > body.style.size_pt + 0.4 or (row.style.bold and not body.style.bold)
    score += 1.0 * prominent + 0.5 * (row.type == BlockType.TITLE) - 1.5 * (row.type in (BlockType.FURNITURE, BlockType.TABLE))
    score += 0.5 * row.opens_block + 0.3 * rows[first + n - 1].ends_block - 0.05 * n
    return score + min(row.style.size_pt, 40.0) / 100.0


def _similar(entry: Entry, rows: Sequence[Row], expected: int, excluded: frozenset[int]) -> list[tuple[int, int]]:
    """Rows on the expected page that print the title with small differences, or the start of it."""
    keys = _entry_keys(entry)
    places: list[tuple[int, int]] = []
    for i, row in enumerate(rows):
        if row.page is None or abs(row.page - expected) > 1 or i in excluded:
            continue
        text = ""
        for n in range(1, _MAX_LINES + 1):
            if i + n > len(rows) or rows[i + n - 1].page != row.page:
                break
            text += key_of(rows[i + n - 1].text)
            if len(text) > 2 * max(len(k) for k in keys) + 8:
                break
            if any(len(k) >= 5 and SequenceMatcher(None, k, text, autojunk=False).ratio() >= 0.9 for k in keys):
                places.append((i, n))
                break
    return places


def _runs(rows: Sequence[Row], excluded: frozenset[int]) -> dict[str, list[tuple[int, int]]]:
    """Every run of 1.._MAX_LINES rows of one page as a title key -> (first row, number of rows)."""
    runs: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for i, row in enumerate(rows):
        if i in excluded or row.type == BlockType.CONTENTS or len(row.text) > 250 or (row.type == BlockType.TABLE and " | " in row.text):
            continue
        key = ""
        labels = read_labels(row.text)
        label = key_of(labels[0].text) if labels else ""
        for n in range(1, _MAX_LINES + 1):
            if i + n > len(rows):
                break
            last = rows[i + n - 1]
            if last.page != row.page or (i + n - 1) in excluded or (n > 1 and last.block - row.block > 1):
                break
            key += key_of(last.text.rstrip("-")) if n < _MAX_LINES else key_of(last.text)
            if len(key) > 300:
                break
            if key:
                runs[key].append((i, n))
                # "1.1 Scope" in print and "Scope" in the list.
                if label and (bare := key.removeprefix(label)) != key and len(bare) >= 2:
                    runs[bare].append((i, n))
                unmarked = bare_of_mark(last.text)
                if unmarked != last.text:
                    runs[key.removesuffix(key_of(last.text)) + key_of(unmarked)].append((i, n))
    return runs


def _entry_keys(entry: Entry) -> tuple[str, ...]:
    """The title with its label, and without one (print may drop or add it)."""
    whole = key_of(entry.title)
    rest = key_of(entry.label.rest) if entry.label else ""
    return tuple(k for k in dict.fromkeys((whole, rest)) if len(k) >= 2)
