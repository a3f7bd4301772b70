"""Read a text file: bytes to characters, with the encoding found from the content."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Detection looks at the head only: its cost grows with the input, its answer does not.
_DETECTION_BYTES = 256 * 1024
_DECLARED = re.compile(rb"""(?:encoding|charset)\s*=\s*["']?\s*([A-Za-z0-9_.:-]{2,40})""")


def decode_text(data: bytes, declared: str | None = None) -> tuple[str, str]:
    """Decode bytes of unknown encoding.

    declared: encoding that the file or its carrier names; tried after byte order mark and UTF-8.

    Returns (text, encoding). Never raises: bytes that no encoding explains become U+FFFD.
    """
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return data.decode(encoding, errors="replace"), encoding
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        # A file that was cut inside its last character, or has one bad byte in much good text, is UTF-8 still.
        if error.start > 4096 and data.count(b"\x00") == 0:
            text = data.decode("utf-8", errors="replace")
            if text.count("\ufffd") * 1000 < len(text):
                return text, "utf-8"
    if declared:
        try:
            return data.decode(declared), declared.lower()
        except (LookupError, UnicodeDecodeError):
            pass
    guess = _detect(data[:_DETECTION_BYTES])
    return data.decode(guess, errors="replace"), guess


def declared_encoding(data: bytes) -> str | None:
    """Encoding named by an XML declaration or an HTML meta element in the first 2,048 bytes."""
    match = _DECLARED.search(data[:2048])
    return match.group(1).decode("ascii") if match else None


def read_text(path: Path) -> tuple[str, str]:
    """Text of a file and its encoding."""
    return decode_text(path.read_bytes())


def _detect(data: bytes) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(data).best()
    if best is None:
        return "cp1252"
    encoding = best.encoding
    # The detector compares many 8-bit tables on few letters; where Windows-1252 reads the same bytes, it is likelier.
    if encoding in {"cp1250", "cp1257", "cp1254", "iso8859_2", "iso8859_15", "latin_1", "mac_roman", "cp850", "cp437"}:
        try:
            data.decode("cp1252")
        except UnicodeDecodeError:
            return encoding
        if best.language in {"Unknown", "English", "German", "French", "Spanish", "Italian", "Portuguese", "Dutch"}:
            return "cp1252"
    return encoding
