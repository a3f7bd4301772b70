"""Document rows: what became of each source file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any

import polars as pl

from assets_store.rows import empty_rows
from assets_store.schemas import DOCUMENTS
from docnav_pipeline.parsing.block import BlockType, DocumentStatus, ParsedDocument
from docnav_pipeline.sources import SourceFile

_SCHEMA = empty_rows(DOCUMENTS, without=["doc_version"]).schema
_SAMPLE_CHARACTERS = 4000
_LEAST_CHARACTERS = 40
# Statuses that a second try may change although the file is the same: faults of ours, limits of the machine.
RETRIED = (DocumentStatus.FAILED.value, DocumentStatus.TOO_LARGE.value)
# Statuses that people must hear of in the exit code; an unsupported file is only reported.
FAILED = tuple(s.value for s in DocumentStatus if s not in (DocumentStatus.OK, DocumentStatus.UNSUPPORTED))


def build_documents(parsed: Iterable[tuple[SourceFile, ParsedDocument]]) -> pl.DataFrame:
    """Rows of `documents` (without doc_version) for (source, parsed document) pairs."""
    return pl.DataFrame([_row(source, document) for source, document in parsed], schema=_SCHEMA)


def _row(source: SourceFile, parsed: ParsedDocument) -> dict[str, Any]:
    return {
        **{
            name: getattr(source, name)
            for name in ("doc_id", "doc", "uri", "root", "kb", "product_version", "sha256", "bytes", "overrides")
        },
        "access_labels": list(source.access_labels),
        "media_type": source.media_type,
        "title": document_title(source, parsed),
        "language": parsed.language or detect_language(parsed),
        "status": parsed.status.value,
        "reason": parsed.reason,
        "n_pages": parsed.n_pages,
        "pages_without_text": list(parsed.pages_without_text),
        "parser": parsed.parser,
        "warnings": list(parsed.warnings),
    }


def document_title(source: SourceFile, parsed: ParsedDocument) -> str:
    """Title that the source states or prints, else the name of the file or entry."""
    printed = next((b.text for b in parsed.blocks if b.type is BlockType.TITLE and b.sub_type == "document_title" and b.text.strip()), "")
    title = " ".join((parsed.title or printed).split())
    return title or source.fragment or PurePosixPath(source.doc).stem


def detect_language(parsed: ParsedDocument) -> str | None:
    """ISO 639-1 code of the running text; None where there is too little of it to tell."""
    sample = ""
    for block in parsed.blocks:
        if block.type in (BlockType.TEXT, BlockType.LIST):
            sample += " " + block.text
        if len(sample) > _SAMPLE_CHARACTERS:
            break
    if sum(ch.isalpha() for ch in sample) < _LEAST_CHARACTERS:
        return None
    import py3langid  # loads its model when imported

    return str(py3langid.classify(sample[:_SAMPLE_CHARACTERS])[0])
