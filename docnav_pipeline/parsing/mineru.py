"""Parse files in a parser process: PDF in page windows, office files whole, large files of our own readers."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docnav_pipeline.parsing import media, wire
from docnav_pipeline.parsing.block import Block, DocumentStatus, ParsedDocument
from docnav_pipeline.parsing.process import Crashed, OutOfMemory, ParserProcess, ProcessEnded, TimedOut

if TYPE_CHECKING:
    from assets_store.settings import ParsingSettings

# Of pages that go past a limit, fewer are tried at once, down to this many, before the document is given up.
_SMALLEST_WINDOW = 4
# A packed office file may unfold to this many times parsing.max_file_mb.
_UNPACKED_FACTOR = 4
_ZIPPED = frozenset({media.DOCX, media.PPTX, media.XLSX, media.ODT, media.ODS, media.ODP, media.EPUB})


class Failure(Exception):
    """Parsing ended without a document; carries the status and the reason."""

    def __init__(self, status: DocumentStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


@lru_cache
def mineru_version() -> str:
    """Version of the installed MinerU."""
    return version("mineru")


def parser_label(settings: ParsingSettings, media_type: str) -> str:
    """Name and version of the parser, e.g. "mineru-flash 4.0.12"; formats other than PDF are read alike in every tier."""
    tier = settings.tier if media_type == media.PDF or media_type.startswith(media.IMAGE_PREFIX) else "flash"
    return f"mineru-{tier} {mineru_version()}"


def parse_with(process: ParserProcess, path: Path, media_type: str, settings: ParsingSettings) -> ParsedDocument:
    """Parse a file in a running parser process; every outcome is a document with its status."""
    label = parser_label(settings, media_type)
    try:
        if media_type in _ZIPPED:
            _check_zip(path, settings)
        if media_type == media.PDF:
            return replace(_parse_pdf(process, path, settings), parser=label)
        if media_type in media.OFFICE or media_type.startswith(media.IMAGE_PREFIX):
            tier = settings.tier if media_type.startswith(media.IMAGE_PREFIX) else "flash"
            reply = _ask(process, settings, path, {"operation": "office", "tier": tier, "server_url": settings.server_url})
            return replace(wire.document_from_json(reply), parser=label)
        reply = _ask(process, settings, path, {"operation": "own", "media_type": media_type})
        return wire.document_from_json(reply)
    except Failure as failure:
        return ParsedDocument((), label, status=failure.status, reason=f"{path.name}: {failure.reason}")


def _ask(process: ParserProcess, settings: ParsingSettings, path: Path, message: dict[str, Any]) -> dict[str, Any]:
    """Result of a request; whatever keeps it away is raised as Failure."""
    try:
        reply = _request(process, settings, path, message)
    except TimedOut as error:
        raise Failure(DocumentStatus.TOO_LARGE, f"{error}; raise parsing.timeout_s or split the file") from error
    except OutOfMemory as error:
        raise Failure(DocumentStatus.TOO_LARGE, f"{error}; raise parsing.memory_mb or split the file") from error
    except Crashed as error:
        raise Failure(DocumentStatus.CORRUPT, f"{error}, twice on the same part of the file") from error
    if "ok" in reply:
        result: dict[str, Any] = reply["ok"]
        return result
    if "fault" in reply:
        raise Failure(DocumentStatus(reply["fault"]["status"]), reply["fault"]["reason"])
    fault = _zip_fault(path)
    if fault:
        raise Failure(DocumentStatus.CORRUPT, fault)
    raise Failure(DocumentStatus.FAILED, f"the parser raised {reply.get('error')}")


def _request(process: ParserProcess, settings: ParsingSettings, path: Path, message: dict[str, Any]) -> dict[str, Any]:
    """The answer; a crash is tried once more in a new process, since it may have come from what was parsed before."""
    message = {**message, "path": str(path)}
    try:
        return process.request(message, settings.timeout_s)
    except Crashed:
        return process.request(message, settings.timeout_s)


def _parse_pdf(process: ParserProcess, path: Path, settings: ParsingSettings) -> ParsedDocument:
    info = _ask(process, settings, path, {"operation": "pdf_info"})
    n_pages: int = info["n_pages"]
    blocks: list[Block] = [wire.block_from_json(record) for record in info["bookmarks"]]
    without_text: list[int] = []
    warnings: list[str] = []
    n_broken = 0
    for first in range(1, n_pages + 1, settings.window_pages):
        last = min(first + settings.window_pages - 1, n_pages)
        window_blocks, window_without, window_broken = _parse_window(process, path, settings, first, last, warnings)
        n_broken += window_broken
        blocks.extend(window_blocks if first == 1 else map(_no_document_title, window_blocks))
        without_text.extend(window_without)
    if n_broken == n_pages:
        raise Failure(DocumentStatus.CORRUPT, f"none of its {n_pages} pages opens")
    title = info["title"] or _printed_title(blocks)
    document = ParsedDocument(
        blocks=tuple(blocks),
        parser="",
        title=title,
        language=info["language"],
        n_pages=n_pages,
        pages_without_text=tuple(without_text),
        warnings=tuple(warnings),
    )
    if without_text and not _has_text(blocks):
        reason = (
            f"{path.name}: {len(without_text)} of {n_pages} pages are pictures without text and need OCR, "
            'which parsing.tier = "basic" or higher does'
        )
        return replace(document, status=DocumentStatus.NEEDS_OCR, reason=reason)
    return document


def _parse_window(
    process: ParserProcess, path: Path, settings: ParsingSettings, first: int, last: int, warnings: list[str]
) -> tuple[list[Block], list[int], int]:
    """Blocks of a window, its pages without text and the number of pages that do not open; a window past a limit is retried in quarters."""
    message = {
        "operation": "pdf_window",
        "first": first,
        "last": last,
        "tier": settings.tier,
        "server_url": settings.server_url,
        "min_page_characters": settings.min_page_characters,
    }
    n_pages = last - first + 1
    if n_pages <= _SMALLEST_WINDOW:
        reply = _ask(process, settings, path, message)
    else:
        try:
            answer = _request(process, settings, path, message)
        except ProcessEnded as error:
            warnings.append(f"pages {first}-{last}: {error}; parsed again in smaller windows")
            step = max(n_pages // 4, _SMALLEST_WINDOW)
            blocks: list[Block] = []
            without_text: list[int] = []
            n_broken = 0
            for start in range(first, last + 1, step):
                part = _parse_window(process, path, settings, start, min(start + step - 1, last), warnings)
                blocks.extend(part[0])
                without_text.extend(part[1])
                n_broken += part[2]
            return blocks, without_text, n_broken
        reply = _ask_again(answer, path) if "ok" not in answer else answer["ok"]
    warnings.extend(reply["warnings"])
    return [wire.block_from_json(record) for record in reply["blocks"]], list(reply["pages_without_text"]), reply["n_broken"]


def _ask_again(answer: dict[str, Any], path: Path) -> dict[str, Any]:
    if "fault" in answer:
        raise Failure(DocumentStatus(answer["fault"]["status"]), answer["fault"]["reason"])
    raise Failure(DocumentStatus.FAILED, f"the parser raised {answer.get('error')}")


def _printed_title(blocks: list[Block]) -> str | None:
    """The title that the parser found on the first two pages; further back it is that of a part."""
    titles = (block.text for block in blocks if block.sub_type == "document_title" and (block.page or 0) <= 2)
    return next(titles, None)


def _no_document_title(block: Block) -> Block:
    """Only the first window can hold the title of the document."""
    return replace(block, sub_type=None) if block.sub_type == "document_title" else block


def _has_text(blocks: list[Block]) -> bool:
    from docnav_pipeline.parsing.parse import has_text

    return has_text(blocks)


def _check_zip(path: Path, settings: ParsingSettings) -> None:
    limit = settings.max_file_mb * 1024 * 1024 * _UNPACKED_FACTOR
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise Failure(DocumentStatus.CORRUPT, f"a broken container ({error})") from error
    if any(entry.flag_bits & 1 for entry in entries):
        raise Failure(DocumentStatus.ENCRYPTED, "locked with a password; save it without one")
    unpacked = sum(entry.file_size for entry in entries)
    if unpacked > limit:
        raise Failure(
            DocumentStatus.TOO_LARGE,
            f"unfolds to {unpacked // 1024**2} MiB, more than {_UNPACKED_FACTOR} x max_file_mb = {settings.max_file_mb}; "
            "raise parsing.max_file_mb",
        )


def _zip_fault(path: Path) -> str:
    """What is broken in a zip container, "" when nothing is or it is none."""
    if not zipfile.is_zipfile(path):
        return ""
    try:
        with zipfile.ZipFile(path) as archive:
            bad = archive.testzip()
    except Exception as error:  # any reader error says the same: the container is broken
        return f"a broken container ({error})"
    return f"the part {bad} of the file is broken" if bad else ""
