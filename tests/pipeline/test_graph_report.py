"""`docnav graph` and the asset `graph_report`."""

from __future__ import annotations

import json
from pathlib import Path

import dagster as dg
import pytest

from assets_store.collect import collect
from assets_store.store import Store
from docnav_agent.cli import run
from docnav_pipeline.assets.graph_report import graph_report
from docnav_pipeline.commands.graph import graph
from docnav_pipeline.resources import StoreResource
from tests.factories import MadeDocument, make_store

DOCUMENTS = [
    MadeDocument("small.md", "# One\n\nText."),
    MadeDocument("folder/xylograph.md", "\n\n".join(f"# Part {n}\n\nText." for n in (1, 2, 3))),
]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return make_store(tmp_path / "store", DOCUMENTS)


def test_json_is_all_of_stdout_and_the_page_goes_to_the_file(store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "new" / "report.html"
    assert run(["--store", store.location, "--out", str(page), "--json"], graph) == 0
    captured = capsys.readouterr()
    found = json.loads(captured.out)
    assert found["headline"]["documents"] == 2
    assert found["nodes"] == {"document": 2, "section": 4, "paragraph": 4}
    assert found["tree"]["doc"] == "xylograph.md"
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert str(page) in captured.err


def test_the_document_that_is_drawn_can_be_named(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--store", store.location, "--document", "small", "--json"], graph) == 0
    assert json.loads(capsys.readouterr().out)["tree"]["doc"] == "small.md"
    assert run(["--store", store.location, "--document", "smal"], graph) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "nearest: 'small" in captured.err
    assert captured.err.count("\n") == 1


def test_without_a_file_the_headline_is_printed(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--store", store.location], graph) == 0
    captured = capsys.readouterr()
    assert "100.0%  share of orphan paragraphs" in captured.out
    assert "--out" in captured.err


def test_the_asset_reports_numbers_only_and_its_page_goes_with_the_snapshot(store: Store) -> None:
    done = dg.materialize(
        [dg.AssetSpec("snapshot"), graph_report], resources={"store": StoreResource(location=store.location)}, selection=[graph_report]
    )
    (event,) = done.asset_materializations_for_node("graph_report")
    first = store.snapshot().id
    assert event.metadata["snapshot"].value == first
    assert event.metadata["paragraphs"].value == 4
    assert "xylograph" not in str(event.metadata)
    assert "xylograph" in (Path(store.location) / "reports" / f"{first}.html").read_text(encoding="utf-8")
    store.commit("made", {"encoder": "another"}, {"paragraphs": 4})
    collect(store, keep=1)
    assert store.files.names("reports") == []
