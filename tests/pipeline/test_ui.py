"""`docnav ui` as people run it: real webserver and daemon, a watched folder, and the pages in a browser."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from assets_store.store import Store
from docnav_agent.cli import run
from docnav_pipeline.checks import snapshot_is_complete
from tests.pipeline.fast import FAST
from tests.programs import needed

PICTURES = Path(__file__).parents[2] / "docs" / "img"
GROUPS = ",".join(f"global%40global%3A{group}" for group in ("source", "structure", "text", "graph", "search"))
# A machine that is busy is slow, and slow is no failure.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]
WAIT_S = 800.0


class Ui:
    """A running `docnav ui`."""

    def __init__(self, store: Path, log: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [str(Path(sys.executable).with_name("docnav")), "ui", "--store", str(store), "--port", str(self.port)]
        self.store = store
        self.address = f"http://127.0.0.1:{self.port}"
        self.log = log
        with log.open("wb") as stream:
            self.process = subprocess.Popen(command, stdout=stream, stderr=subprocess.STDOUT)

    def ask(self, query: str) -> dict[str, Any]:
        body = json.dumps({"query": query}).encode()
        request = urllib.request.Request(f"{self.address}/graphql", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as reply:
            found = json.load(reply)
        assert "errors" not in found, found
        data: dict[str, Any] = found["data"]
        return data

    def wait(self, what: str, holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + WAIT_S
        while time.monotonic() < deadline:
            assert self.process.poll() is None, self.log.read_text()[-4000:]
            if holds():
                return
            time.sleep(0.5)
        raise AssertionError(f"{what} did not come about in {WAIT_S:.0f} s; the log ends: {self.log.read_text()[-4000:]}")

    def is_up(self) -> bool:
        try:
            return bool(
                self.ask("{ repositoriesOrError { ... on RepositoryConnection { nodes { name } } } }")["repositoriesOrError"]["nodes"]
            )
        except OSError:
            return False

    def documents(self) -> dict[str, str]:
        """Name -> hash of every document that readers see."""
        opened = Store.open(self.store)
        return dict(opened.snapshot().read("documents", ["doc", "sha256"]).iter_rows()) if opened.log.current_id() else {}

    def runs(self) -> list[str]:
        """Status of every run."""
        return [run["status"] for run in self.ask("{ runsOrError { ... on Runs { results { status } } } }")["runsOrError"]["results"]]


@pytest.fixture(scope="module")
def ui(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ui]:
    """`docnav ui` on a store with one document in a folder `docs` that it watches."""
    folder = tmp_path_factory.mktemp("ui")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**FAST, "DOCNAV_SHARDS": "2", "DOCNAV_REFRESH__EVERY_S": "5", "DOCNAV_REFRESH__SHARDS_PER_RUN": "1"}.items():
            patch.setenv(name, value)
        (folder / "docs").mkdir()
        write(folder / "docs", "tank", "As delivered.")
        assert run(["index", str(folder / "docs"), "--store", str(folder / "store")]) == 0
        running = Ui(folder / "store", folder / "ui.log")
        running.wait("the web page", running.is_up)
        yield running
        if running.process.poll() is None:
            running.process.kill()
            running.process.wait()


def write(folder: Path, name: str, text: str) -> None:
    (folder / f"{name}.md").write_text(f"# On {name}\n\nAll about {name}. {text}\n\n## Care\n\nOil the {name}.\n")


def test_files_dropped_edited_and_deleted_are_indexed_by_the_sensor(ui: Ui) -> None:
    docs, before_all = ui.store.parent / "docs", len(ui.runs())
    for n in range(50):
        write(docs, f"pump-{n}", "As delivered.")
    ui.wait("the index of 50 files", lambda: len(ui.documents()) == 51)
    before = ui.documents()
    assert len(ui.runs()) - before_all <= 12
    write(docs, "pump-7", "As repaired.")
    (docs / "pump-8.md").unlink()
    ui.wait("the edit and the removal", lambda: "pump-8.md" not in ui.documents() and before["pump-7.md"] != ui.documents()["pump-7.md"])
    after = ui.documents()
    assert {name for name, digest in after.items() if before[name] != digest} == {"pump-7.md"}
    assert before.keys() - after.keys() == {"pump-8.md"}
    ui.wait("the end of all runs", lambda: set(ui.runs()) == {"SUCCESS"})
    assert snapshot_is_complete(Store.open(ui.store)) == []


def test_a_browser_shows_lineage_metadata_and_checks(ui: Ui, tmp_path: Path) -> None:
    names = ("chromium", "chromium-browser", "google-chrome")
    browser = needed(lambda: next(filter(None, map(shutil.which, names)), None), "Chromium")
    lineage = page(browser, f"{ui.address}/asset-groups?expanded={GROUPS}", tmp_path, "dagster-lineage")
    assert all(name in lineage for name in ("documents", "paragraphs", "embeddings", "lateral_edges", "communities", "snapshot"))
    asset = page(browser, f"{ui.address}/assets/profiles?view=overview", tmp_path, "dagster-asset")
    assert all(text in asset for text in ("The bottom-up view of one tree node", "recomputed", "on_change", "non-nullable"))
    checks = page(browser, f"{ui.address}/assets/paragraphs?view=checks", tmp_path, "dagster-checks")
    assert "paragraphs_are_bounded" in checks
    assert "Passed" in checks


def test_one_signal_ends_all_servers(ui: Ui) -> None:
    servers = psutil.Process(ui.process.pid).children(recursive=True)
    assert len(servers) >= 2
    ui.process.send_signal(signal.SIGTERM)
    assert ui.process.wait(120) == 0
    _, alive = psutil.wait_procs(servers, timeout=120)
    assert alive == []


def page(browser: str, address: str, folder: Path, name: str) -> str:
    """What a page holds once it has loaded. Its picture goes to docs/img/ where the variable TEST_PICTURES is set."""
    started = [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={folder / 'browser'}"]
    started += ["--window-size=1600,1300", "--virtual-time-budget=30000"]
    if os.environ.get("TEST_PICTURES"):
        subprocess.run([*started, f"--screenshot={PICTURES / name}.png", address], check=True, capture_output=True, timeout=300)
    done = subprocess.run([*started, "--dump-dom", address], check=True, capture_output=True, text=True, timeout=300)
    return done.stdout
