"""HTML: headings, paragraphs, lists, tables, figures and links, without navigation and site chrome."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lxml import etree

from docnav_pipeline.parsing.block import Block, BlockType, ParsedDocument
from docnav_pipeline.parsing.characters import one_line
from docnav_pipeline.parsing.html_chrome import main_content
from docnav_pipeline.parsing.html_nesting import bounded_nesting
from docnav_pipeline.parsing.html_reader import Reader
from docnav_pipeline.parsing.html_style import DEFAULT_PT
from docnav_pipeline.parsing.reading import declared_encoding, decode_text
from docnav_pipeline.parsing.titles import mark_document_title, reads_as_title

PARSER = f"html 2 (lxml {version('lxml')})"

# Text set this much larger than most of the document is no body text.
_LARGER = 1.1


def parse_html(path: Path) -> ParsedDocument:
    """Parse an HTML file; the encoding is taken from its mark, its meta element or its bytes."""
    data = path.read_bytes()
    text, _ = decode_text(data, declared_encoding(data))
    return parse_html_text(text)


def parse_html_text(text: str) -> ParsedDocument:
    """Parse HTML given as characters."""
    root = parse_tree(text)
    if root is None:
        return ParsedDocument(blocks=(), parser=PARSER)
    title = one_line("".join(root.findtext(".//head/title") or root.findtext(".//title") or "")) or None
    language = (root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or "").split("-")[0].strip().lower()
    blocks = blocks_of(main_content(root))
    blocks = mark_document_title(blocks, title)
    if title is None:
        title = next((block.text for block in blocks if block.sub_type == "document_title"), None)
    return ParsedDocument(blocks=tuple(blocks), parser=PARSER, title=title, language=language if 2 <= len(language) <= 3 else None)


def fragment_blocks(markup: str) -> list[Block]:
    """Blocks of a piece of HTML, as it stands inside a Markdown file."""
    root = parse_tree(markup)
    return [] if root is None else blocks_of(root, whole_page=False)


def parse_tree(text: str) -> Any:
    """lxml tree of HTML, None for no element at all."""
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True, huge_tree=False)
    try:
        return etree.fromstring(bounded_nesting(text).encode("utf-8", errors="replace"), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def blocks_of(root: Any, whole_page: bool = True) -> list[Block]:
    """Blocks below an element. whole_page: drop navigation and other site chrome."""
    reader = Reader(whole_page)
    reader.walk(root)
    reader.flush()
    blocks = reader.blocks
    if whole_page and not any(block.type is BlockType.TITLE for block in blocks):
        sizes: Counter[float] = Counter()
        for block in blocks:
            sizes[block.size_pt or DEFAULT_PT] += len(block.text)
        body_pt = sizes.most_common(1)[0][0] if sizes else DEFAULT_PT
        blocks = [_pseudo_title(block, reader.all_bold, body_pt) for block in blocks]
        if len(sizes) > 1:
            blocks = [replace(block, size_pt=block.size_pt or DEFAULT_PT) for block in blocks]
    return blocks


def _pseudo_title(block: Block, all_bold: set[int], body_pt: float) -> Block:
    """A paragraph all in bold, or set larger than the text, is a heading in a document that has no heading elements."""
    text = block.text
    is_bold = id(block) in all_bold
    is_large = (block.size_pt or DEFAULT_PT) >= _LARGER * body_pt
    if block.type is not BlockType.TEXT or not (is_bold or is_large):
        return block
    if not reads_as_title(text):
        return block
    return replace(block, type=BlockType.TITLE, weight=700 if is_bold else None)
