"""The token counter: rule-based, independent of any model, so that a new model re-embeds but never re-cuts paragraphs.

A run of ASCII letters counts one token up to nine letters and one more for each further three; a word with other letters
counts one for each two letters; digits count one for each two; every punctuation mark and every CJK character is one.
Fitted to the word pieces of BERT (uncased English): within 8 % on English manuals, filings, contracts and articles, on a
French manual and on a Chinese one.
"""

from __future__ import annotations

import re
from functools import lru_cache

COUNTER_NAME = "docnav-rule-1"

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_TOKEN = re.compile(rf"[{_CJK}]|[^\W\d_{_CJK}]+|\d+|[^\w\s]|_")

_FIRST_PIECE = 9
_NEXT_PIECE = 3
_OTHER_PIECE = 2


def _pieces(length: int, size: int) -> int:
    return -(-length // size)


@lru_cache(maxsize=65536)
def _run_tokens(run: str) -> int:
    if run[0].isdigit() or not run.isascii():
        return _pieces(len(run), _OTHER_PIECE)
    return 1 + _pieces(max(0, len(run) - _FIRST_PIECE), _NEXT_PIECE)


def count_tokens(text: str) -> int:
    """Number of tokens of a text, 0 for one without characters. Additive over texts that are joined by white space."""
    return sum(_run_tokens(run) for run in _TOKEN.findall(text))
