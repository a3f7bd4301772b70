"""Programs that are no Python packages: a test that needs one skips where it is missing, and fails where it was promised."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest


def needed(find: Callable[[], str | None], what: str) -> str:
    """Path of a program. find: gives it, or None. Skips, or fails where the variable REQUIRE_PROGRAMS says that all are there."""
    found = find()
    if found is None and os.environ.get("REQUIRE_PROGRAMS"):
        pytest.fail(f"{what} is missing, though REQUIRE_PROGRAMS is set")
    if found is None:
        pytest.skip(f"no {what} on this machine")
    return found
