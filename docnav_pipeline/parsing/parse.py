"""Parse a source file: the entry that picks the reader, keeps the limits and gives every outcome a true status."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from docnav_pipeline.parsing import media
from docnav_pipeline.parsing.block import Block, BlockType, DocumentStatus, ParsedDocument
from docnav_pipeline.parsing.errors import SourceFault, status_of

if TYPE_CHECKING:
    from assets_store.settings import ParsingSettings
    from docnav_pipeline.parsing.process import ParserProcess

_MIB = 1024 * 1024
# Our own readers run in this process up to this size; their cost on any input of that size is a
# few seconds. Larger files go to a child process that can be ended.
IN_PROCESS_BYTES = 256 * 1024
# Bumped when a reader of ours changes what it returns for the same file.
READER_VERSION = "4"

_NO_TEXT = (BlockType.FURNITURE, BlockType.OUTLINE, BlockType.CONTENTS, BlockType.IMAGE)


def parse_source(
    path: Path,
    settings: ParsingSettings,
    fragments: Collection[str | None] | None = None,
    process: ParserProcess | None = None,
) -> Iterator[tuple[str | None, ParsedDocument]]:
    """Parse one source file.

    fragments: entries of a JSONL file to parse (see `jsonl.list_entries`); all when not given.
    process: a running parser process to use; by default one is started where it is needed and ended after.

    Yields (None, document) once, or (fragment, document) for each wanted entry of a JSONL file.
    Never raises for what a file holds: the status and reason of the document say what is wrong.
    """
    try:
        refusal, media_type = _refusal(path, settings)
    except OSError as error:
        yield None, _failure(DocumentStatus.FAILED, f"{path.name} cannot be read: {error.strerror or error}")
        return
    if refusal is not None:
        yield None, refusal
    elif media_type == media.JSONL:
        from docnav_pipeline.parsing.jsonl import parse_jsonl

        n_documents = 0
        for fragment, document in parse_jsonl(path, fragments):
            n_documents += 1
            yield fragment, checked(document)
        if n_documents == 0 and fragments is None:
            yield None, _failure(DocumentStatus.EMPTY, f"{path.name} has no line with a document")
    else:
        yield None, checked(_parse_file(path, media_type, settings, process))


def parser_fingerprint(media_type: str, settings: ParsingSettings) -> str:
    """Parser, versions and the settings that change what it returns; part of the cache key of a document."""
    return f"{parser_name(media_type, settings)};reader={READER_VERSION}" + (
        f";window={settings.window_pages};min_page_characters={settings.min_page_characters};server={settings.server_url}"
        if media_type == media.PDF
        else ""
    )


def parser_name(media_type: str, settings: ParsingSettings) -> str:
    """Name and version of the parser that reads a media type."""
    if media_type == media.PDF or media_type in media.OFFICE:
        from docnav_pipeline.parsing.mineru import parser_label

        return parser_label(settings, media_type)
    if media_type == media.HTML:
        from docnav_pipeline.parsing.html import PARSER as HTML_PARSER

        return HTML_PARSER
    if media_type == media.MARKDOWN:
        from docnav_pipeline.parsing.markdown import PARSER as MARKDOWN_PARSER

        return MARKDOWN_PARSER
    if media_type == media.PLAIN:
        from docnav_pipeline.parsing.text import PARSER as TEXT_PARSER

        return TEXT_PARSER
    if media_type == media.JSONL:
        from docnav_pipeline.parsing.jsonl import PARSER as JSONL_PARSER

        return JSONL_PARSER
    if media_type == media.XML:
        from docnav_pipeline.parsing.xml_article import PARSER as XML_PARSER

        return XML_PARSER
    if media_type == media.EPUB:
        from docnav_pipeline.parsing.epub import PARSER as EPUB_PARSER

        return EPUB_PARSER
    if media_type == media.CSV:
        from docnav_pipeline.parsing.delimited import PARSER as CSV_PARSER

        return CSV_PARSER
    if media_type == media.MINERU_JSON:
        from docnav_pipeline.parsing.mineru_output import PARSER as OUTPUT_PARSER

        return OUTPUT_PARSER
    return "none"


def own_reader(media_type: str) -> Callable[[Path], ParsedDocument] | None:
    """The reader of this package for a media type; None where MinerU reads it."""
    if media_type == media.HTML:
        from docnav_pipeline.parsing.html import parse_html

        return parse_html
    if media_type == media.MARKDOWN:
        from docnav_pipeline.parsing.markdown import parse_markdown

        return parse_markdown
    if media_type == media.PLAIN:
        from docnav_pipeline.parsing.text import parse_plain_text

        return parse_plain_text
    if media_type == media.XML:
        from docnav_pipeline.parsing.xml_article import parse_xml

        return parse_xml
    if media_type == media.EPUB:
        from docnav_pipeline.parsing.epub import parse_epub

        return parse_epub
    if media_type == media.CSV:
        from docnav_pipeline.parsing.delimited import parse_csv

        return parse_csv
    if media_type == media.MINERU_JSON:
        from docnav_pipeline.parsing.mineru_output import parse_mineru_output

        return parse_mineru_output
    return None


def run_reader(reader: Callable[[Path], ParsedDocument], path: Path) -> ParsedDocument:
    """Call a reader of ours; what it raises becomes a status."""
    try:
        return reader(path)
    except SourceFault as error:
        return _failure(status_of(error), f"{path.name}: {error}")
    except RecursionError:
        return _failure(DocumentStatus.CORRUPT, f"{path.name}: nested deeper than any real document")
    except Exception as error:  # a fault of ours must not stop the batch; it is recorded and retried
        return _failure(DocumentStatus.FAILED, f"{path.name}: {type(error).__name__}: {error}")


def checked(document: ParsedDocument) -> ParsedDocument:
    """A document that claims to be fine but has no text gets the status `empty`."""
    if document.status is not DocumentStatus.OK or has_text(document.blocks):
        return document
    return replace(document, status=DocumentStatus.EMPTY, reason="the file was read to its end and holds no text")


def has_text(blocks: Collection[Block]) -> bool:
    """Whether any block holds text that could be evidence."""
    return any(block.type not in _NO_TEXT and any(map(str.isalnum, block.text)) for block in blocks)


def _refusal(path: Path, settings: ParsingSettings) -> tuple[ParsedDocument | None, str]:
    """What can be said without parsing (None when nothing speaks against it), and the media type."""
    size = path.stat().st_size
    if size == 0:
        return _failure(DocumentStatus.EMPTY, f"{path.name} has 0 bytes"), media.UNKNOWN
    if size > settings.max_file_mb * _MIB:
        limit = f"more than max_file_mb = {settings.max_file_mb}; raise parsing.max_file_mb or split the file"
        reason = f"{path.name} has {size / _MIB:.0f} MiB, {limit}"
        return _failure(DocumentStatus.TOO_LARGE, reason), media.UNKNOWN
    media_type = media.detect_media_type(path)
    if media_type == media.OLE_ENCRYPTED:
        return _failure(DocumentStatus.ENCRYPTED, f"{path.name} is locked with a password; save it without one"), media_type
    if media_type.startswith(media.IMAGE_PREFIX) and settings.tier == "flash" and not settings.server_url:
        reason = f'{path.name} is a picture ({media_type}); 1 page needs OCR, which parsing.tier = "basic" or higher does'
        return _failure(DocumentStatus.NEEDS_OCR, reason), media_type
    if _is_blank(path, size, media_type):
        return _failure(DocumentStatus.EMPTY, f"{path.name} holds only white space"), media_type
    if media_type not in media.SUPPORTED and not media_type.startswith(media.IMAGE_PREFIX):
        return _failure(DocumentStatus.UNSUPPORTED, media.unsupported_reason(media_type, path)), media_type
    return None, media_type


def _is_blank(path: Path, size: int, media_type: str) -> bool:
    if size > _MIB or media_type == media.PDF:
        return False
    return not path.read_bytes().strip(b" \t\r\n\f\v\x00\xef\xbb\xbf")


def _parse_file(path: Path, media_type: str, settings: ParsingSettings, process: ParserProcess | None) -> ParsedDocument:
    reader = own_reader(media_type)
    if reader is not None and path.stat().st_size <= IN_PROCESS_BYTES and media_type != media.EPUB:
        return run_reader(reader, path)
    from docnav_pipeline.parsing.mineru import parse_with
    from docnav_pipeline.parsing.process import ParserProcess

    if process is not None:
        return parse_with(process, path, media_type, settings)
    with ParserProcess(settings.memory_mb) as own:
        return parse_with(own, path, media_type, settings)


def _failure(status: DocumentStatus, reason: str) -> ParsedDocument:
    return ParsedDocument(blocks=(), parser="none", status=status, reason=reason)
