"""Runs whose process is gone: ended, and the pool slots given back that they would hold for ever.

Nothing else on one machine watches runs of `docnav index`, or those of a daemon that was killed. Each run names its process in a tag.
"""

from __future__ import annotations

import os
import socket

import dagster as dg
import psutil

_PROCESS = "docnav/process"
_UNFINISHED = [dg.DagsterRunStatus.NOT_STARTED, dg.DagsterRunStatus.STARTING, dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING]


def mark_run(instance: dg.DagsterInstance, run_id: str) -> None:
    """Say on a run that this process does it."""
    started = int(psutil.Process().create_time())
    # With the id of the run, because a retry takes over the tags of the run before.
    instance.add_run_tags(run_id, {_PROCESS: f"{run_id} {socket.gethostname()} {os.getpid()} {started}"})


def release_dead_runs(instance: dg.DagsterInstance) -> list[str]:
    """End the runs of this machine whose process is gone; their ids."""
    dead = [run for run in instance.get_runs(dg.RunsFilter(statuses=_UNFINISHED)) if _is_dead(run)]
    for run in dead:
        instance.report_run_failed(run, "the process of this run was ended before the run was")
        instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)
    return [run.run_id for run in dead]


def _is_dead(run: dg.DagsterRun) -> bool:
    run_id, _, place = run.tags.get(_PROCESS, "").partition(" ")
    if run_id != run.run_id:
        return False
    host, pid, started = place.rsplit(" ", 2)
    if host != socket.gethostname():
        return False
    try:
        process = psutil.Process(int(pid))
        return int(process.create_time()) != int(started) or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
