"""Whether two snapshots hold the same: every table row by row, every search index byte by byte."""

from __future__ import annotations

from pathlib import Path

from assets_store.snapshot import Snapshot

# What was taken over from an earlier index is counted there, and its hash stands in the list of files.
_OF_HISTORY = ("search.json", "complete")


def assert_equal_tables(one: Snapshot, other: Snapshot, said: str = "") -> None:
    """Raise AssertionError naming the first table that differs. said: what to put in front."""
    for table in other.manifest["tables"]:
        assert one.read(table).equals(other.read(table)), f"{said}table {table} depends on its history"


def assert_equal_indexes(one: Snapshot, other: Snapshot, said: str = "") -> None:
    """Raise AssertionError naming the first file that differs."""
    left, right = one.folder("index"), other.folder("index")
    files = _files(left)
    assert files == _files(right), said
    for file in files:
        same = file.name in _OF_HISTORY or (left / file).read_bytes() == (right / file).read_bytes()
        assert same, f"{said}{file} depends on its history"


def _files(folder: Path) -> list[Path]:
    return sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
