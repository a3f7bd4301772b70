"""Two writers at once lose nothing; a reader beside them always sees one whole version."""

from __future__ import annotations

import json
import time
from pathlib import Path

from assets_store.store import Store
from docnav_pipeline.checks import snapshot_is_complete
from tests.pipeline.fast import start_index


def write_docs(folder: Path, names: list[str]) -> Path:
    folder.mkdir()
    for name in names:
        (folder / f"{name}.md").write_text(f"# On {name}\n\nAll about {name} and nothing else.\n\n## Care of {name}\n\nOil the {name}.\n")
    return folder


def test_two_writers_at_once_lose_no_document(tmp_path: Path) -> None:
    store = tmp_path / "store"
    folders = [write_docs(tmp_path / "a", ["wells", "pumps", "bells"]), write_docs(tmp_path / "b", ["tanks", "taps"])]
    writers = [start_index([folder], store) for folder in folders]
    seen: set[str] = set()
    while any(writer.poll() is None for writer in writers):
        if (store / "CURRENT").exists():
            snapshot = Store.open(store).snapshot()
            documents = snapshot.read("documents")["doc_id"]
            assert set(snapshot.read("paragraphs", ["doc_id"])["doc_id"]) == set(documents)
            seen.add(snapshot.id)
        time.sleep(0.05)
    outputs = [writer.communicate() for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0], outputs
    assert sorted(json.loads(out)["added"] for out, _ in outputs) == [2, 3]
    assert sum("waiting for it to end" in errors for _, errors in outputs) == 1
    opened = Store.open(store)
    assert sorted(opened.snapshot().read("documents")["doc"]) == ["bells.md", "pumps.md", "tanks.md", "taps.md", "wells.md"]
    assert snapshot_is_complete(opened) == []
    assert seen
