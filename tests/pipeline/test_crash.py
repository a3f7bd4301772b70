"""Killed while it runs, `docnav index` is run again and ends; a root that is away keeps its documents."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from assets_store.store import Store
from docnav_agent.cli import run as docnav
from docnav_pipeline.checks import FINDERS


def test_a_run_killed_while_it_encodes_is_made_good_by_the_next(tmp_path: Path) -> None:
    docs, store = tmp_path / "docs", str(tmp_path / "store")
    docs.mkdir()
    for number in range(120):
        (docs / f"{number}.md").write_text(f"# Pump {number}\n\n" + f"The pump {number} moves water. " * 60)
    command = [sys.executable, "-m", "docnav_agent.cli", "index", str(docs), "--store", store]
    # Encoding is what is to be interrupted; entities would only take time.
    environment = {**os.environ, "DOCNAV_FEATURES__NER_MODEL": "none"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr is not None
        assert any("encoding paragraphs" in line for line in process.stderr)
        process.send_signal(signal.SIGKILL)
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    opened = Store.open(store)
    assert opened.snapshot().read("documents").height == 120
    assert {name: find(opened) for name, (_, find) in FINDERS.items()} == {name: [] for name in FINDERS}


def test_a_root_that_is_away_keeps_its_documents(tmp_path: Path) -> None:
    away, here, store = tmp_path / "away", tmp_path / "here", str(tmp_path / "store")
    for folder, name in ((away, "a.md"), (here, "b.md")):
        folder.mkdir()
        (folder / name).write_text(f"# {name}\n\nText of {name}.")
    assert docnav(["index", str(away), str(here), "--store", store]) == 0
    before = Store.open(store).snapshot().id
    shutil.rmtree(away)
    assert docnav(["index", str(here), "--store", store]) == 0
    assert Store.open(store).snapshot().id == before
