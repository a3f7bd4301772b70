"""Folders are levels above documents; an index page names its folder and stands for it."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from assets_store.settings import Settings
from docnav_pipeline.folder_outline import folder_outline
from docnav_pipeline.transforms.folders import with_folders

FILES = {
    "README.md": "Water works",
    "guides/index.md": "Guides for beginners",
    "guides/pump.md": "The pump",
    "guides/deep/well.md": "The well",
    "notes/README.md": "README",
    "notes/a.jsonl#one": "First note",
}


def folders(files: dict[str, str]) -> dict[str, list[str]]:
    rows = [{"uri": uri, "root": "r", "kb": "k", "product_version": "", "title": title} for uri, title in files.items()]
    return dict(with_folders(pl.DataFrame(rows)).select("uri", "folders").iter_rows())


def test_folders_have_the_title_of_their_index_page_or_their_name() -> None:
    assert folders(FILES) == {
        "README.md": [],
        "guides/index.md": [],
        "guides/pump.md": ["Guides for beginners"],
        "guides/deep/well.md": ["Guides for beginners", "deep"],
        "notes/README.md": ["notes"],
        "notes/a.jsonl#one": ["notes"],
    }


def test_index_pages_of_another_version_name_nothing() -> None:
    rows = [
        {"uri": "guides/index.md", "root": "r", "kb": "k", "product_version": "1", "title": "Old guides"},
        {"uri": "guides/pump.md", "root": "r", "kb": "k", "product_version": "2", "title": "Pump"},
    ]
    assert with_folders(pl.DataFrame(rows))["folders"].to_list() == [[], ["guides"]]


def test_the_outline_of_a_folder_nests_folders_documents_and_headings(tmp_path: Path) -> None:
    (tmp_path / "guides" / "deep").mkdir(parents=True)
    (tmp_path / "guides" / "index.md").write_text("# Guides for beginners\n\nText.\n\n## How to read them\n\nText.\n")
    (tmp_path / "guides" / "pump.md").write_text("# The pump\n\nText.\n\n## Lid\n\nText.\n")
    (tmp_path / "guides" / "deep" / "well.md").write_text("# The well\n\nText.\n\n## Depth\n\nText.\n")
    (tmp_path / "empty.md").write_text("")
    name, entries, faults = folder_outline(tmp_path, Settings(), ignore_bookmarks=False)
    assert [(e["level"], e["title"], e["evidence"][0]) for e in entries] == [
        (1, "Guides for beginners", "folder"),
        (2, "How to read them", "source_level"),
        (2, "The pump", "document"),
        (3, "Lid", "source_level"),
        (2, "deep", "folder"),
        (3, "The well", "document"),
        (4, "Depth", "source_level"),
    ]
    assert name == tmp_path.name
    assert faults.startswith("empty.md: empty")
