"""Turning rows of terms into terms of rows, and back, on disk: memory holds one piece, whatever the size of the index."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from assets_store.mapped import new_mapped

# Sizes of some consecutive major entries, then for each of their pairs the minor entry and a count.
Piece: TypeAlias = "tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.uint16]]"


def transpose(pieces: Iterable[Piece], minor_sizes: NDArray[np.int64], folder: Path, names: tuple[str, str]) -> NDArray[np.int64]:
    """Write pairs (major, minor, count) that come by major as two .npy files by minor, majors ascending within a minor.

    pieces: (sizes int64 [n majors], minors int32 [n pairs], counts uint16 [n pairs]), majors counted on from piece to piece.
    minor_sizes: int64 [n_minors], pairs of each minor over all pieces. names: of the files of majors (int32) and counts (uint16).

    Returns offsets, int64 [n_minors + 1]: the pairs of minor m are offsets[m]..offsets[m + 1].
    """
    offsets = np.zeros(len(minor_sizes) + 1, np.int64)
    np.cumsum(minor_sizes, out=offsets[1:])
    total = int(offsets[-1])
    majors = new_mapped(folder / f"{names[0]}.npy", np.int32, total)
    counts = new_mapped(folder / f"{names[1]}.npy", np.uint16, total)
    free = offsets[:-1].copy()
    first = 0
    for sizes, minors, values in pieces:
        order = np.argsort(minors, kind="stable")
        found, starts, n = np.unique(minors[order], return_index=True, return_counts=True)
        # Pairs of one minor stand together in `order`: the i-th of them goes to the i-th free place of that minor.
        places = np.arange(len(order)) - np.repeat(starts, n) + np.repeat(free[found], n)
        majors[places] = np.repeat(np.arange(first, first + len(sizes), dtype=np.int32), sizes)[order]
        counts[places] = values[order]
        free[found] += n
        first += len(sizes)
    return offsets
