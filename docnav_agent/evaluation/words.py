"""Words of a text as evidence is compared by: no model's tokenizer, so that it favours no system."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from pathlib import PurePosixPath

# Kana, Han and Hangul count character by character, all other letters and digits in runs.
_SINGLE = "㐀-鿿぀-ヿ가-힣"
_WORD = re.compile(rf"[{_SINGLE}]|[^\W_{_SINGLE}]+")
_ENDING = re.compile(r"\.(?:pdf|md|html?|txt|docx?|epub|json|jsonl|odt|xml)$", re.IGNORECASE)

Gram = tuple[str, ...]


def words(text: str) -> list[str]:
    """Words of a text after NFKC, without case."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def stem(doc: str) -> str:
    """A document's name without folder and ending: by it gold and evidence name the same document."""
    return _ENDING.sub("", PurePosixPath(doc).name)


def gram_length(tokens: Sequence[str]) -> int:
    """Words compared at a time: three, and one where a text has fewer than four."""
    return 3 if len(tokens) >= 4 else 1


def grams(tokens: Sequence[str], length: int) -> set[Gram]:
    """Runs of `length` words."""
    return {tuple(tokens[at : at + length]) for at in range(len(tokens) - length + 1)}
