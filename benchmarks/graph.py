"""Time and memory of each graph stage, for corpora of growing size.

usage: python -m benchmarks.graph WORK [PARAGRAPHS ...]

The documents are made up, 40 sections of one paragraph each, with names, part numbers, cross-references and links. Vectors are hashed and
entity recognition is off by settings, so that the stages themselves are measured. Each stage runs in a process of its own on a store
that holds everything before it.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from assets_store.store import Store
from benchmarks.made import write_folder
from benchmarks.page import table, write_part

_SIZES = (25_000, 50_000, 100_000)
_SECTIONS = 40
_FAST = {"DOCNAV_EMBEDDINGS__MODEL": "hashing-256", "DOCNAV_FEATURES__NER_MODEL": "none"}
# Stages in order, with the tables that are taken away before each so that it has everything to do.
_STAGES: Mapping[str, tuple[str, ...]] = {
    "profiles": ("profiles",),
    "routing_profiles": ("routing_profiles",),
    "lateral_edges": ("lateral_edges",),
    "entities": ("entities",),
    "entity_edges": ("entity_edges",),
    "communities": ("communities",),
    "search_indexes": (),
}


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    if sys.argv[1] == "--stage":
        print(json.dumps(run_stage(sys.argv[2], sys.argv[3])))
        return 0
    work, sizes = Path(sys.argv[1]), [int(n) for n in sys.argv[2:]] or list(_SIZES)
    found: dict[int, dict[str, dict[str, float]]] = {n: measure(work / str(n), n) for n in sizes}
    least, most = min(sizes), max(sizes)
    rows = []
    for name in _STAGES:
        cells = [f"{found[n][name]['seconds']:.1f} s, {found[n][name]['peak_mib']:,.0f} MiB" for n in sizes]
        growth = found[most][name]["seconds"] / max(found[least][name]["seconds"], 1e-9)
        rows.append([name, *cells, f"{growth:.1f}"])
    edges = ", ".join(f"{int(found[most]['counts'][kind]):,} {kind}" for kind in sorted(found[most]["counts"]))
    body = (
        table(["stage", *(f"{n:,} paragraphs" for n in sizes), f"time x (size x {most / least:.0f})"], rows)
        + f"\n\nEdges at {most:,} paragraphs: {edges}. Memory is that of the whole process, about 250 MiB of it libraries."
    )
    write_part("graph", "Graph stages", f"python -m benchmarks.graph WORK {' '.join(map(str, sizes))}", body)
    print(body)
    return 0


def measure(work: Path, n: int) -> dict[str, dict[str, float]]:
    """Seconds and peak MiB of each stage over n paragraphs, and counts of edges."""
    docs, store = work / "docs", work / "store"
    if not docs.exists():
        write_folder(docs, range(n // _SECTIONS), sections=_SECTIONS)
    docnav = str(Path(sys.executable).with_name("docnav"))
    done = subprocess.run([docnav, "index", str(docs), "--store", str(store)], env={**os.environ, **_FAST}, check=False)
    if done.returncode:
        raise SystemExit(f"docnav index ended with exit status {done.returncode}")
    found: dict[str, dict[str, float]] = {}
    for stage in _STAGES:
        command = [sys.executable, "-m", "benchmarks.graph", "--stage", stage, str(store)]
        answer = subprocess.run(command, env={**os.environ, **_FAST}, check=True, stdout=subprocess.PIPE, text=True).stdout
        found[stage] = json.loads(answer.splitlines()[-1])
    kinds = Store.open(store).read("lateral_edges", columns=["kind"])["kind"].value_counts()
    found["counts"] = {kind: float(count) for kind, count in kinds.iter_rows()}
    return found


def run_stage(stage: str, location: str) -> dict[str, float]:
    """Take the tables of a stage away and make them anew."""
    store = Store.open(location)
    for name in _STAGES[stage]:
        for part in store.heads(name):
            store.files.delete(f"heads/{name}/{part.name}.json")
    if stage == "search_indexes":
        # Without the current snapshot no index is there to take rows from.
        shutil.rmtree(Path(location) / "indexes", ignore_errors=True)
        store.files.delete("CURRENT")
    run = stage_functions()[stage]
    started = time.perf_counter()
    run(Store.open(location))
    return {"seconds": time.perf_counter() - started, "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def stage_functions() -> Mapping[str, Callable[[Store], object]]:
    """What makes the tables of each stage."""
    from docnav_pipeline.assets.communities import refresh_communities
    from docnav_pipeline.assets.entities import refresh_entities, refresh_entity_edges
    from docnav_pipeline.assets.lateral_edges import refresh_lateral_edges
    from docnav_pipeline.assets.profiles import refresh_profiles
    from docnav_pipeline.assets.routing_profiles import refresh_routing_profiles
    from docnav_pipeline.assets.search_indexes import refresh_search_indexes
    from docnav_pipeline.progress import TerminalReporter

    return {
        "profiles": lambda store: refresh_profiles(store, store.shard_keys),
        "routing_profiles": lambda store: refresh_routing_profiles(store, store.shard_keys, TerminalReporter()),
        "lateral_edges": lambda store: refresh_lateral_edges(store, TerminalReporter()),
        "entities": refresh_entities,
        "entity_edges": refresh_entity_edges,
        "communities": refresh_communities,
        "search_indexes": refresh_search_indexes,
    }


if __name__ == "__main__":
    sys.exit(main())
