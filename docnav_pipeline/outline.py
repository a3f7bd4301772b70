"""Outlines of files without a store, and of documents that a store holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from assets_store.errors import SourceError
from assets_store.files import Files
from assets_store.names import find_documents, name_index
from assets_store.settings import Settings, load_settings
from assets_store.store import Store
from docnav_pipeline.folder_outline import folder_outline
from docnav_pipeline.hierarchy.llm_levels import level_model
from docnav_pipeline.hierarchy.overrides import SUFFIX, read_overrides
from docnav_pipeline.hierarchy.recover import outline_entries, recover
from docnav_pipeline.parsing.block import BlockType, DocumentStatus, ParsedDocument

Outline = tuple[str, list[dict[str, Any]], str]


def outlines(names: Sequence[str], store: str, ignore_bookmarks: bool) -> Iterator[Outline]:
    """(stem, entries, fault) of each file or document; fault is empty for a good one.

    A name that is a file is parsed now, several files side by side. A folder is one outline: folders and documents are its upper
    levels, each folder under the title of its index page. Any other name is looked up in the store.
    """
    settings = load_settings()
    yield from _of_files([Path(name) for name in names if Path(name).is_file()], settings, ignore_bookmarks)
    for folder in (Path(name) for name in names if Path(name).is_dir()):
        yield folder_outline(folder, settings, ignore_bookmarks)
    others = [name for name in names if not Path(name).exists()]
    if others and not Files(store).exists("store.json"):
        raise SourceError(f"no file {others[0]}, and no store at {Files(store).location} that could hold a document of that name.")
    if others:
        yield from _of_store(Store.open(store), others)


def _of_files(files: Sequence[Path], settings: Settings, ignore_bookmarks: bool) -> Iterator[Outline]:
    from docnav_pipeline.parsing.pool import parse_many

    for path, fragment, parsed in parse_many(files, settings.parsing, min(len(files), 2)):
        name = path.stem if fragment is None else fragment
        yield (name, *_recovered(path, parsed, settings, ignore_bookmarks))


def _recovered(path: Path, parsed: ParsedDocument, settings: Settings, ignore_bookmarks: bool) -> tuple[list[dict[str, Any]], str]:
    if parsed.status is not DocumentStatus.OK:
        return [], f"{parsed.status}: {parsed.reason}"
    use_bookmarks = settings.hierarchy.use_bookmarks and not ignore_bookmarks
    blocks = [b for b in parsed.blocks if use_bookmarks or b.type is not BlockType.OUTLINE]
    recovered = recover(blocks, settings.hierarchy, read_overrides(path), level_model(settings, None))
    lost = recovered.report.unmatched_overrides
    fault = f"{path.name}{SUFFIX}: no match for {', '.join(lost)}" if lost else ""
    return outline_entries(recovered), fault


def _of_store(store: Store, names: Sequence[str]) -> Iterator[Outline]:
    snapshot = store.snapshot()
    documents = snapshot.read("documents", ["doc_id", "doc", "uri", "status", "reason"])
    tree = snapshot.read("tree", ["doc_id", "kind", "title", "label", "depth", "page_start", "evidence", "confidence", "preorder"])
    index = name_index(documents.select("doc_id", "doc", "uri").iter_rows())
    for name in names:
        wanted = find_documents(index, name, f"snapshot {snapshot.id}")
        for row in documents.filter(pl.col("doc_id").is_in(wanted)).sort("uri").to_dicts():
            nodes = tree.filter(doc_id=row["doc_id"], kind="section").sort("preorder").to_dicts()
            entries = [
                {
                    "title": node["title"],
                    "level": node["depth"],
                    "page": node["page_start"],
                    "label": node["label"],
                    "confidence": round(node["confidence"], 3),
                    "evidence": node["evidence"],
                }
                for node in nodes
            ]
            yield (
                (row["doc"] if "#" in row["uri"] else Path(row["doc"]).stem),
                entries,
                "" if row["status"] == "ok" else f"{row['status']}: {row['reason']}",
            )
