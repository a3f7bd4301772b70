"""Vectors by feature hashing: words and pairs of neighbours, no model files, thousands of texts a second.

It knows no meaning beyond shared words. It is there to measure and to test the pipeline itself, and as a floor for models.
Source: Weinberger et al., Feature Hashing for Large Scale Multitask Learning, ICML 2009.
"""

from __future__ import annotations

import itertools
import re
import zlib
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from assets_store.errors import ModelError
from assets_store.models.encoder import EncodedTexts, unit_rows

NAME = "hashing"
_WORD = re.compile(r"\w+")
_NAMED = re.compile(rf"{NAME}(?:-(\d{{2,4}}))?")
_DEFAULT_DIM = 256
_MOST_DIM = 4096


def hashing_dim(model: str) -> int | None:
    """Dimensions of the hashing encoder that a setting names (`hashing`, `hashing-512`); None where it names another model."""
    found = _NAMED.fullmatch(model)
    if found is None:
        return None
    dim = int(found.group(1) or _DEFAULT_DIM)
    if not 16 <= dim <= _MOST_DIM:
        raise ModelError(f"embeddings.model = {model!r}: expected 16 to {_MOST_DIM} dimensions, as in {NAME}-{_DEFAULT_DIM}.")
    return dim


class HashingEncoder:
    """Signed sums of hashed words and word pairs, damped by the logarithm of their count and brought to length 1."""

    def __init__(self, dim: int) -> None:
        self.dim = dim
        self.model_id = f"{NAME}-{dim}@1"

    def encode(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> EncodedTexts:
        """Encode texts, in the order given; a text without a word points along the first axis."""
        vectors = np.zeros((len(texts), self.dim), np.float32)
        for row, text in enumerate(texts):
            words = _WORD.findall(text.casefold())
            counts = Counter([*words, *map(" ".join, itertools.pairwise(words))])
            if not counts:
                vectors[row, 0] = 1.0
                continue
            # crc32 and not hash(): the same numbers in every process.
            codes = np.fromiter((zlib.crc32(name.encode()) for name in counts), np.int64, len(counts))
            weights = 1.0 + np.log(np.fromiter(counts.values(), np.float64, len(counts)))
            vectors[row] = np.bincount(codes % self.dim, np.where(codes & 0x8000_0000, weights, -weights), self.dim)
            if not vectors[row].any():
                vectors[row, 0] = 1.0
        if progress is not None:
            progress(len(texts))
        return EncodedTexts(unit_rows(vectors), np.ones(len(texts), np.int32))
