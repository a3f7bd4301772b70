"""EPUB: chapters in spine order, heading levels from the navigation tree, entries of that tree as outline blocks."""

from __future__ import annotations

import posixpath
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from lxml import etree

from docnav_pipeline.parsing.block import Block, BlockType, ParsedDocument
from docnav_pipeline.parsing.characters import one_line
from docnav_pipeline.parsing.contents import contents_from_links
from docnav_pipeline.parsing.errors import CorruptSource, LockedSource, OversizedSource
from docnav_pipeline.parsing.html import PARSER as HTML_PARSER
from docnav_pipeline.parsing.html import blocks_of, parse_tree
from docnav_pipeline.parsing.reading import declared_encoding, decode_text

PARSER = f"epub 2 ({HTML_PARSER})"

_MAX_PART_BYTES = 64 * 1024 * 1024
_MAX_TOTAL_BYTES = 1024 * 1024 * 1024
_MAX_ENTRIES = 20_000
_CONTENT_TYPES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml"})
_FONT_OBFUSCATION = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")


@dataclass(frozen=True, slots=True)
class NavigationEntry:
    """An entry of the navigation tree. level: from 1; file: path in the archive; fragment: "" for the whole file."""

    text: str
    level: int
    file: str
    fragment: str


@dataclass(frozen=True, slots=True)
class _Package:
    title: str | None
    language: str | None
    spine: tuple[str, ...]
    navigation: tuple[NavigationEntry, ...]
    navigation_file: str


def parse_epub(path: Path) -> ParsedDocument:
    """Parse an EPUB file. There are no pages; anchors are "file#id", so that links across chapters resolve.

    Raises CorruptSource, LockedSource (digital rights management) or OversizedSource (unfolds too far).
    """
    try:
        with zipfile.ZipFile(path) as archive:
            reader = _Archive(archive)
            package = _read_package(reader)
            blocks = [
                Block(
                    BlockType.OUTLINE,
                    entry.text,
                    level=entry.level,
                    target=f"{entry.file}#{entry.fragment}" if entry.fragment else entry.file,
                )
                for entry in package.navigation
            ]
            missing = [file for file in package.spine if not reader.has(file)]
            if len(missing) == len(package.spine) > 0:
                raise CorruptSource(f"none of its {len(missing)} chapters is in it")
            for file in package.spine:
                if file != package.navigation_file and file not in missing:
                    blocks.extend(_chapter(reader, file, package.navigation))
    except (zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, NotImplementedError) as error:
        raise CorruptSource(f"a broken container ({error})") from error
    targets = {block.target for block in blocks if block.type is BlockType.OUTLINE and block.target}
    targets |= {block.anchor for block in blocks if block.type is BlockType.TITLE and block.anchor}
    blocks = _with_document_title(contents_from_links(blocks, targets), package.title)
    warnings = tuple(f"the book names the chapter {file!r}, which is not in it" for file in missing)
    return ParsedDocument(tuple(blocks), PARSER, title=package.title, language=package.language, warnings=warnings)


def _with_document_title(blocks: list[Block], title: str | None) -> list[Block]:
    """Headings of the top level that print the title of the book title the whole of it."""
    words = _letters(title or "")
    return [
        replace(block, sub_type="document_title")
        if block.type is BlockType.TITLE and block.level == 1 and words == _letters(block.text)
        else block
        for block in blocks
    ]


class _Archive:
    """Reads members with a limit on each and on all, whatever their headers claim."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._names = set(archive.namelist())
        self._read_bytes = 0

    def has(self, name: str) -> bool:
        return name in self._names

    def read(self, name: str) -> bytes:
        if name not in self._names:
            raise CorruptSource(f"expected the part {name!r}, which the file names but does not hold")
        try:
            with self._archive.open(name) as member:
                data = member.read(_MAX_PART_BYTES + 1)
        except RuntimeError as error:
            raise LockedSource("locked with a password; save it without one") from error
        except (OSError, ValueError) as error:
            raise CorruptSource(f"the part {name!r} is broken ({error})") from error
        self._read_bytes += len(data)
        if len(data) > _MAX_PART_BYTES or self._read_bytes > _MAX_TOTAL_BYTES:
            raise OversizedSource(
                f"unfolds past {_MAX_PART_BYTES // 2**20} MiB a part or {_MAX_TOTAL_BYTES // 2**20} MiB in all; split the book"
            )
        return data


def _xml(data: bytes, name: str) -> Any:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise CorruptSource(f"the part {name!r} is no XML ({error})") from error
    if root is None:
        raise CorruptSource(f"the part {name!r} is empty")
    return root


def _read_package(reader: _Archive) -> _Package:
    container = _xml(reader.read("META-INF/container.xml"), "META-INF/container.xml")
    root_file = container.find(".//{*}rootfile")
    if root_file is None or not root_file.get("full-path"):
        raise CorruptSource("META-INF/container.xml names no package file")
    package_name = unquote(root_file.get("full-path"))
    package = _xml(reader.read(package_name), package_name)
    folder = posixpath.dirname(package_name)
    items = {item.get("id"): item for item in package.iter("{*}item")}
    spine: list[str] = []
    for reference in package.iter("{*}itemref"):
        item = items.get(reference.get("idref"))
        if item is not None and item.get("href") and (item.get("media-type") in _CONTENT_TYPES or not item.get("media-type")):
            name = _resolve(folder, item.get("href"))[0]
            if name not in spine:
                spine.append(name)
    _check_rights(reader, spine)
    title = package.find(".//{*}metadata/{http://purl.org/dc/elements/1.1/}title")
    language = package.find(".//{*}metadata/{http://purl.org/dc/elements/1.1/}language")
    navigation, navigation_file = _navigation(reader, package, items, folder)
    return _Package(
        title=one_line("".join(title.itertext())) or None if title is not None else None,
        language=(one_line(language.text or "").split("-")[0].lower() or None) if language is not None else None,
        spine=tuple(spine),
        navigation=tuple(navigation[:_MAX_ENTRIES]),
        navigation_file=navigation_file,
    )


def _check_rights(reader: _Archive, spine: list[str]) -> None:
    if not reader.has("META-INF/encryption.xml"):
        return
    root = _xml(reader.read("META-INF/encryption.xml"), "META-INF/encryption.xml")
    for data in root.iter("{*}EncryptedData"):
        method = data.find("{*}EncryptionMethod")
        reference = data.find(".//{*}CipherReference")
        name = unquote(reference.get("URI") or "") if reference is not None else ""
        if name in spine and (method is None or method.get("Algorithm") not in _FONT_OBFUSCATION):
            raise LockedSource("protected by digital rights management; its chapters cannot be read")


def _navigation(reader: _Archive, package: Any, items: dict[str, Any], folder: str) -> tuple[list[NavigationEntry], str]:
    """Entries of the EPUB 3 navigation document, else of the EPUB 2 NCX; and the name of the former."""
    for item in items.values():
        if "nav" in (item.get("properties") or "").split() and item.get("href"):
            name = _resolve(folder, item.get("href"))[0]
            if reader.has(name):
                entries = _nav_entries(_xml(reader.read(name), name), posixpath.dirname(name))
                if entries:
                    return entries, name
    ncx = next((item for item in items.values() if item.get("media-type") == "application/x-dtbncx+xml" and item.get("href")), None)
    if ncx is None:
        return [], ""
    name = _resolve(folder, ncx.get("href"))[0]
    if not reader.has(name):
        return [], ""
    entries = []
    for point in _xml(reader.read(name), name).iter("{*}navPoint"):
        label = point.find("{*}navLabel/{*}text")
        content = point.find("{*}content")
        level = 1 + sum(1 for _ in point.iterancestors("{*}navPoint"))
        if label is not None and content is not None and one_line(label.text or "") and content.get("src"):
            file, fragment = _resolve(posixpath.dirname(name), content.get("src"))
            entries.append(NavigationEntry(one_line(label.text or ""), level, file, fragment))
    return entries, ""


def _nav_entries(root: Any, folder: str) -> list[NavigationEntry]:
    entries = []
    for nav in root.iter("{*}nav"):
        kinds = " ".join(value for name, value in nav.attrib.items() if name.endswith("type"))
        if kinds and "toc" not in kinds.split():
            continue
        for item in nav.iter("{*}li"):
            link = next((child for child in item if isinstance(child.tag, str) and etree.QName(child).localname in ("a", "span")), None)
            text = one_line("".join(link.itertext())) if link is not None else ""
            if link is None or not text:
                continue
            level = 1 + sum(1 for _ in item.iterancestors("{*}li"))
            file, fragment = _resolve(folder, link.get("href") or "")
            entries.append(NavigationEntry(text, level, file if link.get("href") else "", fragment))
        break
    return entries


def _chapter(reader: _Archive, file: str, navigation: tuple[NavigationEntry, ...]) -> list[Block]:
    data = reader.read(file)
    root = parse_tree(decode_text(data, declared_encoding(data))[0])
    if root is None:
        return []
    blocks = blocks_of(root, whole_page=False)
    entries = [entry for entry in navigation if entry.file == file]
    return _with_anchors(_with_levels(blocks, entries), file)


def _with_levels(blocks: list[Block], entries: list[NavigationEntry]) -> list[Block]:
    """Give headings the level of their navigation entry; headings without one keep their distance to it.

    A paragraph that prints the words of an entry is its heading, whatever its element.
    """
    levelled = list(blocks)
    shift: int | None = None
    matched: set[int] = set()
    for entry in entries:
        at = _heading_of(entry, levelled, matched)
        if at is None:
            continue
        block = levelled[at]
        matched.add(at)
        if shift is None and block.type is BlockType.TITLE and block.level is not None:
            shift = entry.level - block.level
        levelled[at] = replace(block, type=BlockType.TITLE, level=entry.level)
    if shift:
        for at, block in enumerate(levelled):
            if at not in matched and block.type is BlockType.TITLE and block.level is not None:
                levelled[at] = replace(block, level=max(block.level + shift, 1))
    return levelled


def _heading_of(entry: NavigationEntry, blocks: list[Block], matched: set[int]) -> int | None:
    start = 0
    if entry.fragment:
        start = next((at for at, block in enumerate(blocks) if block.anchor == entry.fragment), 0)
    words = _letters(entry.text)
    for at in range(start, min(start + 8, len(blocks))):
        block = blocks[at]
        if at in matched or block.type not in (BlockType.TITLE, BlockType.TEXT) or len(block.text) > 300:
            continue
        printed = _letters(block.text)
        if printed and (printed == words or (block.type is BlockType.TITLE and (printed in words or words in printed))):
            return at
    if (
        entry.fragment
        and start < len(blocks)
        and blocks[start].anchor == entry.fragment
        and blocks[start].type is BlockType.TITLE
        and start not in matched
    ):
        return start
    return None


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _with_anchors(blocks: list[Block], file: str) -> list[Block]:
    """Anchors as "file#id"; the first block of a chapter also answers to the file alone."""
    folder = posixpath.dirname(file)
    result = []
    for number, block in enumerate(blocks):
        anchor = f"{file}#{block.anchor}" if block.anchor else file if number == 0 else None
        links = tuple((text, _link(folder, file, target)) for text, target in block.links)
        target = _link(folder, file, block.target) if block.target else block.target
        result.append(replace(block, anchor=anchor, links=links, target=target))
    return result


def _link(folder: str, file: str, target: str) -> str:
    if "://" in target or target.startswith("mailto:"):
        return target
    name, fragment = _resolve(folder, target)
    name = name if target.split("#")[0] else file
    return f"{name}#{fragment}" if fragment else name


def _resolve(folder: str, reference: str) -> tuple[str, str]:
    name, _, fragment = reference.partition("#")
    return posixpath.normpath(posixpath.join(folder, unquote(name))) if name else "", unquote(fragment)
