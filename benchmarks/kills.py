"""Kill indexing at random moments: the store still opens, the next run completes, and the tables are those of a clean build.

usage: python -m benchmarks.kills WORK [N]

Vectors are hashed and entity recognition is off, so that most moments fall into the pipeline and not into a model.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from assets_store.store import Store
from benchmarks.made import Maker, write_folder
from benchmarks.page import write_part

_DOCUMENTS, _KILLS = 60, 40
_FAST = {"DOCNAV_EMBEDDINGS__MODEL": "hashing-64", "DOCNAV_FEATURES__NER_MODEL": "none", "DOCNAV_SHARDS": "4"}


def main() -> int:
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    work, kills = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) == 3 else _KILLS
    shutil.rmtree(work, ignore_errors=True)
    docs, base, clean = work / "docs", work / "base", work / "clean"
    maker = Maker()
    write_folder(docs, range(_DOCUMENTS), maker)
    finish(docs, base)
    change(docs, maker)
    started = time.perf_counter()
    shutil.copytree(base, work / "timed")
    finish(docs, work / "timed")
    seconds = time.perf_counter() - started
    finish(docs, clean)
    wanted = Store.open(clean).snapshot().manifest["tables"]
    random_, ended_early, moments = random.Random(7), 0, []
    for n in range(kills):
        store = work / "killed"
        shutil.rmtree(store, ignore_errors=True)
        shutil.copytree(base, store)
        process = index(docs, store)
        moments.append(random_.uniform(0.0, 1.1 * seconds))
        try:
            process.wait(moments[-1])
            ended_early += 1
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        Store.open(store).snapshot().read("paragraphs")
        finish(docs, store)
        if Store.open(store).snapshot().manifest["tables"] != wanted:
            raise SystemExit(f"kill {n} after {moments[-1]:.2f} s: the tables are not those of a clean build; the store is {store}")
    body = (
        f"{_DOCUMENTS} documents indexed, then 12 changed, 12 deleted, 12 added; a whole run of that takes {seconds:.1f} s. "
        f"{kills} runs were ended by SIGKILL after 0 to {max(moments):.1f} s ({ended_early} had ended by then). "
        "Every store opened, every next run completed, and every result was the clean build's, part by part."
    )
    write_part("kills", "Killed at any moment", f"python -m benchmarks.kills WORK {kills}", body)
    print(body)
    return 0


def change(docs: Path, maker: Maker) -> None:
    """A fifth of the documents edited, a fifth deleted, as many added."""
    paths = sorted(docs.glob("*.md"))
    fifth = len(paths) // 5
    for path in paths[:fifth]:
        path.write_text(path.read_text(encoding="utf-8") + "\nOne more line.\n", encoding="utf-8")
    for path in paths[fifth : 2 * fifth]:
        path.unlink()
    write_folder(docs, range(_DOCUMENTS, _DOCUMENTS + fifth), maker)


def index(docs: Path, store: Path) -> subprocess.Popen[bytes]:
    command = [str(Path(sys.executable).with_name("docnav")), "index", str(docs), "--store", str(store), "--json"]
    out = subprocess.DEVNULL
    return subprocess.Popen(command, stdout=out, stderr=out, env={**os.environ, **_FAST}, start_new_session=True)


def finish(docs: Path, store: Path) -> None:
    """Index to the end."""
    process = index(docs, store)
    if process.wait(600):
        raise SystemExit(f"docnav index ended with exit status {process.returncode}; the store is {store}")


if __name__ == "__main__":
    sys.exit(main())
