"""Media types: what a file is, told by its content first and by its suffix only for kinds of plain text."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
EPUB = "application/epub+zip"
ODT = "application/vnd.oasis.opendocument.text"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
ODP = "application/vnd.oasis.opendocument.presentation"
RTF = "text/rtf"
CSV = "text/csv"
HTML = "text/html"
XML = "application/xml"
MARKDOWN = "text/markdown"
PLAIN = "text/plain"
JSONL = "application/jsonl"
MINERU_JSON = "application/vnd.mineru+json"
JSON = "application/json"
IMAGE_PREFIX = "image/"
OLE_ENCRYPTED = "application/x-ole-encrypted"
MSWORD = "application/msword"
MSEXCEL = "application/vnd.ms-excel"
MSPOWERPOINT = "application/vnd.ms-powerpoint"
OLE = "application/x-ole-storage"
ZIP = "application/zip"
UNKNOWN = "application/octet-stream"

OFFICE = frozenset({DOCX, PPTX, XLSX, ODT, ODS, ODP, RTF})
"""Kinds that MinerU reads whole; PDF is read in page windows, EPUB by our own reader."""

SUPPORTED = frozenset({PDF, EPUB, HTML, XML, MARKDOWN, PLAIN, CSV, JSONL, MINERU_JSON}) | OFFICE

_TEXT_SUFFIXES = {
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".mkd": MARKDOWN,
    ".mdown": MARKDOWN,
    ".txt": PLAIN,
    ".text": PLAIN,
    ".rst": PLAIN,
    ".log": PLAIN,
    ".tex": PLAIN,
    ".adoc": PLAIN,
    ".org": PLAIN,
    ".jsonl": JSONL,
    ".ndjson": JSONL,
    ".csv": CSV,
    ".tsv": CSV,
    ".html": HTML,
    ".htm": HTML,
    ".xhtml": HTML,
    ".xml": XML,
    ".nxml": XML,
}
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"BM", "image/bmp"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"II+\x00", "image/tiff"),
    (b"\x00\x00\x00\x0cjP  ", "image/jp2"),
    (b"8BPS", "image/vnd.adobe.photoshop"),
)
_OLE_SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HEAD_BYTES = 64 * 1024
_HTML_START = re.compile(
    rb"\A(?:<\?xml[^>]*\?>|<!--.*?-->|\s)*(?:<!doctype\s+html\b|<html[\s>]|<(?:head|body)[\s>])", re.IGNORECASE | re.DOTALL
)
_MARKUP_START = re.compile(rb"\A\s*<(?:div|p|h[1-6]|table|span|article|section|main|ul|ol|meta|title|center|font|br)[\s/>]", re.IGNORECASE)
_XML_START = re.compile(
    rb"\A(?:\s|<!--.*?-->)*(?:<\?xml\b|<!DOCTYPE\s+(?!html\b)\w|<(?:article|rfc|TEI|book|doc|document|OAI-PMH)[\s>])", re.DOTALL
)
# Lines that hardly occur in any other text: headings, fences, links, emphasis in bold.
_MARKDOWN_LINE = re.compile(rb"^(?:#{1,6} \S|```|~~~)|\]\((?:https?:|#|[\w./-]+\))|\*\*\w[^*\n]*\*\*", re.MULTILINE)
_MARKDOWN_LINES = 2
_MINERU_KEYS = re.compile(rb'"(?:docvortex\.middle|pdf_info|page_idx|title_content|paragraph_content|image_source|page_number_content)"')

_UNSUPPORTED = {
    MSWORD: "a Word 97-2003 file (.doc); save it as DOCX or PDF and index that",
    MSEXCEL: "an Excel 97-2003 file (.xls); save it as XLSX or CSV and index that",
    MSPOWERPOINT: "a PowerPoint 97-2003 file (.ppt); save it as PPTX or PDF and index that",
    OLE: "an OLE file of unknown content; save it in a format of today (DOCX, XLSX, PPTX, PDF)",
    ZIP: "a ZIP archive; unpack it and index the folder",
    JSON: "JSON that is no MinerU output; one document a line belongs into a .jsonl file with `id` and `text`",
}


def detect_media_type(path: Path) -> str:
    """Media type of a file.

    Signatures and structure decide; the suffix decides only between kinds of text that look
    alike (Markdown, plain text, CSV, JSONL). HTML named `.pdf` is HTML. A file of no known kind
    is `application/octet-stream`; a file without content has the type of its suffix.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    return _by_signature(path, head) or _by_text(path.suffix.lower(), head)


def unsupported_reason(media_type: str, path: Path) -> str:
    """Why a file of this type cannot be read, and what to do instead."""
    what = _UNSUPPORTED.get(media_type) or f"content of no supported kind ({media_type})"
    return f"{path.name}: {what}"


def _by_signature(path: Path, head: bytes) -> str | None:
    # PDF readers accept up to a kilobyte of other bytes before the header.
    at = head[:1024].find(b"%PDF-")
    if at >= 0 and not _HTML_START.match(head):
        return PDF
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zip_type(path)
    if head.startswith(_OLE_SIGNATURE):
        return _ole_type(path)
    if head.lstrip().startswith(b"{\\rtf"):
        return RTF
    for signature, media_type in _SIGNATURES:
        if head.startswith(signature) and (media_type != "image/bmp" or b"\x00" in head[:64]):
            return media_type
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image/webp"
    if head[4:12] in (b"ftypavif", b"ftypheic", b"ftypmif1"):
        return "image/heif"
    return None


def _by_text(suffix: str, head: bytes) -> str:
    text = head
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = head.decode("utf-16", errors="ignore").encode("utf-8")
    elif head.startswith(b"\xef\xbb\xbf"):
        text = head[3:]
    if b"\x00" in text[:4096]:
        return UNKNOWN
    by_suffix = _TEXT_SUFFIXES.get(suffix)
    if _HTML_START.match(text):
        return HTML
    if by_suffix in (MARKDOWN, PLAIN, JSONL, CSV):
        return by_suffix
    if _XML_START.match(text) and by_suffix in (None, XML, HTML):
        return HTML if re.search(rb"<html[\s>]", text[:4096], re.IGNORECASE) else XML
    if by_suffix is not None:
        return by_suffix
    if text.lstrip()[:1] in (b"{", b"["):
        return MINERU_JSON if _MINERU_KEYS.search(text) else JSON
    if _MARKUP_START.match(text):
        return HTML
    if suffix in ("", ".pdf", ".readme") and _is_readable(text):
        return MARKDOWN if len(_MARKDOWN_LINE.findall(text[:_HEAD_BYTES])) >= _MARKDOWN_LINES else PLAIN
    return UNKNOWN


def _is_readable(text: bytes) -> bool:
    """Whether bytes without a known suffix are text: valid UTF-8 with next to no control characters."""
    try:
        characters = text.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(text) - 4:
            return False
        characters = text[: error.start].decode("utf-8")
    controls = sum(character < " " and character not in "\t\n\r\f" for character in characters)
    return bool(characters.strip()) and controls * 100 < len(characters)


def _zip_type(path: Path) -> str:
    """Kind of a zip container by the names in it; a broken one is told by its suffix, so that it is called corrupt."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            if "mimetype" in names and archive.getinfo("mimetype").file_size < 200:
                kind = archive.read("mimetype").decode("ascii", errors="ignore").strip()
                if kind in (EPUB, ODT, ODS, ODP):
                    return kind
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError):
        return {".docx": DOCX, ".pptx": PPTX, ".xlsx": XLSX, ".epub": EPUB, ".odt": ODT, ".ods": ODS, ".odp": ODP}.get(
            path.suffix.lower(), ZIP
        )
    if "META-INF/container.xml" in names:
        return EPUB
    for prefix, media_type in (("word/", DOCX), ("ppt/", PPTX), ("xl/", XLSX)):
        if "[Content_Types].xml" in names and any(name.startswith(prefix) for name in names):
            return media_type
    return ZIP


def _ole_type(path: Path) -> str:
    """Kind of an OLE compound file by the stream names in its directory (UTF-16)."""
    streams = (
        ("EncryptedPackage", OLE_ENCRYPTED),
        ("WordDocument", MSWORD),
        ("PowerPoint Document", MSPOWERPOINT),
        ("Workbook", MSEXCEL),
        ("Book", MSEXCEL),
    )
    data = path.read_bytes()
    for name, media_type in streams:
        if name.encode("utf-16-le") + b"\x00\x00" in data:
            return media_type
    return OLE
