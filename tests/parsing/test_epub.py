"""Tests of the EPUB reader."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from docnav_pipeline.parsing.block import BlockType
from docnav_pipeline.parsing.epub import parse_epub
from docnav_pipeline.parsing.errors import CorruptSource, LockedSource

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="B/book.opf"/></rootfiles></container>'
)
PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>Pumps</dc:title>
<dc:language>en-GB</dc:language></metadata><manifest><item id="n" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>
<item id="a" href="a%20b.xhtml" media-type="application/xhtml+xml"/>
<item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest>
<spine><itemref idref="n"/><itemref idref="a"/><itemref idref="c"/></spine></package>"""
NAVIGATION = """<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body><nav epub:type="toc"><ol>
<li><a href="a%20b.xhtml">Part One</a><ol><li><a href="c.xhtml#x">Styled Title</a></li></ol></li></ol></nav></body></html>"""
FIRST = "<html><body><h1>Part One</h1><p>See <a href='c.xhtml#x'>there</a>.</p><h2>Inner</h2></body></html>"
SECOND = "<html><body><p id='x'>Styled Title</p><p>Body text.</p><h1>Below</h1></body></html>"


def write(path: Path, **changes: str | None) -> Path:
    members: dict[str, str | None] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "B/book.opf": PACKAGE,
        "B/nav.xhtml": NAVIGATION,
        "B/a b.xhtml": FIRST,
        "B/c.xhtml": SECOND,
        **changes,
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members.items():
            if text is not None:
                archive.writestr(name, text)
    return path


def test_the_navigation_tree_gives_levels_and_outline(tmp_path: Path) -> None:
    document = parse_epub(write(tmp_path / "a.epub"))
    assert (document.title, document.language, document.n_pages) == ("Pumps", "en", None)
    assert [(block.text, block.level, block.target) for block in document.blocks if block.type is BlockType.OUTLINE] == [
        ("Part One", 1, "B/a b.xhtml"),
        ("Styled Title", 2, "B/c.xhtml#x"),
    ]
    assert [(block.text, block.level) for block in document.blocks if block.type is BlockType.TITLE] == [
        ("Part One", 1),
        ("Inner", 2),
        ("Styled Title", 2),
        ("Below", 1),
    ]


def test_links_between_chapters_resolve_to_anchors(tmp_path: Path) -> None:
    blocks = parse_epub(write(tmp_path / "a.epub")).blocks
    anchors = {block.anchor for block in blocks}
    ((_, target),) = next(block.links for block in blocks if block.links)
    assert target == "B/c.xhtml#x"
    assert target in anchors


def test_a_missing_chapter_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    book = parse_epub(write(tmp_path / "a.epub", **{"B/c.xhtml": None}))
    assert book.warnings == ("the book names the chapter 'B/c.xhtml', which is not in it",)
    assert any(block.type is BlockType.TEXT for block in book.blocks)


def test_a_missing_package_is_corrupt(tmp_path: Path) -> None:
    broken = tmp_path / "b.epub"
    broken.write_bytes(b"PK\x03\x04nothing")
    with pytest.raises(CorruptSource, match="broken container"):
        parse_epub(broken)


def test_a_protected_book_is_locked(tmp_path: Path) -> None:
    rights = (
        '<encryption xmlns:e="http://www.w3.org/2001/04/xmlenc#"><e:EncryptedData><e:EncryptionMethod Algorithm="aes"/>'
        '<e:CipherData><e:CipherReference URI="B/c.xhtml"/></e:CipherData></e:EncryptedData></encryption>'
    )
    with pytest.raises(LockedSource, match="rights management"):
        parse_epub(write(tmp_path / "a.epub", **{"META-INF/encryption.xml": rights}))
