"""Run a command and measure it: wall seconds, and the highest memory of its process tree."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

import psutil

_EVERY_S = 0.25


@dataclass(frozen=True, slots=True)
class Measured:
    """peak_mib: highest sum of unique memory (USS) of the process and its children, sampled four times a second."""

    returncode: int
    stdout: str
    seconds: float
    peak_mib: float


def run(command: Sequence[str]) -> Measured:
    """Run to the end; standard error is passed through."""
    started = time.perf_counter()
    process = subprocess.Popen(list(command), stdout=subprocess.PIPE, text=True)
    peak = 0.0

    def watch() -> None:
        nonlocal peak
        while process.poll() is None:
            peak = max(peak, _memory(process.pid))
            time.sleep(_EVERY_S)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    stdout, _ = process.communicate()
    watcher.join()
    return Measured(process.returncode, stdout, time.perf_counter() - started, peak / 2**20)


def _memory(pid: int) -> float:
    try:
        root = psutil.Process(pid)
        tree = [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return 0.0
    total = 0.0
    for process in tree:
        try:
            total += process.memory_full_info().uss
        except psutil.Error:  # it ended between listing and reading
            continue
    return total
