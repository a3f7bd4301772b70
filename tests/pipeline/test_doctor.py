"""`docnav doctor --repair`: damaged files go, and the next run makes the same ones again."""

from __future__ import annotations

from pathlib import Path

import pytest

from assets_store.store import Store
from docnav_agent.cli import run
from tests.pipeline.fast import FAST


def test_damaged_tables_are_made_anew_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {**FAST, "DOCNAV_SHARDS": "2"}.items():
        monkeypatch.setenv(name, value)
    docs, store = tmp_path / "docs", str(tmp_path / "store")
    docs.mkdir()
    for name in ("wells", "pumps", "bells"):
        (docs / f"{name}.md").write_text(f"# On {name}\n\nAll about {name}.\n")
    assert run(["index", str(docs), "--store", store]) == 0
    before = Store.open(store).snapshot()
    damaged = [f"parts/{table}/{Store.open(store).heads(table)[0].file}" for table in ("tree", "embeddings", "communities")]
    for path in damaged[:2]:
        (Path(store) / path).write_bytes(b"garbage")
    (Path(store) / damaged[2]).unlink()
    assert run(["doctor", "--store", store]) == 1
    assert "--repair" in capsys.readouterr().out
    assert run(["doctor", "--store", store, "--repair"]) == 0
    assert "3 damaged files" in capsys.readouterr().err
    assert run(["index", str(docs), "--store", store]) == 0
    assert run(["doctor", "--store", store]) == 0
    assert Store.open(store).snapshot().manifest["tables"] == before.manifest["tables"]
