"""A store of the schema version before: it opens, answers, and after `index` holds the tables of a clean build."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assets_store.schemas import SCHEMA_VERSION
from assets_store.settings import load_settings
from assets_store.store import Store
from docnav_agent.cli import run
from tests.pipeline.direct import index_directly
from tests.pipeline.equality import assert_equal_tables
from tests.pipeline.fast import FAST
from tests.store.older import OLDER, make_older


def test_an_older_store_answers_and_is_upgraded_by_the_next_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {**FAST, "DOCNAV_SHARDS": "2"}.items():
        monkeypatch.setenv(name, value)
    docs, older, clean = tmp_path / "docs", tmp_path / "older", tmp_path / "clean"
    docs.mkdir()
    for name in ("wells", "pumps"):
        (docs / f"{name}.md").write_text(f"# On {name}\n\nAll about {name}.\n\n## Care\n\nOil the {name}.\n")
    for folder in (older, clean):
        index_directly(Store.create(folder, load_settings()), docs)
    make_older(Store.open(older), {"parse_quality": ["confidence"], "communities": ["unit"], "profiles": ["in_R"]})
    before = Store.open(older).snapshot().id

    capsys.readouterr()
    assert run(["locate", "wells", "--store", str(older), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["nodes"]
    assert run(["status", "--store", str(older), "--json"]) == 0
    assert [d["quality"]["confidence"] for d in json.loads(capsys.readouterr().out)["documents"]] == [None, None]

    assert run(["index", str(docs), "--store", str(older)]) == 0
    said = capsys.readouterr().err
    assert f"upgraded from schema version {OLDER} to {SCHEMA_VERSION}; made anew: communities, parse_quality, profiles" in said
    assert f"snapshot {before} can no longer be read: table communities" in said
    opened = Store.open(older)
    assert opened.snapshot().id != before
    assert_equal_tables(opened.snapshot(), Store.open(clean).snapshot())
    assert opened.snapshot(before).read("parse_quality")["confidence"].null_count() == 2

    assert run(["index", str(docs), "--store", str(older)]) == 0
    again = capsys.readouterr()
    assert "upgraded" not in again.err
    assert "nothing changed" in again.out
