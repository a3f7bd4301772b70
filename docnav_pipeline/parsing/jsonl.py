"""JSONL of documents: one document a line, or the pages of one document, read as a stream."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assets_store.ids import is_encodable
from docnav_pipeline.parsing.block import DocumentStatus, ParsedDocument
from docnav_pipeline.parsing.characters import one_line
from docnav_pipeline.parsing.text import PARSER as TEXT_PARSER
from docnav_pipeline.parsing.text import text_blocks

PARSER = f"jsonl 1 ({TEXT_PARSER})"

_MAX_LINE_BYTES = 64 * 1024 * 1024
_MAX_ID_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class JsonlEntry:
    """One document of a JSONL file.

    fragment: `id` of the line; None for the one document whose pages are the lines; "line-7" for
        a line that cannot be read, so that its fault is seen under its place.
    digest: SHA-256 of the bytes of its line(s), hexadecimal.
    lines: line numbers from 1, one for a document, all for a document of pages.
    n_bytes: bytes of its line(s), without line ends.
    error: why the entry cannot be indexed, "" when it can.
    """

    fragment: str | None
    title: str | None
    digest: str
    lines: tuple[int, ...]
    n_bytes: int
    error: str = ""


def list_entries(path: Path) -> list[JsonlEntry]:
    """Entries of a JSONL file in the order of their first line; blank lines are skipped.

    A line that is no JSON object with `text`, or repeats an id, is an entry with an error; of
    lines with one id the first is the document.
    """
    entries: list[JsonlEntry] = []
    seen: dict[str, int] = {}
    page_lines: list[int] = []
    page_digest = hashlib.sha256()
    page_position: int | None = None
    n_page_bytes = 0
    for number, raw in _lines(path):
        record, error = _record(raw)
        if record is not None and _is_page(record):
            if page_position is None:
                page_position = len(entries)
            page_lines.append(number)
            n_page_bytes += len(raw)
            page_digest.update(raw)
            page_digest.update(b"\n")
            continue
        digest = hashlib.sha256(raw).hexdigest()
        if record is None:
            entries.append(JsonlEntry(f"line-{number}", None, digest, (number,), len(raw), f"line {number}: {error}"))
            continue
        fragment = str(record["id"])
        title = one_line(record["title"]) or None if isinstance(record.get("title"), str) else None
        if fragment in seen:
            error = f"line {number}: id {fragment!r} was used on line {seen[fragment]} already; ids must be unique"
            entries.append(JsonlEntry(f"line-{number}", title, digest, (number,), len(raw), error))
            continue
        seen[fragment] = number
        entries.append(JsonlEntry(fragment, title, digest, (number,), len(raw)))
    if page_position is not None:
        entries.insert(page_position, JsonlEntry(None, None, page_digest.hexdigest(), tuple(page_lines), n_page_bytes))
    return entries


def parse_jsonl(path: Path, fragments: Collection[str | None] | None = None) -> Iterator[tuple[str | None, ParsedDocument]]:
    """Documents of a JSONL file.

    fragments: entries to parse, by `JsonlEntry.fragment` (None is the document of pages); all when not given.
    """
    entries = [entry for entry in list_entries(path) if fragments is None or entry.fragment in fragments]
    wanted = {entry.lines[0]: entry for entry in entries if entry.fragment is not None}
    paged = next((entry for entry in entries if entry.fragment is None), None)
    pages: list[tuple[int, int, str]] = []
    page_lines = frozenset(paged.lines) if paged is not None else frozenset[int]()
    for number, raw in _lines(path):
        if number in page_lines:
            record, _ = _record(raw)
            if record is not None:
                pages.append((int(record["page"]), number, record["text"]))
            continue
        entry = wanted.get(number)
        if entry is None:
            continue
        if entry.error:
            yield entry.fragment, ParsedDocument((), PARSER, DocumentStatus.CORRUPT, entry.error, title=entry.title)
            continue
        record, _ = _record(raw)
        if record is not None:
            yield entry.fragment, _document(record["text"], entry.title)
    if paged is not None:
        yield None, _paged_document(pages)


def _document(text: str, title: str | None) -> ParsedDocument:
    return ParsedDocument(tuple(text_blocks([text], paged=False)), PARSER, title=title)


def _paged_document(pages: list[tuple[int, int, str]]) -> ParsedDocument:
    """One document of pages in the order of their numbers; a number given twice keeps the order of the lines."""
    pages = sorted(pages, key=lambda page: page[:2])
    numbers = [number for number, _, _ in pages]
    blocks = text_blocks([text for _, _, text in pages], paged=True)
    renumbered = tuple(replace(block, page=numbers[block.page - 1]) if block.page is not None else block for block in blocks)
    empty = tuple(sorted({number for number, _, text in pages if not text.strip()}))
    return ParsedDocument(renumbered, PARSER, n_pages=max(numbers), pages_without_text=empty)


def _is_page(record: dict[str, Any]) -> bool:
    return "id" not in record


def _record(raw: bytes) -> tuple[dict[str, Any] | None, str]:
    """The object on a line and "", or None and what is wrong with it."""
    if len(raw) > _MAX_LINE_BYTES:
        return None, f"longer than {_MAX_LINE_BYTES} bytes; give long documents a file of their own"
    try:
        record = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        return None, f"no UTF-8 ({error.reason} at byte {error.start})"
    except json.JSONDecodeError as error:
        return None, f"no JSON ({error.msg} at character {error.pos})"
    except (RecursionError, ValueError) as error:
        return None, f"no usable JSON ({error})"
    if not isinstance(record, dict):
        return None, f'expected an object with "id" and "text", found {type(record).__name__}'
    if not isinstance(record.get("text"), str):
        return None, f'expected "text" as a string, found {type(record.get("text")).__name__}'
    if not all(is_encodable(value) for value in (record.get("id"), record.get("title"), record["text"]) if isinstance(value, str)):
        return None, "holds half of a surrogate pair, which is no character; write the text as UTF-8"
    if "id" in record:
        identifier = record["id"]
        if not isinstance(identifier, (str, int)) or isinstance(identifier, bool) or not str(identifier).strip():
            return None, f'expected "id" as a string or an integer, found {identifier!r:.80}'
        if len(str(identifier)) > _MAX_ID_CHARACTERS:
            return None, f'"id" is longer than {_MAX_ID_CHARACTERS} characters'
        return record, ""
    page = record.get("page")
    if not isinstance(page, int) or isinstance(page, bool) or not 1 <= page <= 10_000_000:
        return None, f'expected "id", or "page" as an integer from 1; found page {page!r:.80}'
    return record, ""


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Line numbers from 1 and bytes without the line end; blank lines are left out."""
    with path.open("rb") as file:
        number = 0
        while raw := file.readline(_MAX_LINE_BYTES + 1):
            number += 1
            if len(raw) > _MAX_LINE_BYTES and not raw.endswith(b"\n"):
                while (rest := file.readline(_MAX_LINE_BYTES)) and not rest.endswith(b"\n"):
                    pass
            line = raw.rstrip(b"\r\n")
            if line.strip():
                yield number, line
