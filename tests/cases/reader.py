"""Read one made-up file the way `docnav index` does: parser, hierarchy, tree and evidence units."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from assets_store.settings import HierarchySettings, ParagraphSettings, ParsingSettings
from docnav_pipeline.hierarchy.recover import recover
from docnav_pipeline.parsing.block import Block, BlockType, DocumentStatus, ParsedDocument
from docnav_pipeline.parsing.parse import parse_source
from docnav_pipeline.parsing.process import ParserProcess
from docnav_pipeline.transforms.tree import build_tree

DOC_ID = "made"


@dataclass(frozen=True, slots=True)
class Reading:
    """What became of a file. tree, paragraphs: rows of these tables, in reading order."""

    document: ParsedDocument
    title: str
    tree: pl.DataFrame
    paragraphs: pl.DataFrame

    @property
    def outline(self) -> list[tuple[int, str]]:
        """(depth, title) of every section."""
        return self.tree.filter(kind="section").select("depth", "title").rows()

    @property
    def everything(self) -> str:
        """All evidence text."""
        return "\n\n".join(self.paragraphs["text"])

    def under(self, *path: str) -> str:
        """Text of the units directly in the section with this path."""
        return "\n\n".join(row["text"] for row in self.paragraphs.to_dicts() if row["path"] == list(path))

    def blocks(self, kind: BlockType) -> list[Block]:
        return [block for block in self.document.blocks if block.type is kind]


def read_file(path: Path, process: ParserProcess | None = None, window_pages: int = 50) -> Reading:
    """Read a file that must come out with status `ok`."""
    ((_, document),) = parse_source(path, ParsingSettings(window_pages=window_pages), process=process)
    assert document.status is DocumentStatus.OK, document.reason
    return structure(document)


def structure(document: ParsedDocument, sizes: ParagraphSettings | None = None) -> Reading:
    """Tree and units of a parsed document."""
    recovered = recover(document.blocks, HierarchySettings())
    title = document.title or ""
    tree, paragraphs = build_tree(DOC_ID, title, recovered, sizes or ParagraphSettings())
    return Reading(document, str(tree["title"][0]), tree, paragraphs)
