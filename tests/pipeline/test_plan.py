"""`docnav index --plan` says what the next index will do, and does nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assets_store.store import Store
from docnav_agent.cli import run
from tests.pipeline.fast import FAST


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in FAST.items():
        monkeypatch.setenv(name, value)


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert run([*arguments, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def stages(plan: dict[str, Any]) -> dict[str, int]:
    return {stage["stage"]: stage["documents"] for stage in plan["stages"]}


ALL = ("documents", "structure", "features", "embeddings", "profiles", "routing_profiles")


def test_a_plan_foresees_what_indexing_then_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    docs, store = tmp_path / "docs", str(tmp_path / "store")
    docs.mkdir()
    for name in ("wells", "pumps", "bells"):
        (docs / f"{name}.md").write_text(f"# On {name}\n\nAll about {name}.\n\n## Care\n\nOil the {name}.\n")
    index = ("index", str(docs), "--store", store)
    plan = call(capsys, *index, "--plan")
    assert (plan["added"], stages(plan)) == (3, dict.fromkeys(ALL, 3))
    assert not (tmp_path / "store").exists()

    done = call(capsys, *index)
    assert done["work"] == {"parsed": 3, "encoded": 6, "recognised": 0, "llm_calls": 0}
    nothing = call(capsys, *index, "--plan")
    assert (nothing["added"], nothing["stages"], nothing["encode"]) == (0, [], 0)

    (docs / "wells.md").write_text("# On wells\n\nAll about wells.\n\n## Care\n\nOil the wells twice.\n")
    (docs / "bells.md").unlink()
    edit = call(capsys, *index, "--plan")
    assert (edit["changed"], edit["removed"], stages(edit)) == (1, 1, dict.fromkeys(ALL, 1))
    done = call(capsys, *index)
    assert (done["changed"], done["removed"], done["work"]["parsed"], done["work"]["encoded"]) == (1, 1, 1, 1)

    before = Store.open(store).snapshot().id
    monkeypatch.setenv("DOCNAV_EMBEDDINGS__MODEL", "hashing-128")
    model = call(capsys, *index, "--plan")
    assert stages(model) == {"embeddings": 2, "profiles": 2, "routing_profiles": 2}
    assert model["encode"] == 4
    assert Store.open(store).snapshot().id == before
    assert call(capsys, *index)["work"] == {"parsed": 0, "encoded": 4, "recognised": 0, "llm_calls": 0}


def test_calls_of_a_language_model_are_priced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("# On wells\n\n" + "All about wells.\n\n" * 400)
    for name, value in {
        "LLM__BASE_URL": "http://127.0.0.1:9/v1",
        "LLM__MODEL": "m",
        "LLM__PROMPT_PRICE": "2",
        "HIERARCHY__LLM_LEVELS": "true",
    }.items():
        monkeypatch.setenv(f"DOCNAV_{name}", value)
    plan = call(capsys, "index", str(docs), "--store", str(tmp_path / "store"), "--plan")
    assert plan["llm_calls"] == 1
    assert plan["cost"] == pytest.approx(plan["prompt_tokens"] * 2 / 1e6, abs=1e-4)


def test_a_renamed_document_is_not_encoded_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for n in range(4):
        (docs / f"{n}.md").write_text(f"# On well {n}\n\nAll about well {n}.\n")
    index = ("index", str(docs), "--store", str(tmp_path / "store"))
    assert call(capsys, *index)["work"]["encoded"] == 4
    for n in range(4):
        (docs / f"{n}.md").rename(docs / f"renamed-{n}.md")
    done = call(capsys, *index)
    assert (done["added"], done["removed"], done["work"]["encoded"]) == (4, 4, 0)


def test_documents_whose_root_is_away_are_not_planned_to_be_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    away, here, store = tmp_path / "away", tmp_path / "here", str(tmp_path / "store")
    for folder in (away, here):
        folder.mkdir()
        (folder / f"{folder.name}.md").write_text(f"# On wells {folder.name}\n\nAll about wells.\n")
    assert run(["index", str(away), str(here), "--store", store]) == 0
    away.rename(tmp_path / "elsewhere")
    monkeypatch.setattr("docnav_pipeline.stages.parser_fingerprint", lambda *_: "a newer parser")
    capsys.readouterr()
    plan = call(capsys, "index", str(here), "--store", store, "--plan")
    assert stages(plan)["documents"] == 1
    assert call(capsys, "index", str(here), "--store", store)["work"]["parsed"] == 1
