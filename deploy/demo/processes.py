"""Ending processes together with all that they have started."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from typing import Any

import psutil


def end_tree(process: subprocess.Popen[Any], grace_s: float) -> None:
    """Ask a process to end, and kill what is left of it and its children after a while. Nothing to do for one that has ended alone."""
    family = _family(process.pid)
    with suppress(psutil.NoSuchProcess):
        psutil.Process(process.pid).terminate()
    _, alive = psutil.wait_procs(family, grace_s)
    _kill(alive)
    process.wait()


def kill_tree(process: subprocess.Popen[Any]) -> None:
    """Kill a process and all its children at once, as a machine that loses power does."""
    _kill(_family(process.pid))
    process.wait()


def _family(pid: int) -> list[psutil.Process]:
    try:
        parent = psutil.Process(pid)
        return [parent, *parent.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def _kill(processes: list[psutil.Process]) -> None:
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(processes, 10)
