"""Index many documents: memory over time, documents per second, and the time of each part.

usage: python -m benchmarks.scale WORK [DOCUMENTS]

The documents are made up, about ten paragraphs each, in one JSONL file. Vectors are hashed and entity recognition is off by settings, so
that the pipeline itself is measured.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import psutil

from assets_store.store import Store
from benchmarks.made import rows
from benchmarks.page import table, write_part

_DOCUMENTS, _PARAGRAPHS = 30_000, 10
_EVERY_S = 1.0
_QUARTERS = 4
_PROGRESS = re.compile(r"(?P<label>.+): (?P<done>\d+) of \d+(?: done in|,) (?P<seconds>[\d.]+) s")
_FAST = {"DOCNAV_EMBEDDINGS__MODEL": "hashing-128", "DOCNAV_FEATURES__NER_MODEL": "none"}
_WATCHED = ("layout", "paragraphs", "features", "embeddings", "profiles", "lateral_edges", "entities", "communities")


def main() -> int:
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    work, n = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) == 3 else _DOCUMENTS
    shutil.rmtree(work, ignore_errors=True)
    (work / "docs").mkdir(parents=True)
    with (work / "docs" / "rows.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(rows(n, _PARAGRAPHS))
    store = work / "store"
    command = [str(Path(sys.executable).with_name("docnav")), "index", str(work / "docs"), "--store", str(store), "--json"]
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env={**os.environ, **_FAST})
    lines: list[str] = []
    reading = threading.Thread(target=lambda: lines.extend(process.stderr or ()), daemon=True)
    reading.start()
    samples: list[tuple[float, float, str]] = []
    while process.poll() is None:
        samples.append((time.perf_counter() - started, memory_mib(process.pid), stage(store)))
        time.sleep(_EVERY_S)
    reading.join()
    if process.returncode:
        raise SystemExit(f"docnav index ended with exit status {process.returncode}:\n{''.join(lines[-5:])}")
    seconds = time.perf_counter() - started
    paragraphs = Store.open(store).snapshot().read("paragraphs", ["doc_id"]).height
    body = (
        f"{n:,} documents, {paragraphs:,} paragraphs in {seconds:.0f} s, {n / seconds:.1f} documents a second; "
        f"peak {max(mib for _, mib, _ in samples):,.0f} MiB.\n\n"
        + table(["newest table", "from s", "to s", "peak MiB by quarter of that time"], by_stage(samples))
        + "\n\nItems a second by quarter of each stage's work:\n\n"
        + table(["stage", "items", "1st", "2nd", "3rd", "4th"], rates(lines))
    )
    write_part("scale", "Many documents", f"python -m benchmarks.scale WORK {n}", body)
    print(body)
    return 0


def stage(store: Path) -> str:
    """The furthest table that has a part already."""
    return next((name for name in reversed(_WATCHED) if (store / "heads" / name).is_dir()), "none yet")


def by_stage(samples: list[tuple[float, float, str]]) -> list[list[str]]:
    """One row per stage: when it was the newest, and the highest memory in each quarter of that time."""
    found = []
    for name, group in itertools.groupby(samples, key=lambda sample: sample[2]):
        part = list(group)
        quarters = np.array_split([mib for _, mib, _ in part], _QUARTERS)
        found.append([name, f"{part[0][0]:.0f}", f"{part[-1][0]:.0f}", ", ".join(f"{max(q):,.0f}" for q in quarters if len(q))])
    return found


def rates(lines: list[str]) -> list[list[str]]:
    """One row per stage that says how far it is: items a second in each quarter of its items."""
    points: dict[str, list[tuple[float, float]]] = {}
    for match in filter(None, map(_PROGRESS.match, lines)):
        points.setdefault(match["label"], [(0.0, 0.0)]).append((float(match["done"]), float(match["seconds"])))
    found = []
    for label, reached in points.items():
        done, seconds = (np.array(column) for column in zip(*reached, strict=True))
        edges = np.linspace(0, done[-1], _QUARTERS + 1)
        steps = np.diff(np.interp(edges, done, seconds))
        found.append([label, f"{done[-1]:,.0f}", *(_rate(edges[1] / max(step, 1e-9)) for step in steps)])
    return found


def _rate(per_second: float) -> str:
    return f"{per_second:,.0f}" if per_second >= 100 else f"{per_second:.3g}"


def memory_mib(pid: int) -> float:
    """Unique memory of a process and its children."""
    total = 0.0
    try:
        root = psutil.Process(pid)
        for process in [root, *root.children(recursive=True)]:
            total += process.memory_full_info().uss
    except psutil.Error:
        return total / 2**20  # it ended meanwhile
    return total / 2**20


if __name__ == "__main__":
    sys.exit(main())
