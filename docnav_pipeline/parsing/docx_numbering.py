"""DOCX with Word's automatic numbers written out as text, so that MinerU neither counts nor moves them."""

from __future__ import annotations

import posixpath
import re
import shutil
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

from lxml import etree

from docnav_pipeline.parsing.block import Block, BlockType
from docnav_pipeline.parsing.docx_counters import State, WordNumbers

_MAX_PART_BYTES = 64 * 1024 * 1024
_UNREADABLE = (
    zipfile.BadZipFile,
    etree.XMLSyntaxError,
    zlib.error,
    OSError,
    ValueError,
    KeyError,
    EOFError,
    NotImplementedError,
    RuntimeError,
)
# Plane 15 is for private use and, unlike U+F000-F0FF, no place where Word puts symbols.
_MARKS = range(0xF0000, 0xF0100)
_COMPATIBILITY = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_XML_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_MATH_TEXT = re.compile(r"^\{http[^}]*/math\}t$")
# What a run of a number must not take over from the text after it.
_NOT_OF_A_NUMBER = ("vanish", "webHidden", "vertAlign", "rPrChange", "ins", "del", "moveFrom", "moveTo")
_BESIDE_THE_BODY = ("header", "footer", "footnotes", "endnotes")
_MARKED_TYPES = frozenset({BlockType.TEXT, BlockType.TITLE, BlockType.LIST, BlockType.CAPTION, BlockType.EQUATION, BlockType.REFERENCE})
_BOLD = 700


def with_literal_numbers(path: Path, folder: Path) -> tuple[Path, str]:
    """(a DOCX whose numbers are text, the mark at its list items), or (path, "") for a file without automatic numbers.

    The copy is written into `folder` under the same name; it has no numbering left. A list item starts with the
    mark, a private-use character that the document holds nowhere, and its level as one digit from 0, which
    `lists_from_marked` takes away; headings and cells of tables hold their number alone. A file that is no DOCX,
    or one whose text cannot be read, is returned as it is, for MinerU to say what is wrong.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            package = _Package(archive)
            changed = package.numbered()
    except _UNREADABLE:
        return path, ""
    copy = folder / path.name
    return (copy, package.mark) if changed and _write_copy(path, changed, copy) else (path, "")


def lists_from_marked(blocks: Iterable[Block], mark: str) -> list[Block]:
    """Blocks with marked items joined to lists, one item a line, two spaces per level below the highest of the list.

    mark: as `with_literal_numbers` returned it; without one the blocks are left alone. A single item all in bold
    stays a text block of that weight: it may be a heading that only its looks show.
    """
    if not mark:
        return list(blocks)
    marked = re.compile(re.escape(mark) + r"([0-8]?)")
    result: list[Block] = []
    items: list[tuple[int, str, Block]] = []
    for block in blocks:
        if block.type in _MARKED_TYPES and mark in block.text:
            before, *rest = marked.split(block.text)
            if before.strip():
                result.extend(_joined(items))
                items.clear()
                result.append(replace(block, text=before.strip(), links=()))
            links = tuple((marked.sub("", text), target) for text, target in block.links)
            pairs = zip(rest[::2], rest[1::2], strict=True)
            items.extend((int(level or 0), text.strip(), replace(block, links=() if n else links)) for n, (level, text) in enumerate(pairs))
            continue
        result.extend(_joined(items))
        items.clear()
        result.append(replace(block, text=marked.sub("", block.text), html=marked.sub("", block.html) if block.html else block.html))
    result.extend(_joined(items))
    return result


def _joined(items: list[tuple[int, str, Block]]) -> Iterator[Block]:
    if len(items) == 1 and items[0][2].type is BlockType.TEXT and items[0][2].weight == _BOLD:
        yield replace(items[0][2], text=items[0][1])
    elif items:
        highest = min(level for level, _, _ in items)
        lines = ("  " * (level - highest) + line for level, text, _ in items for line in text.split("\n"))
        first = items[0][2]
        links = tuple(link for _, _, block in items for link in block.links)
        anchor = next((block.anchor for _, _, block in items if block.anchor), None)
        yield Block(BlockType.LIST, "\n".join(lines), page=first.page, bbox=first.bbox, anchor=anchor, links=links)


class _Package:
    """The parts of a DOCX that have to do with numbers."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self.mark = ""

    def numbered(self) -> dict[str, bytes]:
        """New content of the parts that change, by name; empty when no paragraph shows a number, or it is no DOCX."""
        main = next((part for kind, part in self._relations("") if kind == "officeDocument"), "word/document.xml")
        document = self._root(main)
        tag = etree.QName(document)
        if tag.localname != "document" or "wordprocessingml" not in (tag.namespace or ""):
            return {}
        related = self._relations(main)
        styles_part = next((part for kind, part in related if kind == "styles"), "")
        numbering_part = next((part for kind, part in related if kind == "numbering"), "")
        styles = self._root_or_none(styles_part)
        numbering = self._root_or_none(numbering_part)
        namespace = str(tag.namespace)
        stories = {main: document}
        for kind, part in related:
            story = self._root_or_none(part) if kind in _BESIDE_THE_BODY else None
            if story is not None:
                stories.setdefault(part, story)
        self.mark = self._unused_mark(stories.values())
        written = [
            _write_numbers(story, WordNumbers(styles, numbering, namespace), namespace, self.mark if part == main else "")
            for part, story in stories.items()
        ]
        if not any(written):
            return {}
        roots = dict(stories)
        if numbering_part:
            # Levels name styles, which a reader of tables then takes for numbered.
            roots[numbering_part] = etree.Element(f"{{{namespace}}}numbering", nsmap={"w": namespace})
        if styles is not None:
            roots[styles_part] = styles
        for root in roots.values():
            for element in list(root.iter(f"{{{namespace}}}numPr")):
                element.getparent().remove(element)
        return {part: etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True) for part, root in roots.items()}

    def _relations(self, part: str) -> list[tuple[str, str]]:
        """(last word of the type, name of the part) of the relations of a part, "" for those of the package."""
        folder, name = posixpath.split(part)
        root = self._root_or_none(posixpath.join(folder, "_rels", f"{name}.rels"))
        found = []
        for relation in root if root is not None else ():
            target = relation.get("Target")
            if target and relation.get("TargetMode") != "External":
                resolved = posixpath.normpath(posixpath.join("/", folder, target.replace("\\", "/"))).lstrip("/")
                found.append(((relation.get("Type") or "").rpartition("/")[2], resolved))
        return found

    def _root_or_none(self, name: str) -> Any:
        """Root of a part; what can be saved of a damaged one, None for one that is missing or past saving."""
        try:
            return self._root(name, recover=True)
        except _UNREADABLE:
            return None

    def _root(self, name: str, recover: bool = False) -> Any:
        with self._archive.open(name) as member:
            data = member.read(_MAX_PART_BYTES + 1)
        if len(data) > _MAX_PART_BYTES:
            raise ValueError(f"the part {name!r} is past {_MAX_PART_BYTES // 2**20} MiB")
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=recover)
        root = etree.fromstring(data, parser)
        if root is None or root.getroottree().docinfo.doctype:
            # The format forbids document types, and what entities of theirs stand for would not come into the copy.
            raise ValueError(f"the part {name!r} is empty or has a document type")
        return root

    def _unused_mark(self, stories: Iterable[Any]) -> str:
        text = "".join(etree.tostring(story, encoding="unicode") for story in stories)
        return next((chr(code) for code in _MARKS if chr(code) not in text), "")


def _write_numbers(story: Any, numbers: WordNumbers, namespace: str, mark: str) -> bool:
    """Put its number before the text of each numbered paragraph; whether one asked for a number. mark: "" marks no list items."""
    w = f"{{{namespace}}}"
    before: dict[Any, State] = {}
    written = False
    alternatives = {_COMPATIBILITY + name for name in ("AlternateContent", "Choice", "Fallback")}
    for element in list(story.iter(w + "p", *alternatives)):
        if element.tag != w + "p":
            # Choice and fallback hold the same text for newer and older readers: it counts once.
            if element.tag == _COMPATIBILITY + "AlternateContent":
                before[element] = numbers.state()
            elif element.getparent() in before and next(element.iter(w + "p"), None) is not None:
                numbers.go_back_to(before[element.getparent()])
            continue
        text = next(_text_runs(element, w), None)
        if text is None and _is_gone(element, w):
            continue
        number = numbers.count(element)
        if number is None:
            continue
        written = True
        heading = numbers.is_heading(element)
        if text is None or not number.text or (heading and number.is_bullet):
            continue
        item = bool(mark) and not heading and next(element.iterancestors(w + "tbl"), None) is None
        _put_before(element, text, (f"{mark}{number.level}" if item else "") + number.text + number.suffix, w)
    return written


def _put_before(paragraph: Any, text: Any, number: str, w: str) -> None:
    """A run with the number as the first of the paragraph, looking like the text: a heading in bold stays all in bold."""
    run = paragraph.makeelement(w + "r")
    looks = text.find(w + "rPr")
    if looks is not None:
        looks = deepcopy(looks)
        for name in _NOT_OF_A_NUMBER:
            for element in looks.findall(w + name):
                looks.remove(element)
        run.append(looks)
    content = etree.SubElement(run, w + "t")
    content.text = number
    content.set(_XML_SPACE, "preserve")
    properties = paragraph.find(w + "pPr")
    paragraph.insert(0 if properties is None else paragraph.index(properties) + 1, run)


def _text_runs(paragraph: Any, w: str) -> Iterator[Any]:
    """Elements of the paragraph that show text (runs, formulas), without text boxes, deleted and hidden text."""
    skipped = (w + "pPr", w + "del", w + "moveFrom", w + "txbxContent", w + "p")
    stack = list(reversed(paragraph))
    while stack:
        element = stack.pop()
        if element.tag in skipped or not isinstance(element.tag, str):
            continue
        if element.tag == w + "r" and _is_hidden(element.find(w + "rPr"), w):
            continue
        if (element.tag == w + "t" or _MATH_TEXT.match(element.tag)) and (element.text or "").strip():
            yield element.getparent()
        stack.extend(reversed(element))


def _is_gone(paragraph: Any, w: str) -> bool:
    """Whether a paragraph without text has its mark deleted or hidden: Word then shows no paragraph and counts none."""
    mark = paragraph.find(f"{w}pPr/{w}rPr")
    if mark is None or not (mark.find(w + "del") is not None or mark.find(w + "moveFrom") is not None or _is_hidden(mark, w)):
        return False
    kept = (run for run in paragraph.iter(w + "r") if next(run.iterancestors(w + "del", w + "moveFrom"), None) is None)
    return all(_is_hidden(run.find(w + "rPr"), w) for run in kept)


def _is_hidden(looks: Any, w: str) -> bool:
    hidden = None if looks is None else looks.find(w + "vanish")
    return hidden is not None and hidden.get(w + "val") not in ("0", "false", "off")


def _write_copy(path: Path, changed: dict[str, bytes], copy: Path) -> bool:
    """The archive with some members replaced; broken members that are no XML are left out. False when a broken one matters."""
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(copy, "w") as target:
        for name, member in {member.filename: member for member in archive.infolist()}.items():
            if name in changed:
                target.writestr(name, changed[name])
                continue
            try:
                with archive.open(member) as source, target.open(name, "w", force_zip64=True) as sink:
                    shutil.copyfileobj(source, sink)
            except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError):
                if name.endswith((".xml", ".rels")):
                    return False
    return True
