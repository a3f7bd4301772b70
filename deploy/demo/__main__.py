"""A cluster on this machine that indexes documents, loses a worker, and ends with the index that one process makes.

usage: python -m deploy.demo [DOCS]      (`make cluster-demo`)

It starts PostgreSQL, Redis, an emulator of S3, two workers, one for the queue `gpu` and the daemon, all on loopback and with
their data in a folder that is gone afterwards, and ends all of them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import tomli_w

from assets_store.store import Store
from deploy.demo.cluster import CPU, GPU, ROOT, Cluster, cluster
from deploy.demo.services import MissingProgram

_SHARDS, _LOOK_S = 4, 5
_TIMEOUT_S = 1800.0


def main() -> int:
    if len(sys.argv) > 2 or sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__, file=sys.stderr)
        return 2
    docs = (Path(sys.argv[1]) if len(sys.argv) == 2 else ROOT / "examples" / "corpus").resolve()
    if not docs.is_dir():
        print(f"{docs} is no folder; expected one with documents.", file=sys.stderr)
        return 2
    with TemporaryDirectory(prefix="docnav-cluster-") as folder:
        try:
            return demonstrate(docs, Path(folder))
        except MissingProgram as error:
            print(error, file=sys.stderr)
            return 1


def demonstrate(docs: Path, folder: Path) -> int:
    """Index on one process and on the cluster, and compare; exit status."""
    config = folder / "docnav.toml"
    write_settings(config, docs, _SHARDS)
    local = index_locally(config, folder / "local")
    n_documents = local.snapshot().read("documents", ["doc_id"]).height
    say(f"one process has indexed {n_documents} documents into {len(local.snapshot().manifest['tables'])} tables")
    with cluster(folder, config) as made:
        say(f"PostgreSQL, Redis and an emulator of S3 are up; the store is {made.store.partition('?')[0]}")
        killed, run_id = index_on_workers(made, n_documents, _TIMEOUT_S)
        report(made, killed, run_id)
        differing = differing_tables(local, Store.open(made.store))
    if differing:
        print(f"tables differ: {', '.join(differing)}", file=sys.stderr)
        return 1
    say("the cluster's snapshot holds the same tables as that of one process, part by part")
    return 0


def write_settings(config: Path, docs: Path, shards: int) -> None:
    """Settings of both stores: the same shards and sources, and a run for each shard."""
    refresh = {"every_s": _LOOK_S, "shards_per_run": 1, "gpu_queue": GPU}
    config.write_text(tomli_w.dumps({"shards": shards, "refresh": refresh, "source": [{"folder": str(docs)}]}), encoding="utf-8")


def index_locally(config: Path, store: Path) -> Store:
    """The store that one process makes of the same settings."""
    docnav = str(Path(sys.executable).with_name("docnav"))
    subprocess.run([docnav, "init", "--store", str(store), "--config", str(config)], check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run([docnav, "index", "--store", str(store), "--config", str(config), "--json"], stdout=subprocess.DEVNULL, cwd=store)
    if done.returncode not in (0, 1):  # 1: some documents cannot be read, which the cluster finds as well
        raise RuntimeError(f"docnav index ended with exit status {done.returncode}")
    return Store.open(store)


def index_on_workers(made: Cluster, n_documents: int, timeout_s: float) -> tuple[str, str]:
    """Let workers index, kill one in the middle of a run and put another in its place; its name and the run's id."""
    for name, queue in (("cpu-1", CPU), ("cpu-2", CPU), ("gpu-1", GPU)):
        made.start_worker(name, queue)
    made.start_daemon()
    killed, run_id = made.kill_worker_at_work(timeout_s)
    made.start_worker(f"{killed}-again", CPU)
    made.wait_until_indexed(n_documents, timeout_s)
    return killed, run_id


def report(made: Cluster, killed: str, run_id: str) -> None:
    """Say what ran where, and what became of the run whose worker was killed."""
    runs = made.runs()
    again = [run for run in runs if run.tags.get("dagster/parent_run_id") == run_id]
    say(f"{killed} was killed in the middle of run {run_id[:8]}; run {again[0].run_id[:8] if again else 'none'} did it again")
    say(f"runs: {dict(Counter(run.status.value for run in runs))}; ended by worker: {made.runs_by_worker()}")


def differing_tables(one: Store, other: Store) -> list[str]:
    """Names of the tables of which two current snapshots hold different parts; parts are named by their content."""
    left, right = one.snapshot().manifest["tables"], other.snapshot().manifest["tables"]
    return sorted(name for name in left.keys() | right.keys() if left.get(name) != right.get(name))


def say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


if __name__ == "__main__":
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    sys.exit(main())
