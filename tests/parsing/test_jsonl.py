"""Tests of the JSONL reader."""

from __future__ import annotations

import json
from pathlib import Path

from docnav_pipeline.parsing.block import BlockType, DocumentStatus
from docnav_pipeline.parsing.jsonl import list_entries, parse_jsonl


def write(path: Path, *lines: object) -> Path:
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n", encoding="utf-8")
    return path


def test_each_line_is_a_document_of_its_own(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", {"id": "x", "title": "X", "text": "Alpha."}, {"id": 2, "text": "Beta.", "more": 1})
    entries = list_entries(path)
    assert [(entry.fragment, entry.title, entry.lines, entry.error) for entry in entries] == [("x", "X", (1,), ""), ("2", None, (2,), "")]
    assert [(fragment, document.title, document.blocks[0].text) for fragment, document in parse_jsonl(path)] == [
        ("x", "X", "Alpha."),
        ("2", None, "Beta."),
    ]


def test_a_digest_changes_only_with_its_own_line(tmp_path: Path) -> None:
    before = list_entries(write(tmp_path / "a.jsonl", {"id": "x", "text": "1"}, {"id": "y", "text": "2"}))
    after = list_entries(write(tmp_path / "a.jsonl", {"id": "new", "text": "0"}, {"id": "x", "text": "1"}, {"id": "y", "text": "3"}))
    digests = {entry.fragment: entry.digest for entry in after}
    assert digests["x"] == before[0].digest
    assert digests["y"] != before[1].digest


def test_broken_lines_and_repeated_ids_are_reported_and_stop_nothing(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.jsonl",
        {"id": "x", "text": "ok"},
        "{broken",
        {"id": "x", "text": "again"},
        {"id": "z"},
        "[1]",
        "",
        {"id": "w", "text": "ok"},
    )
    errors = {entry.fragment: entry.error for entry in list_entries(path)}
    assert errors["x"] == errors["w"] == ""
    assert "line 2: no JSON" in errors["line-2"]
    assert "used on line 1" in errors["line-3"]
    assert 'expected "text"' in errors["line-4"]
    assert "expected an object" in errors["line-5"]
    statuses = {fragment: document.status for fragment, document in parse_jsonl(path)}
    assert statuses["line-2"] is DocumentStatus.CORRUPT
    assert statuses["w"] is DocumentStatus.OK
    assert len(statuses) == 6


def test_lines_of_pages_are_one_document_in_page_order(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", {"page": 3, "text": "Third page."}, {"page": 1, "text": "First page."}, {"page": 4, "text": " "})
    (entry,) = list_entries(path)
    assert (entry.fragment, entry.lines) == (None, (1, 2, 3))
    ((fragment, document),) = parse_jsonl(path)
    assert fragment is None
    assert [(block.page, block.text) for block in document.blocks if block.type is BlockType.TEXT] == [
        (1, "First page."),
        (3, "Third page."),
    ]
    assert (document.n_pages, document.pages_without_text) == (4, (4,))


def test_only_the_wanted_fragments_are_parsed(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", *({"id": f"d{number}", "text": "t"} for number in range(5)))
    assert [fragment for fragment, _ in parse_jsonl(path, {"d1", "d3"})] == ["d1", "d3"]
