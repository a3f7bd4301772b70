"""`graph.summaries`: off by default, filled when it is turned on, empty again when it is turned off, and nothing else is built anew."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assets_store.store import Store
from docnav_agent.cli import run
from docnav_pipeline.checks import FINDERS
from tests.pipeline.fast import FAST


def test_turning_summaries_on_and_off_touches_that_table_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {**FAST, "DOCNAV_SHARDS": "2"}.items():
        monkeypatch.setenv(name, value)
    docs, store = tmp_path / "docs", str(tmp_path / "store")
    docs.mkdir()
    for name in ("wells", "pumps"):
        (docs / f"{name}.md").write_text(f"# On {name}\n\nWhat every reader should know about {name} is said here.\n")
    assert run(["index", str(docs), "--store", store, "--json"]) == 0
    off = Store.open(store)
    assert off.read("summaries").height == 0
    before = off.snapshot().manifest["tables"]
    capsys.readouterr()

    monkeypatch.setenv("DOCNAV_GRAPH__SUMMARIES", "true")
    assert run(["index", str(docs), "--store", store, "--plan", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["stages"] == [{"stage": "summaries", "documents": 2, "paragraphs": 2}]
    assert run(["index", str(docs), "--store", store, "--json"]) == 0
    on = Store.open(store)
    assert on.read("summaries")["node_id"].sort().to_list() == on.read("tree")["node_id"].sort().to_list()
    assert FINDERS["summaries_are_complete"][1](on) == []
    after = on.snapshot().manifest["tables"]
    assert {name for name in after if after[name] != before[name]} == {"summaries"}
    capsys.readouterr()
    assert run(["index", str(docs), "--store", store, "--json"]) == 0
    assert not json.loads(capsys.readouterr().out)["is_new"]

    monkeypatch.delenv("DOCNAV_GRAPH__SUMMARIES")
    assert FINDERS["summaries_are_complete"][1](Store.open(store)) != []
    assert run(["index", str(docs), "--store", store, "--json"]) == 0
    assert Store.open(store).read("summaries").height == 0
