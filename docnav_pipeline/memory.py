"""Memory that a step has used and freed, given back to the system: allocators keep it, so a long run would hold the sum of its steps."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import pyarrow as pa


def give_back_memory() -> None:
    """Return free memory of Arrow and, where the C library can, of everything else. It takes milliseconds and changes no result."""
    pa.default_memory_pool().release_unused()
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Any:
    """`malloc_trim` of glibc; None with another C library."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError):
        return None
