"""Tests of media type detection."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from docnav_pipeline.parsing import media
from docnav_pipeline.parsing.media import detect_media_type, unsupported_reason

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.pdf", b"%PDF-1.7\n", media.PDF),
        ("a.bin", b"junk before\n%PDF-1.4\n", media.PDF),
        ("named.pdf", b"<!DOCTYPE html><html><body>hi</body></html>", media.HTML),
        ("page.xml", b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><body/></html>", media.HTML),
        ("a.xml", b"<?xml version='1.0'?><!DOCTYPE article SYSTEM 'x.dtd'><article/>", media.XML),
        ("notes.md", b"<div align=center>\n\n# Title", media.MARKDOWN),
        ("notes.markdown", b"# Title", media.MARKDOWN),
        ("notes.txt", b"plain", media.PLAIN),
        ("notes.rst", b"Title\n=====", media.PLAIN),
        ("rows.jsonl", b'{"id": 1, "text": "x"}', media.JSONL),
        ("rows.csv", b"a,b\n1,2", media.CSV),
        ("x_middle.json", b'{"pdf_info": []}', media.MINERU_JSON),
        ("other.json", b'{"a": 1}', media.JSON),
        ("a.rtf", b"{\\rtf1 hello}", media.RTF),
        ("a.png", b"\x89PNG\r\n\x1a\n" + b"\x00" * 20, "image/png"),
        ("picture.txt", b"\xff\xd8\xff\xe0" + b"\x00" * 20, "image/jpeg"),
        ("a.doc", OLE + "WordDocument".encode("utf-16-le") + b"\x00\x00", media.MSWORD),
        ("a.docx", OLE + "EncryptedPackage".encode("utf-16-le") + b"\x00\x00", media.OLE_ENCRYPTED),
        ("README", b"Read this first.\n", media.PLAIN),
        ("a.exe", b"MZ\x00\x00\x01", media.UNKNOWN),
        ("utf16.txt", "hello".encode("utf-16"), media.PLAIN),
    ],
)
def test_content_decides_before_the_suffix(tmp_path: Path, name: str, content: bytes, expected: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert detect_media_type(path) == expected


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"mimetype": "application/epub+zip", "META-INF/container.xml": "<a/>"}, media.EPUB),
        ({"[Content_Types].xml": "<a/>", "word/document.xml": "<a/>"}, media.DOCX),
        ({"[Content_Types].xml": "<a/>", "ppt/presentation.xml": "<a/>"}, media.PPTX),
        ({"[Content_Types].xml": "<a/>", "xl/workbook.xml": "<a/>"}, media.XLSX),
        ({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": "<a/>"}, media.ODT),
        ({"holiday.txt": "hello"}, media.ZIP),
    ],
)
def test_zip_containers_are_told_by_their_members(tmp_path: Path, members: dict[str, str], expected: str) -> None:
    path = tmp_path / "unnamed"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    assert detect_media_type(path) == expected


def test_a_broken_zip_keeps_the_type_of_its_suffix_so_that_it_is_called_corrupt(tmp_path: Path) -> None:
    path = tmp_path / "cut.docx"
    path.write_bytes(b"PK\x03\x04 and nothing more")
    assert detect_media_type(path) == media.DOCX


def test_the_reason_for_an_old_word_file_says_what_to_do() -> None:
    assert "save it as DOCX" in unsupported_reason(media.MSWORD, Path("old.doc"))


def test_markdown_under_another_name_is_told_from_plain_text(tmp_path: Path) -> None:
    for name, text, kind in (
        ("a.pdf", "# Wells\n\nDeep.\n\n## Depth\n\n9 m\n", media.MARKDOWN),
        ("b.pdf", "Wells are deep.\n", media.PLAIN),
    ):
        (tmp_path / name).write_text(text)
        assert media.detect_media_type(tmp_path / name) == kind
