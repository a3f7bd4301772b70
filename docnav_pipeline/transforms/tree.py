"""Tree rows and paragraph rows of one document, from its recovered headings and repaired blocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from assets_store.ids import paragraph_id, section_id
from assets_store.rows import empty_rows
from assets_store.schemas import PARAGRAPHS, TREE
from assets_store.settings import ParagraphSettings
from docnav_pipeline.hierarchy.heading import Heading
from docnav_pipeline.hierarchy.recover import RecoveredHierarchy
from docnav_pipeline.parsing.block import Block
from docnav_pipeline.transforms.paragraphs import Unit, build_units

_TREE_SCHEMA = empty_rows(TREE, without=["doc_version"]).schema
_PARAGRAPH_SCHEMA = empty_rows(PARAGRAPHS, without=["doc_version"]).schema


@dataclass(slots=True)
class Node:
    """A node while the tree is being made. children: paragraphs and sections in reading order."""

    node_id: str
    kind: str
    parent: Node | None
    path: tuple[str, ...]
    heading: Heading | None = None
    title: str = ""
    unit: Unit | None = None
    blocks: list[Block] = field(default_factory=list)
    printed: list[Block] = field(default_factory=list)
    children: list[Node] = field(default_factory=list)
    n_tokens: int = 0
    height: int = 0
    pages: tuple[int, int] | None = None


def build_tree(doc_id: str, title: str, recovered: RecoveredHierarchy, paragraphs: ParagraphSettings) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Rows of `tree` and of `paragraphs` (without doc_version) of one document.

    title: title of the document node where the document prints none. Text before the first heading hangs on the document
    node, text between a heading and its first subheading on that section, before its subsections. Of a document that prints
    headings and nothing else, each is the text of its own section, because of a document without units nothing can be fetched.
    """
    root = Node(doc_id, "document", None, (), title=recovered.title or title)
    _hang_sections(root, recovered)
    if not _hang_paragraphs(root, paragraphs):
        _hang_headings(root, paragraphs)
    _measure(root)
    tree: list[dict[str, Any]] = []
    units: list[dict[str, Any]] = []
    _write(root, doc_id, 0, 0, tree, units)
    return pl.DataFrame(tree, schema=_TREE_SCHEMA), pl.DataFrame(units, schema=_PARAGRAPH_SCHEMA)


def _hang_sections(root: Node, recovered: RecoveredHierarchy) -> None:
    """Sections under their parents by level, each with the blocks between its heading and the next one."""
    twins: Counter[tuple[str, ...]] = Counter()
    stack: list[tuple[int, Node]] = [(0, root)]
    node, start = root, 0
    for heading in recovered.headings:
        node.blocks.extend(recovered.blocks[start : heading.first_block])
        while stack[-1][0] >= heading.level:
            stack.pop()
        parent = stack[-1][1]
        path = (*parent.path, heading.title)
        node = Node(section_id(root.node_id, path, twins[path]), "section", parent, path, heading, heading.title)
        node.printed = list(recovered.blocks[heading.first_block : heading.first_block + heading.n_blocks])
        twins[path] += 1
        parent.children.append(node)
        stack.append((heading.level, node))
        start = max(start, heading.first_block + heading.n_blocks)
    node.blocks.extend(recovered.blocks[start:])


def _hang_paragraphs(node: Node, settings: ParagraphSettings) -> int:
    """Hang the units of all sections below a node, and its own; their number."""
    below = sum(_hang_paragraphs(child, settings) for child in node.children)
    return below + _hang_units(node, node.blocks, settings)


def _hang_headings(node: Node, settings: ParagraphSettings) -> None:
    for child in node.children:
        _hang_headings(child, settings)
    _hang_units(node, node.printed, settings)


def _hang_units(node: Node, blocks: Sequence[Block], settings: ParagraphSettings) -> int:
    """Hang the units of some blocks on a node, before its sections; their number."""
    twins: Counter[str] = Counter()
    own: list[Node] = []
    for unit in build_units(blocks, settings):
        name = paragraph_id(node.node_id, unit.text, twins[unit.text])
        twins[unit.text] += 1
        own.append(Node(name, "paragraph", node, node.path, unit=unit))
    node.children[:0] = own
    return len(own)


def _measure(node: Node) -> None:
    """Tokens, height and pages, from the leaves up."""
    pages: list[int] = [b.page for b in node.printed if b.page is not None]
    if node.heading is not None and node.heading.page is not None:
        pages.append(node.heading.page)
    if node.unit is not None:
        node.n_tokens = node.unit.n_tokens
        pages.extend(node.unit.pages)
    for child in node.children:
        _measure(child)
        node.n_tokens += child.n_tokens
        node.height = max(node.height, child.height + 1)
        pages.extend(child.pages or ())
    node.pages = (min(pages), max(pages)) if pages else None


def _write(
    node: Node,
    doc_id: str,
    position: int,
    token_start: int,
    tree: list[dict[str, Any]],
    units: list[dict[str, Any]],
) -> None:
    """Append the rows of a node and of all below it, parents first."""
    heading, unit = node.heading, node.unit
    pages = {"page_start": node.pages[0] if node.pages else None, "page_end": node.pages[1] if node.pages else None}
    tree.append(
        {
            "doc_id": doc_id,
            "node_id": node.node_id,
            "kind": node.kind,
            "parent_id": node.parent.node_id if node.parent else None,
            "depth": len(node.path) + (node.kind == "paragraph"),
            "position": position,
            "preorder": len(tree),
            "title": node.title,
            "label": heading.label if heading else "",
            "path": list(node.path),
            "evidence": list(heading.evidence) if heading else [],
            "confidence": heading.confidence if heading else 1.0,
            **pages,
            "boxes": [{"page": b.page, "bbox": b.bbox} for b in node.printed if b.page is not None and b.bbox is not None],
            "anchor": next((b.anchor for b in node.printed if b.anchor), None),
            "token_start": token_start,
            "n_tokens": node.n_tokens,
            "height": node.height,
        }
    )
    if unit is not None and node.parent is not None:
        units.append(
            {
                "doc_id": doc_id,
                "paragraph_id": node.node_id,
                "parent_id": node.parent.node_id,
                "position": len(units),
                "kind": unit.kind,
                "text": unit.text,
                "n_tokens": unit.n_tokens,
                "path": list(node.path),
                **pages,
                "boxes": unit.boxes,
                "blocks": unit.positions,
            }
        )
    for n, child in enumerate(node.children):
        _write(child, doc_id, n, token_start, tree, units)
        token_start += child.n_tokens
