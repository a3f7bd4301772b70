"""The outline of a folder: folders and documents as upper levels, the headings of each document below it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from assets_store.ids import split_uri
from assets_store.settings import Settings
from docnav_pipeline.hierarchy.llm_levels import level_model
from docnav_pipeline.hierarchy.overrides import read_overrides
from docnav_pipeline.hierarchy.recover import outline_entries, recover
from docnav_pipeline.parsing.block import BlockType, DocumentStatus, ParsedDocument
from docnav_pipeline.roots import Root
from docnav_pipeline.sources import SourceFile, list_sources
from docnav_pipeline.transforms.documents import document_title
from docnav_pipeline.transforms.folders import folder_titles, is_index_page

Read = tuple[SourceFile, str, list[dict[str, Any]]]
_HOME = ("", "", "")


def folder_outline(folder: Path, settings: Settings, ignore_bookmarks: bool) -> tuple[str, list[dict[str, Any]], str]:
    """(name, entries, faults) of all documents below a folder, by path; the index page of a folder comes first and names it.

    An entry of a folder has the evidence `folder`, one of a document `document`; every entry has `doc`, the path below the folder.
    """
    root = Root(str(folder.resolve()), "", "", (), (), ())
    sources = {(source.path, source.fragment): source for source in list_sources(root, Path(root.path), "")}
    read: list[Read] = []
    faults: list[str] = []
    for source, parsed in _parsed(sources, settings):
        if parsed.status is DocumentStatus.UNSUPPORTED:
            continue
        if parsed.status is not DocumentStatus.OK:
            faults.append(f"{source.uri}: {parsed.status}: {parsed.reason}")
            continue
        blocks = [b for b in parsed.blocks if not ignore_bookmarks or b.type is not BlockType.OUTLINE]
        recovered = recover(blocks, settings.hierarchy, read_overrides(source.path), level_model(settings, None))
        read.append((source, recovered.title or document_title(source, parsed), outline_entries(recovered)))
    return folder.resolve().name, list(_entries(sorted(read, key=_order))), "; ".join(sorted(faults))


def _parsed(sources: dict[tuple[Path, str | None], SourceFile], settings: Settings) -> Iterator[tuple[SourceFile, ParsedDocument]]:
    from docnav_pipeline.parsing.pool import parse_many

    paths = sorted({path for path, _ in sources})
    for path, fragment, parsed in parse_many(paths, settings.parsing, min(len(paths), 2)):
        if (path, fragment) in sources:
            yield sources[path, fragment], parsed


def _order(read: Read) -> tuple[tuple[str, ...], bool, str]:
    path = split_uri(read[0].uri)[0]
    return PurePosixPath(path).parts[:-1], not is_index_page(path), read[0].uri


def _entries(read: Sequence[Read]) -> Iterator[dict[str, Any]]:
    titles = folder_titles((_HOME, source.uri, title) for source, title, _ in read)
    shown: set[tuple[str, ...]] = {()}
    for source, title, entries in read:
        path = split_uri(source.uri)[0]
        folders = PurePosixPath(path).parts[:-1]
        for depth in range(1, len(folders) + 1):
            if folders[:depth] not in shown:
                shown.add(folders[:depth])
                name = titles.get((*_HOME, "/".join(folders[:depth])), folders[depth - 1])
                yield _entry(name, depth, "/".join(folders[:depth]), "folder")
        speaks_for_folder = is_index_page(path) and ((*_HOME, "/".join(folders)) in titles or not folders)
        above = len(folders) + (not speaks_for_folder)
        if not speaks_for_folder:
            yield _entry(title, above, source.uri, "document")
        for entry in entries:
            yield {**entry, "level": entry["level"] + above, "doc": source.uri}


def _entry(title: str, level: int, doc: str, kind: str) -> dict[str, Any]:
    return {"title": title, "level": level, "page": None, "label": "", "confidence": 1.0, "evidence": [kind], "doc": doc}
