"""The registry of systems."""

from __future__ import annotations

from pathlib import Path

import pytest

from assets_store.errors import SettingsError
from docnav_agent.systems import system, system_names
from tests.factories import make_search


def test_every_registered_system_can_be_made_and_knows_its_name(tmp_path: Path) -> None:
    search = make_search(tmp_path / "s", {"a.md": "Text."})
    assert {"docnav", "bm25", "dense", "hybrid"} <= set(system_names())
    for name in system_names():
        assert system(name, search).name == name


def test_an_unknown_system_lists_those_that_exist(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"unknown system 'bm24' \(nearest: 'bm25'\); expected one of: docnav, bm25, dense, hybrid"):
        system("bm24", make_search(tmp_path / "s", {"a.md": "Text."}))
