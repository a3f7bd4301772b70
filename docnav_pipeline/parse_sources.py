"""Parse source files side by side, in the order they end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from assets_store.errors import DocnavError
from assets_store.settings import ParsingSettings
from docnav_pipeline.hierarchy.overrides import parse_overrides
from docnav_pipeline.parsing.block import DocumentStatus, ParsedDocument
from docnav_pipeline.parsing.pool import parse_many
from docnav_pipeline.sources import SourceFile


def parse_sources(sources: Sequence[SourceFile], settings: ParsingSettings) -> Iterator[tuple[SourceFile, ParsedDocument]]:
    """(source, parsed document) of every source, each exactly once, whatever happens to it."""
    waiting: dict[Path, dict[str | None, SourceFile]] = defaultdict(dict)
    for source in sources:
        if source.fault:
            yield source, ParsedDocument((), "none", DocumentStatus.FAILED, source.fault)
        elif source.path.is_file():
            waiting[source.path][source.fragment] = source
        else:
            yield source, ParsedDocument((), "none", DocumentStatus.FAILED, f"{source.uri} vanished while it was indexed; index again")
    requests = [(path, frozenset(fragments)) for path, fragments in waiting.items()]
    for path, fragment, parsed in parse_many(requests, settings):
        found = waiting[path].pop(fragment, None)
        if found is not None:
            yield found, _with_checked_overrides(found, parsed)
    for path, left in waiting.items():
        for source in left.values():
            reason = f"{source.uri} was not found when {path.name} was read; did the file change meanwhile? Index again."
            yield source, ParsedDocument((), "none", DocumentStatus.FAILED, reason)


def _with_checked_overrides(source: SourceFile, parsed: ParsedDocument) -> ParsedDocument:
    """A document whose overrides file is wrong has failed, because its tree would not be what the person asked for."""
    if not source.overrides:
        return parsed
    try:
        parse_overrides(source.overrides, f"{source.doc}.docnav.toml")
    except DocnavError as error:
        return ParsedDocument((), parsed.parser, DocumentStatus.FAILED, str(error), title=parsed.title, n_pages=parsed.n_pages)
    return parsed
