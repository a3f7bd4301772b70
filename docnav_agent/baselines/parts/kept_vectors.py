"""Vectors that a system encodes for itself, kept in a file so that a run that goes on does not encode them again."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


def kept_vectors(
    folder: Path | None, name: str, texts: Sequence[str], encode: Callable[[Sequence[str]], NDArray[np.float32]]
) -> NDArray[np.float32]:
    """Vectors of texts, float32 [n, dim]. folder: where `name`.npy is kept; None keeps none. The name stands for texts and model."""
    path = None if folder is None else folder / f"{name}.npy"
    if path is not None and path.exists():
        kept = np.load(path, allow_pickle=False)
        if kept.shape[0] == len(texts):
            return np.asarray(kept, dtype=np.float32)
    vectors = np.asarray(encode(texts), dtype=np.float32) if texts else np.zeros((0, 0), np.float32)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f"{path.name}.{os.getpid()}.part")
        with partial.open("wb") as file:
            np.save(file, vectors)
        partial.replace(path)
    return vectors
