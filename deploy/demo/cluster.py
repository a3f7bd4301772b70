"""A deployment on Celery on this machine: the instance, workers by queue, the daemon, and what they have made."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import dagster as dg
import psutil

from assets_store.store import Store
from assets_store.variables import variables
from deploy.demo.processes import kill_tree
from deploy.demo.services import free_port, running, services
from docnav_pipeline.stages import lagging

ROOT = Path(__file__).parents[2]
CPU, GPU = "dagster", "gpu"
_LOOK_S = 0.2
_OPEN = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]


class Cluster:
    """Processes of one deployment, all below one folder. store: address of the store that all of them serve."""

    def __init__(self, folder: Path, environment: Mapping[str, str], stack: ExitStack) -> None:
        self.folder = folder
        self.environment = environment
        self.store = environment["DOCNAV_STORE"]
        self.instance = stack.enter_context(dg.DagsterInstance.from_config(environment["DAGSTER_HOME"]))
        self._stack = stack
        self._workers: dict[str, subprocess.Popen[bytes]] = {}

    def start_worker(self, name: str, queue: str) -> None:
        """A worker that takes one run at a time from a queue."""
        command = [_beside_python("celery"), "-A", "dagster_celery.app", "worker", "-Q", queue, "-c", "1", "-n", name, "-l", "INFO"]
        self._workers[name] = self._start(f"worker-{name}", command)

    def start_daemon(self) -> None:
        """The daemon, which watches the sources and hands runs to the workers."""
        self._start("daemon", [_beside_python("dagster-daemon"), "run", "-w", "workspace.yaml"])

    def start_web(self) -> str:
        """The web server; its address."""
        port = free_port()
        self._start("web", [_beside_python("dagster-webserver"), "-w", "workspace.yaml", "-h", "127.0.0.1", "-p", str(port)])
        return f"http://127.0.0.1:{port}"

    def kill_worker_at_work(self, timeout_s: float) -> tuple[str, str]:
        """Kill the worker of the queue for processors that is first seen in the middle of a run; its name and the run's id."""
        found: list[tuple[str, str]] = []

        def at_work() -> bool:
            for run in self.instance.get_runs(dg.RunsFilter(statuses=[dg.DagsterRunStatus.STARTED])):
                name = self._worker_of(run)
                if name is not None and run.tags.get("dagster-celery/queue", CPU) == CPU:
                    found.append((name, run.run_id))
                    return True
            return False

        self.wait("a run on a worker", at_work, timeout_s)
        name, run_id = found[0]
        kill_tree(self._workers[name])
        return name, run_id

    def wait_until_indexed(self, n_documents: int, timeout_s: float) -> None:
        """Wait until a snapshot of all documents is current, no table lags behind, and no run is open."""

        def is_indexed() -> bool:
            store = Store.open(self.store)
            if store.log.current_id() is None or self.instance.get_runs_count(dg.RunsFilter(statuses=_OPEN)):
                return False
            snapshot = store.snapshot()
            return snapshot.read("documents", ["doc_id"]).height == n_documents and store.matches(snapshot) and not lagging(store)

        self.wait(f"an index of {n_documents} documents", is_indexed, timeout_s)

    def wait(self, what: str, holds: Callable[[], bool], timeout_s: float) -> None:
        """Wait for something. Raises RuntimeError with the ends of all logs when it does not come about."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            if holds():
                return
            time.sleep(_LOOK_S)
        logs = "\n".join(f"== {log.name}\n{log.read_text(errors='replace')[-1500:]}" for log in sorted(self.folder.glob("*.log")))
        raise RuntimeError(f"{what} did not come about in {timeout_s:.0f} s.\n{self._state()}\n{logs}")

    def runs(self) -> list[dg.DagsterRun]:
        """All runs, oldest first."""
        return list(reversed(self.instance.get_runs()))

    def runs_by_worker(self) -> dict[str, int]:
        """How many runs each worker has ended, by its log."""
        logs = {name: (self.folder / f"worker-{name}.log").read_text(errors="replace") for name in self._workers}
        return {name: len(re.findall(r"Task execute_job\[[^]]+\] succeeded", text)) for name, text in logs.items()}

    def _state(self) -> str:
        """Runs, what lags behind and which workers live, as lines."""
        lines = [f"{run.run_id[:8]} {run.status.value} {_what(run)}" for run in self.runs()]
        alive = [name for name, worker in self._workers.items() if worker.poll() is None]
        return "\n".join([*lines, f"lags: {lagging(Store.open(self.store))}", f"alive: {alive}"])

    def _worker_of(self, run: dg.DagsterRun) -> str | None:
        """Name of the worker whose child does a run now."""
        run_id, _, place = run.tags.get("docnav/process", "").partition(" ")
        if run_id != run.run_id:
            return None
        pid = int(place.rsplit(" ", 2)[1])
        for name, worker in self._workers.items():
            if worker.poll() is None and pid in {child.pid for child in psutil.Process(worker.pid).children(recursive=True)}:
                return name
        return None

    def _start(self, name: str, command: list[str]) -> subprocess.Popen[bytes]:
        return self._stack.enter_context(running(name, command, self.folder, {**os.environ, **self.environment}, cwd=ROOT))


@contextmanager
def cluster(folder: Path, config: Path, more: Mapping[str, str] | None = None) -> Iterator[Cluster]:
    """Servers, a store made from a settings file, and an instance; nothing of it is left running at the end. more: further variables."""
    folder = folder.resolve()
    home = folder / "home"
    home.mkdir()
    shutil.copy(ROOT / "deploy" / "celery" / "dagster.yaml", home)
    with ExitStack() as stack:
        environment = {
            **stack.enter_context(services(folder)),
            **(more or {}),
            "DAGSTER_HOME": str(home),
            "DAGSTER_DISABLE_TELEMETRY": "1",
            "PYTHONPATH": str(ROOT / "deploy" / "celery"),
            "PYTHONWARNINGS": "ignore",
            "XDG_CACHE_HOME": str(folder / "cache"),
        }
        # In this process too, which looks into the store and the instance.
        stack.enter_context(variables(environment))
        init = [_beside_python("docnav"), "init", "--store", environment["DOCNAV_STORE"], "--config", str(config)]
        subprocess.run(init, check=True, stdout=subprocess.DEVNULL)
        yield Cluster(folder, environment, stack)


def _what(run: dg.DagsterRun) -> str:
    """Part, assets and process of a run."""
    assets = ",".join(sorted(key.to_user_string() for key in run.asset_selection or ()))
    return f"{run.tags.get('dagster/partition', 'whole')} {assets} {run.tags.get('docnav/process', '')}"


def _beside_python(name: str) -> str:
    return str(Path(sys.executable).with_name(name))
