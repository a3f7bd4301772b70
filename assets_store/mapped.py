"""NumPy arrays in files, mapped and not read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


def load_mapped(path: Path) -> NDArray[Any]:
    """The array of a .npy file, memory-mapped where it holds anything: an empty one cannot be mapped."""
    header_bytes = 128
    found = np.load(path, mmap_mode="r" if path.stat().st_size > header_bytes else None)
    # A plain view: every slice of a memmap object pays for being one.
    return np.asarray(found).view(np.ndarray)


def new_mapped(path: Path, dtype: DTypeLike, size: int) -> NDArray[Any]:
    """A zeroed array [size] in a new .npy file, to be filled in place."""
    if not size:
        np.save(path, np.empty(0, dtype))
        return np.empty(0, dtype)
    return np.lib.format.open_memmap(path, mode="w+", dtype=dtype, shape=(size,)).view(np.ndarray)
