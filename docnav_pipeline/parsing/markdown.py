"""Markdown (CommonMark with tables, footnotes, definition lists and front matter) to blocks."""

from __future__ import annotations

import re
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from docnav_pipeline.parsing.block import Block, BlockType, ParsedDocument
from docnav_pipeline.parsing.characters import clean_text, flow_text, one_line
from docnav_pipeline.parsing.contents import contents_from_links
from docnav_pipeline.parsing.html import fragment_blocks
from docnav_pipeline.parsing.lists import list_blocks
from docnav_pipeline.parsing.reading import read_text
from docnav_pipeline.parsing.tables import rows_to_html, rows_to_text
from docnav_pipeline.parsing.titles import mark_document_title

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

PARSER = f"markdown 2 (markdown-it-py {version('markdown-it-py')})"

_FRONT_MATTER_KEY = re.compile(r"^(title|lang|language)\s*:\s*(.*)$", re.IGNORECASE)
_TITLE_BLOCK = re.compile(r"\A%[ \t]+(\S.*)\n(?:%.*\n|[ \t]+\S.*\n)*")
# Attributes that Pandoc, kramdown and others write after a heading: {#name .class key=value}.
_ATTRIBUTES = re.compile(
    r"\s*\{:?\s*((?:[#.][^\s{}]+|-|[\w:-]+=(?:\"[^\"]*\"|[^\s{}]*))(?:\s+(?:[#.][^\s{}]+|-|[\w:-]+=(?:\"[^\"]*\"|[^\s{}]*)))*)\s*\}\s*$"
)
_NOT_IN_SLUG = re.compile(r"[^\w\- ]")
_TAG = re.compile(r"<[^<>]*>")
# Levels that the parser follows, a list takes two of them; and what is cut to stay below: quote marks, and spaces in front of a line.
_MOST_NESTING, _MOST_QUOTES, _MOST_INDENT = 90, 30, 80
_QUOTES = re.compile(r"[ \t]*(?:>[ \t]?)+")


def parse_markdown(path: Path) -> ParsedDocument:
    """Parse a Markdown file."""
    return parse_markdown_text(read_text(path)[0])


def parse_markdown_text(text: str) -> ParsedDocument:
    """Parse Markdown given as characters.

    The title comes from the front matter, or from the one heading of level 1 that stands first.
    """
    from markdown_it.tree import SyntaxTreeNode

    text = clean_text(text)
    title: str | None = None
    title_block = _TITLE_BLOCK.match(text)
    if title_block:
        title = one_line(title_block.group(1))
        text = text[title_block.end() :]
    reader = _Reader()
    reader.read(SyntaxTreeNode(_parser().parse(_bounded(text))).children)
    targets = {f"#{block.anchor}" for block in reader.blocks if block.type is BlockType.TITLE}
    blocks = mark_document_title(contents_from_links(reader.blocks, targets), reader.title or title)
    title = (reader.title or title) or next((block.text for block in blocks if block.sub_type == "document_title"), None)
    return ParsedDocument(blocks=tuple(blocks), parser=PARSER, title=title, language=reader.language)


def _bounded(text: str) -> str:
    """Text whose quotes and lists nest no deeper than the parser follows: what stands deeper it would drop without a word."""
    lines, in_fence = [], False
    for line in text.split("\n"):
        marks = _QUOTES.match(line)
        if marks is not None and marks.group().count(">") > _MOST_QUOTES:
            line = "> " * _MOST_QUOTES + line[marks.end() :]
        bare = line.lstrip(" ")
        if bare.startswith(("```", "~~~")):
            in_fence = not in_fence
        if not in_fence and len(line) - len(bare) > _MOST_INDENT:
            line = " " * _MOST_INDENT + bare
        lines.append(line)
    return "\n".join(lines)


def github_slug(text: str) -> str:
    """Fragment id that GitHub gives a heading: lower case, punctuation dropped, spaces as hyphens."""
    return _NOT_IN_SLUG.sub("", text.strip().lower()).replace(" ", "-")


def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.deflist import deflist_plugin
    from mdit_py_plugins.footnote import footnote_plugin
    from mdit_py_plugins.front_matter import front_matter_plugin

    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": _MOST_NESTING}).enable(["table", "strikethrough"])
    return parser.use(front_matter_plugin).use(footnote_plugin, inline=False).use(deflist_plugin)


class _Reader:
    """Walks the syntax tree and collects blocks, title and language."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.title: str | None = None
        self.language: str | None = None
        self._slugs: dict[str, int] = {}

    def read(self, nodes: list[SyntaxTreeNode]) -> None:
        for node in nodes:
            self.blocks.extend(self._blocks(node, nested=False))

    def _blocks(self, node: SyntaxTreeNode, nested: bool) -> list[Block]:
        """Blocks of a node. nested: it stands inside a list or a quotation, where a heading opens no section."""
        kind = node.type
        if kind == "heading":
            return self._heading(node, nested)
        if kind in ("paragraph", "inline", "dt"):
            return self._paragraph(node)
        if kind in ("fence", "code_block"):
            code = clean_text(node.content).rstrip("\n")
            return [Block(BlockType.CODE, code, sub_type=node.info.split()[0][:40] if node.info.strip() else None)] if code.strip() else []
        if kind in ("bullet_list", "ordered_list"):
            return self._list(node)
        if kind == "dl":
            return self._definitions(node)
        if kind == "table":
            return self._table(node)
        if kind == "html_block":
            return [self._with_slug(block) for block in fragment_blocks(node.content)]
        if kind == "front_matter":
            self._front_matter(node.content)
            return []
        if kind == "footnote":
            label = str(node.meta.get("label") or node.meta.get("id", 0) + 1)
            inner = self._all(node.children, nested=True)
            text = "\n".join(block.text for block in inner if block.text)
            links = tuple(link for block in inner for link in block.links)
            return [Block(BlockType.FOOTNOTE, f"[{label}] {text}", anchor=f"fn-{label}", links=links)] if text else []
        if kind in ("hr", "footnote_anchor"):
            return []
        return self._all(node.children, nested=nested or kind == "blockquote")

    def _all(self, nodes: list[SyntaxTreeNode], nested: bool) -> list[Block]:
        return [block for node in nodes for block in self._blocks(node, nested)]

    def _heading(self, node: SyntaxTreeNode, nested: bool) -> list[Block]:
        text, links, anchor, pictures = inline_text(node.children)
        text = one_line(text) or " ".join(pictures)
        attributes = _ATTRIBUTES.search(text)
        if attributes:
            text = text[: attributes.start()]
            named = re.search(r"#(\S+)", attributes.group(1))
            anchor = named.group(1) if named else anchor
        if not text:
            return []
        if nested:
            return [Block(BlockType.TEXT, text, links=links, anchor=anchor, weight=700)]
        return [self._with_slug(Block(BlockType.TITLE, text, level=int(node.tag[1]), links=links, anchor=anchor))]

    def _with_slug(self, block: Block) -> Block:
        if block.type is not BlockType.TITLE or block.anchor:
            return block
        slug = github_slug(block.text)
        seen = self._slugs.get(slug, 0)
        self._slugs[slug] = seen + 1
        anchor = f"{slug}-{seen}" if seen else slug
        return Block(block.type, block.text, level=block.level, links=block.links, anchor=anchor, sub_type=block.sub_type)

    def _paragraph(self, node: SyntaxTreeNode) -> list[Block]:
        text, links, anchor, pictures = inline_text([node] if node.type == "inline" else node.children)
        text = flow_text(text)
        if text:
            return [Block(BlockType.TEXT, text, links=links, anchor=anchor)]
        return [Block(BlockType.IMAGE, picture, anchor=anchor) for picture in pictures]

    def _list(self, node: SyntaxTreeNode) -> list[Block]:
        items = []
        for item in node.children:
            marker = f"{item.info}{item.markup} " if node.type == "ordered_list" else f"{item.markup or '-'} "
            items.append((marker, self._all(item.children, nested=True)))
        return list_blocks(items)

    def _definitions(self, node: SyntaxTreeNode) -> list[Block]:
        return list_blocks(("" if item.type == "dt" else "  ", self._blocks(item, nested=True)) for item in node.children)

    def _table(self, node: SyntaxTreeNode) -> list[Block]:
        rows: list[list[str]] = []
        links: list[tuple[str, str]] = []
        n_header_rows = 0
        for part in node.children:
            for row in part.children:
                cells = [inline_text(cell.children) for cell in row.children]
                rows.append([one_line(cell[0]) or " ".join(cell[3]) for cell in cells])
                links.extend(link for cell in cells for link in cell[1])
                n_header_rows += part.type == "thead"
        text = rows_to_text(rows)
        return [Block(BlockType.TABLE, text, html=rows_to_html(rows, n_header_rows), links=tuple(links))] if text else []

    def _front_matter(self, content: str) -> None:
        lines = content.split("\n")
        for number, line in enumerate(lines):
            match = _FRONT_MATTER_KEY.match(line)
            if not match:
                continue
            value = match.group(2).strip()
            if value in ("|", ">", "|-", ">-", ""):
                following = lines[number + 1 :]
                ends = next((at for at, text in enumerate(following) if text.strip() and not text.startswith((" ", "\t"))), len(following))
                value = " ".join(text.strip() for text in following[:ends])
            if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
                value = value[1:-1]
            if match.group(1).lower() == "title":
                self.title = one_line(value) or None
            elif re.match(r"[A-Za-z]{2,3}(?:$|[-_])", value):
                self.language = re.split(r"[-_]", value)[0].lower()


def inline_text(nodes: list[SyntaxTreeNode]) -> tuple[str, tuple[tuple[str, str], ...], str | None, list[str]]:
    """Plain text of inline nodes, the links in it, an anchor set in it, and the descriptions of its pictures."""
    parts: list[str] = []
    links: list[tuple[str, str]] = []
    anchors: list[str] = []
    pictures: list[str] = []

    def walk(node: SyntaxTreeNode) -> None:
        kind = node.type
        if kind in ("text", "code_inline", "math_inline"):
            parts.append(node.content)
        elif kind == "softbreak":
            parts.append(" ")
        elif kind == "hardbreak":
            parts.append("\n")
        elif kind == "image":
            pictures.append(one_line(node.content))
        elif kind == "html_inline":
            tag = node.content.lower()
            if tag.startswith("<br"):
                parts.append("\n")
            named = re.search(r"\b(?:id|name)\s*=\s*[\"']?([^\s\"'>]+)", node.content)
            if named:
                anchors.append(named.group(1))
        elif kind == "footnote_ref":
            label = node.meta.get("label") or node.meta.get("id", 0) + 1
            parts.append(f"[{label}]")
            links.append((f"[{label}]", f"#fn-{label}"))
        elif kind == "link":
            start = len(parts)
            for child in node.children:
                walk(child)
            words = one_line("".join(parts[start:]))
            if words:
                links.append((words, str(node.attrs.get("href", ""))))
        else:
            for child in node.children or ():
                walk(child)

    for node in nodes:
        walk(node)
    return "".join(parts), tuple(links), anchors[0] if anchors else None, pictures
