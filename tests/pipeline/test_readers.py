"""Readers beside a writer and a collector: every answer belongs to one committed snapshot, and none that is open loses a file."""

from __future__ import annotations

import gc
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from assets_store.collect import collect
from assets_store.settings import load_settings
from assets_store.store import Store
from docnav_agent import Graph
from tests.pipeline.direct import index_directly
from tests.pipeline.fast import FAST
from tests.pipeline.reading import TEXT, check, contents

COMMITS, COLLECTED_EVERY, READERS = 20, 4, 2
# Fast readers on few processors would leave the writer no turn.
PAUSE_S = 0.3


class Corpus:
    """A folder that goes from edition to edition: documents are added, edited and deleted."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.editions: dict[str, int] = {}
        self.random = random.Random(7)

    def next_edition(self, edition: int) -> None:
        self.editions[f"new{edition}"] = edition
        for name in self.random.sample(sorted(self.editions), k=min(2, len(self.editions))):
            self.editions[name] = edition
        if len(self.editions) > 4:
            del self.editions[self.random.choice(sorted(self.editions))]
        for path in self.folder.iterdir():
            path.unlink()
        for name, made in self.editions.items():
            (self.folder / f"{name}.md").write_text(f"# On {name}\n\n{TEXT.format(name=name, edition=made)}\n")
        (self.folder / "contents.md").write_text(contents(self.editions))


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    for name, value in {**FAST, "DOCNAV_SHARDS": "2"}.items():
        monkeypatch.setenv(name, value)
    return Store.create(tmp_path / "store", load_settings())


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_readers_beside_a_writer_see_whole_snapshots_only(store: Store, tmp_path: Path) -> None:
    corpus, stop = Corpus(tmp_path / "docs"), tmp_path / "stop"
    corpus.next_edition(0)
    ids = {index_directly(store, corpus.folder)}
    command = [sys.executable, "-m", "tests.pipeline.reading", store.location, str(stop), str(PAUSE_S)]
    readers = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ)) for _ in range(READERS)
    ]
    try:
        for edition in range(1, COMMITS):
            corpus.next_edition(edition)
            ids.add(index_directly(store, corpus.folder))
            if edition % COLLECTED_EVERY == 0:
                with store.writing(timeout_s=-1):
                    collect(store, keep=1)
    finally:
        stop.touch()
        outputs = [reader.communicate(timeout=120) for reader in readers]
    assert [reader.returncode for reader in readers] == [0] * READERS, outputs
    assert len(ids) == COMMITS
    assert all(json.loads(out)["snapshots"] > 1 for out, _ in outputs), outputs


def test_a_snapshot_that_is_open_keeps_all_its_files(store: Store, tmp_path: Path) -> None:
    corpus = Corpus(tmp_path / "docs")
    corpus.next_edition(0)
    index_directly(store, corpus.folder)
    held = Graph.open(store.location)
    corpus.next_edition(1)
    index_directly(store, corpus.folder)
    assert collect(store, keep=1).snapshots == ()
    check(held)
    old = held.snapshot.id
    del held
    gc.collect()  # what a graph keeps for later refers back to it
    assert collect(store, keep=1).snapshots == (old,)
    check(Graph.open(store.location))
