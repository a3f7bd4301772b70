"""Clean characters: one spelling of text for every parser."""

from __future__ import annotations

import re
import unicodedata

# Characters that print nothing and break matching or Parquet: C0/C1 controls but tab and line feed,
# soft hyphen, zero-width space and no-break space marks, lone surrogates, byte order mark.
_UNPRINTED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u2060\ufeff\ufffe\uffff]")
_LINE_ENDS = re.compile("\r\n?|\u2028|\u2029|\x85|\x0b|\x0c")
_FIXED_SPACES = re.compile("[\u00a0\u2007\u202f]")
_SURROGATES = re.compile("[\ud800-\udfff]")
# Letters stored as presentation forms: Latin ligatures, Arabic forms A and B.
_PRESENTATION = re.compile("[\ufb00-\ufb06\ufb50-\ufdff\ufe70-\ufefc]")
_SPACES = re.compile(r"[^\S\n]+")
_AROUND_BREAK = re.compile(r" ?\n ?")


def clean_text(text: str) -> str:
    """NFC text with line feeds as the only line ends and without characters that print nothing.

    No-break spaces are spaces, ligatures and Arabic presentation forms become their letters; a lone surrogate, which no
    file format can store, becomes U+FFFD. Runs of spaces are kept as they are.
    """
    text = _LINE_ENDS.sub("\n", text)
    text = _UNPRINTED.sub("", text)
    if not text.isascii():
        text = _FIXED_SPACES.sub(" ", text)
        text = _SURROGATES.sub("\ufffd", text)
        text = _PRESENTATION.sub(lambda match: unicodedata.normalize("NFKC", match.group()), text)
        text = unicodedata.normalize("NFC", text)
    return text


def flow_text(text: str) -> str:
    """Clean text of running prose: every run of spaces is one space, line feeds are kept, ends are bare."""
    return _AROUND_BREAK.sub("\n", _SPACES.sub(" ", clean_text(text))).strip()


def one_line(text: str) -> str:
    """Clean text on a single line."""
    return " ".join(clean_text(text).split())
