"""XML articles and books (JATS, TEI, xml2rfc, DocBook): sections by nesting; other XML by its elements."""

from __future__ import annotations

import re
from html.entities import html5
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lxml import etree

from docnav_pipeline.parsing.block import Block, BlockType, ParsedDocument
from docnav_pipeline.parsing.characters import clean_text, flow_text, one_line
from docnav_pipeline.parsing.errors import CorruptSource
from docnav_pipeline.parsing.lists import list_blocks
from docnav_pipeline.parsing.tables import element_to_html, element_to_text, rows_to_html, rows_to_text

PARSER = f"xml 2 (lxml {version('lxml')})"

_SECTIONS = frozenset(
    {"sec", "section", "div", "div1", "div2", "div3", "div4", "chapter", "part", "appendix", "app", "abstract", "trans-abstract"}
    | {
        "ack",
        "acknowledgements",
        "ref-list",
        "references",
        "bibliography",
        "listBibl",
        "glossary",
        "preface",
        "foreword",
        "book",
        "article",
    }
    | {"sect1", "sect2", "sect3", "sect4", "sect5", "simplesect", "boxed-text", "note", "notes", "fn-group", "bio"}
)
_TITLES = frozenset({"title", "head", "name"})
_PARAGRAPHS = frozenset(
    {"p", "t", "para", "simpara", "formalpara", "ab", "l", "line", "verse-line", "disp-quote", "blockquote", "quote", "q", "attrib"}
    | {"speech", "aside", "epigraph"}
)
_LISTS = frozenset({"list", "ul", "ol", "dl", "def-list", "itemizedlist", "orderedlist", "variablelist", "simplelist"})
_ITEMS = frozenset({"list-item", "item", "li", "listitem", "member"})
_CODE = frozenset({"sourcecode", "artwork", "preformat", "code", "programlisting", "screen", "literallayout"})
_REFERENCES = frozenset({"ref", "reference", "biblStruct", "bibl", "biblioentry", "bibliomixed"})
# What describes the file rather than being its text.
_SKIPPED = frozenset(
    {"journal-meta", "teiHeader", "contrib-group", "author-notes", "pub-date", "history", "permissions", "funding-group"}
    | {"custom-meta-group", "counts", "kwd-group", "self-uri", "article-id", "article-categories", "volume", "issue", "fpage", "lpage"}
    | {"elocation-id", "related-article", "author", "date", "area", "workgroup", "keyword", "seriesInfo", "link", "boilerplate", "toc"}
    | {"info", "bookinfo", "articleinfo", "processing-meta", "object-id", "script", "style", "indexterm", "index-term", "cref"}
)
_ENTITY = re.compile(r"^&(.+);$")
_SECTION_NUMBER = re.compile(r"^section-((?:\d+|appendix\.[a-z]+|[a-z])(?:\.\d+)*)$")
_DEEPEST = 200


def parse_xml(path: Path) -> ParsedDocument:
    """Parse an XML file. Entities are never fetched and never unfolded; CorruptSource when it is not well formed."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(path.read_bytes(), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise CorruptSource(f"XML that is not well formed ({error})") from error
    reader = _Reader()
    title = _document_title(root)
    reader.read(root)
    language = (root.get("{http://www.w3.org/XML/1998/namespace}lang") or root.get("lang") or "").split("-")[0].lower()
    blocks = reader.blocks
    if title:
        blocks = [Block(BlockType.TITLE, title, sub_type="document_title"), *blocks]
    return ParsedDocument(tuple(blocks), PARSER, title=title, language=language if 2 <= len(language) <= 3 else None)


def _tag(element: Any) -> str:
    """Name without its namespace; "" for entities and other nodes that are no elements."""
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def _document_title(root: Any) -> str | None:
    paths = (
        ".//{*}front//{*}title-group/{*}article-title",
        "./{*}front/{*}title",
        ".//{*}teiHeader//{*}titleStmt/{*}title",
        "./{*}info/{*}title",
        "./{*}bookinfo/{*}title",
        "./{*}articleinfo/{*}title",
        "./{*}title",
    )
    for path in paths:
        found = root.find(path)
        if found is not None and (title := one_line(_text(found))):
            return title
    return None


def _text(element: Any, links: list[tuple[str, str]] | None = None, depth: int = 0) -> str:
    """Text of an element with its inline elements; footnotes inside it are left out."""
    parts = [element.text or ""] if isinstance(element.tag, str) else []
    for child in element:
        tag = _tag(child)
        if not tag:
            entity = _ENTITY.match(child.text or "")
            name = entity.group(1) if entity else ""
            parts.append(html5.get(f"{name};", name))
        elif tag in ("fn", "footnote", "indexterm", "iref", "cref") or depth > _DEEPEST:
            pass
        elif tag in ("xref", "eref", "relref", "ref", "ext-link", "link", "a", "ulink", "ptr"):
            parts.append(_link(child, links, depth))
        elif tag in ("br", "break", "lb"):
            parts.append("\n")
        elif tag in _PARAGRAPHS or tag in _ITEMS or tag in ("label", "dt", "dd", "term", "def", "entry", "td"):
            parts.append(f" {_text(child, links, depth + 1)} ")
        else:
            parts.append(_text(child, links, depth + 1))
        parts.append(child.tail or "")
    return "".join(parts)


def _link(element: Any, links: list[tuple[str, str]] | None, depth: int) -> str:
    text = _text(element, links, depth + 1)
    target = element.get("rid") or element.get("target") or element.get("linkend") or ""
    outside = next((value for name, value in element.attrib.items() if name.endswith("href") or name == "url"), "")
    if not text.strip():
        derived = element.get("derivedContent") or element.get("derivedLink") or ""
        text = (
            f"[{derived}]"
            if derived and not derived.startswith(("Section", "Appendix", "Figure", "Table"))
            else derived or outside or target
        )
    address = outside or (target if "://" in target else f"#{target}" if target else "")
    if links is not None and address and one_line(text):
        links.append((one_line(text), address))
    return text


class _Reader:
    """Walks the tree; the level of a heading is the number of titled sections around it."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []

    def read(self, root: Any) -> None:
        for child in root:
            self._walk(child, 1, 0)
        if not self.blocks:
            text = flow_text(_text(root))
            if text:
                self.blocks.append(Block(BlockType.TEXT, text))

    def _walk(self, element: Any, level: int, depth: int) -> None:
        tag = _tag(element)
        if not tag or tag in _SKIPPED or depth > _DEEPEST:
            return
        if tag in ("front", "article-meta", "title-group"):
            self._children(element, level, depth, skip=frozenset({"title", "article-title", "alt-title", "title-group"}))
        elif tag in _SECTIONS:
            self._section(element, tag, level, depth)
        elif tag in _CODE:
            self._add(element, BlockType.CODE, clean_text(_text(element)).strip("\n"))
        elif tag in _LISTS:
            self._list(element, tag)
        elif tag in ("table-wrap", "informaltable", "table"):
            self._table(element, tag)
        elif tag in ("fig", "figure", "fig-group"):
            self._figure(element, level, depth)
        elif tag in _REFERENCES:
            self._reference(element, tag)
        elif tag in ("disp-formula", "formula", "equation", "informalequation"):
            self._add(element, BlockType.EQUATION, flow_text(_formula(element)), sub_type="formula")
        elif tag in ("fn", "footnote"):
            self._add(element, BlockType.FOOTNOTE, flow_text(" ".join(_note_text(element).split())))
        elif tag in _PARAGRAPHS or self._is_text(element):
            self._paragraph(element, level, depth)
        else:
            self._children(element, level, depth)

    def _children(self, element: Any, level: int, depth: int, skip: frozenset[str] = frozenset()) -> None:
        for child in element:
            if _tag(child) not in skip:
                self._walk(child, level, depth + 1)

    @staticmethod
    def _is_text(element: Any) -> bool:
        """Whether an element of unknown meaning holds running text of its own."""
        return bool((element.text or "").strip()) or any((child.tail or "").strip() for child in element)

    def _section(self, element: Any, tag: str, level: int, depth: int) -> None:
        title, links = _section_title(element, tag)
        if title:
            anchor = element.get("id") or element.get("anchor") or element.get("{http://www.w3.org/XML/1998/namespace}id")
            self.blocks.append(Block(BlockType.TITLE, title, level=level, anchor=anchor, links=tuple(links)))
        self._children(
            element, level + bool(title), depth, skip=_TITLES | {"label", "titleabbrev", "subtitle"} if title else frozenset({"label"})
        )

    def _paragraph(self, element: Any, level: int, depth: int) -> None:
        """A paragraph; lists, tables and figures inside it become blocks after the text before them."""
        inner = [
            child
            for child in element
            if _tag(child) in _LISTS | _CODE | {"table-wrap", "fig", "figure", "disp-formula", "table", "boxed-text"}
        ]
        paragraphs = [child for child in element if _tag(child) in _PARAGRAPHS]
        if paragraphs and not (element.text or "").strip():
            self._children(element, level, depth)
            return
        links: list[tuple[str, str]] = []
        if not inner:
            text = flow_text(" ".join(_text(element, links).split("\n")))
            self._add(element, BlockType.TEXT, text, links=links)
            return
        pieces: list[str] = [element.text or ""]
        for child in element:
            if child in inner:
                self._add(element, BlockType.TEXT, flow_text(" ".join("".join(pieces).split("\n"))), links=links)
                pieces, links = [], []
                self._walk(child, level, depth + 1)
            elif _tag(child) in ("xref", "eref", "relref", "ext-link", "a", "ulink"):
                pieces.append(_link(child, links, depth))
            elif _tag(child) not in ("fn", "footnote"):
                pieces.append(_text(child, links, depth + 1))
            pieces.append(child.tail or "")
        self._add(element, BlockType.TEXT, flow_text(" ".join("".join(pieces).split("\n"))), links=links)

    def _sub_blocks(self, element: Any) -> list[Block]:
        reader = _Reader()
        reader._paragraph(element, 1, 1)
        return [block for block in reader.blocks if block.type is not BlockType.TITLE]

    def _list(self, element: Any, tag: str) -> None:
        items: list[tuple[str, list[Block]]] = []
        if tag in ("dl", "def-list", "variablelist"):
            for child in element.iter():
                name = _tag(child)
                if name in ("dt", "term"):
                    items.append(("", self._sub_blocks(child)))
                elif name in ("dd", "def", "listitem"):
                    items.append(("  ", self._sub_blocks(child)))
        else:
            ordered = (
                tag in ("ol", "orderedlist")
                or element.get("list-type") in ("order", "alpha-lower", "roman-lower")
                or element.get("style") == "numbers"
            )
            for number, child in enumerate([child for child in element if _tag(child) in _ITEMS | {"t"}], 1):
                items.append((f"{number}. " if ordered else "- ", self._sub_blocks(child)))
        self.blocks.extend(list_blocks(items, element.get("id") or element.get("anchor")))

    def _table(self, element: Any, tag: str) -> None:
        table = element if tag == "table" else next((child for child in element.iter() if _tag(child) in ("table", "tgroup")), None)
        caption = _caption(element)
        if caption:
            self.blocks.append(Block(BlockType.CAPTION, caption, anchor=element.get("id") or element.get("anchor"), sub_type="table"))
        if table is not None:
            plain = _without_namespaces(table)
            rows = [[one_line(_text(entry)) for entry in row if _tag(entry) == "entry"] for row in table.iter() if _tag(row) == "row"]
            text, html = (rows_to_text(rows), rows_to_html(rows)) if rows else (element_to_text(plain), element_to_html(plain))
            self._add(element, BlockType.TABLE, text, html=html)
        for foot in element.iter():
            if _tag(foot) == "table-wrap-foot":
                # Notes may stand in <fn>, which running text leaves out.
                notes = [child for child in foot.iter() if _tag(child) in ("fn", "footnote")] or [foot]
                for note in notes:
                    self._add(note, BlockType.FOOTNOTE, flow_text(" ".join(_note_text(note).split())), sub_type="table")

    def _figure(self, element: Any, level: int, depth: int) -> None:
        caption = _caption(element)
        if any(_tag(child) in ("graphic", "media", "img", "mediaobject") for child in element.iter()):
            self.blocks.append(Block(BlockType.IMAGE, ""))
        if caption:
            self.blocks.append(Block(BlockType.CAPTION, caption, anchor=element.get("id") or element.get("anchor"), sub_type="image"))
        self._children(
            element,
            level,
            depth,
            skip=frozenset({"label", "caption", "title", "name", "graphic", "media", "object-id", "mediaobject", "attrib"}),
        )

    def _reference(self, element: Any, tag: str) -> None:
        if tag == "reference" and element.find("{*}front") is not None:
            label = element.get("derivedAnchor") or element.get("anchor") or ""
            names = [author.get("fullname") or "" for author in element.iter("{*}author")]
            title = one_line(_text(element.find("{*}front/{*}title"))) if element.find("{*}front/{*}title") is not None else ""
            series = [f"{entry.get('name')} {entry.get('value')}" for entry in element.iter("{*}seriesInfo")]
            text = ", ".join(filter(None, [*names, title, *series]))
            text = f"[{label}] {text}" if label else text
        else:
            for name in element.iter("{*}name"):
                name.tail = (name.tail or "") + " "
            text = _text(element)
        self._add(element, BlockType.REFERENCE, one_line(text))

    def _add(
        self,
        element: Any,
        block_type: BlockType,
        text: str,
        html: str | None = None,
        sub_type: str | None = None,
        links: list[tuple[str, str]] | None = None,
    ) -> None:
        if text:
            anchor = element.get("id") or element.get("anchor")
            self.blocks.append(Block(block_type, text, html=html, sub_type=sub_type, anchor=anchor, links=tuple(links or ())))


def _section_title(element: Any, tag: str) -> tuple[str, list[tuple[str, str]]]:
    """Title of a section with its number, as print shows it, and the links in it."""
    links: list[tuple[str, str]] = []
    found = next((child for child in element if _tag(child) in _TITLES), None)
    title = one_line(_text(found, links)) if found is not None else one_line(element.get("title") or "")
    if not title:
        return {"abstract": "Abstract", "trans-abstract": "Abstract", "ack": "Acknowledgements", "ref-list": "References"}.get(tag, ""), []
    label = next((one_line(_text(child)) for child in element if _tag(child) == "label"), "")
    number = _SECTION_NUMBER.match(element.get("pn") or "")
    if number and element.get("numbered") != "false" and not label:
        value = number.group(1)
        label = f"Appendix {value.split('.')[1].upper()}." if value.startswith("appendix.") else f"{value[0].upper()}{value[1:]}."
    return (f"{label} {title}" if label and not title.startswith(label) else title), links


def _note_text(note: Any) -> str:
    """Text of a footnote element: its label and its paragraphs, each set apart."""
    if _tag(note) not in ("fn", "footnote"):
        return _text(note)
    parts = [note.text or "", *(_text(child) + (child.tail or "") for child in note)]
    return " ".join(parts)


def _caption(element: Any) -> str:
    parts = []
    number = re.match(r"^(figure|table)-([\w.]+)$", element.get("pn") or "")
    if number:
        parts.append(f"{number.group(1).capitalize()} {number.group(2)}:")
    for child in element:
        if _tag(child) in ("label", "caption", "title", "name"):
            parts.append(one_line(_text(child)))
    return " ".join(filter(None, parts))


def _formula(element: Any) -> str:
    tex = next((child for child in element.iter() if _tag(child) == "tex-math"), None)
    label = next((one_line(_text(child)) for child in element if _tag(child) == "label"), "")
    body = (
        re.sub(r"\\(?:documentclass|usepackage|setlength|begin\{document\}|end\{document\})[^\n]*", "", tex.text or "")
        if tex is not None
        else ""
    )
    return f"{body.strip() or one_line(_text(element))} {label if body else ''}"


def _without_namespaces(table: Any) -> Any:
    from copy import deepcopy

    plain = deepcopy(table)
    for element in plain.iter():
        if isinstance(element.tag, str):
            element.tag = etree.QName(element).localname
    return plain
