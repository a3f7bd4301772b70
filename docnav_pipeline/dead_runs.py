"""Runs whose process is gone: ended, and the pool slots given back that they would hold for ever.

Nothing else watches runs of `docnav index`, or those of a daemon or a Celery worker that was killed. Each run names its process in a tag,
which tells on its own machine; on object storage also the ticket under which it writes, whose sign of life tells everywhere.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Sequence

import dagster as dg
import psutil

from assets_store.files import Files
from assets_store.locks import drop_ticket, silent_tickets

_PROCESS, _TICKET = "docnav/process", "docnav/ticket"
_UNFINISHED = [dg.DagsterRunStatus.NOT_STARTED, dg.DagsterRunStatus.STARTING, dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING]
# A run names its ticket some moments before it takes it, and gives it back some moments before it is over.
_ENDING_S = 10.0


def mark_run(instance: dg.DagsterInstance, run_id: str, ticket: str | None) -> None:
    """Say on a run that this process does it, and under which ticket it writes or will write; None in a folder, where there are none."""
    started = int(psutil.Process().create_time())
    # With the id of the run, because a retry takes over the tags of the run before.
    tags = {_PROCESS: f"{run_id} {socket.gethostname()} {os.getpid()} {started}"}
    instance.add_run_tags(run_id, tags if ticket is None else {**tags, _TICKET: f"{run_id} {ticket}"})


def release_dead_runs(instance: dg.DagsterInstance, files: Files | None = None) -> list[str]:
    """End the runs whose process is gone; their ids. files: those of the store, without which only runs of this machine are looked at."""
    runs = instance.get_runs(dg.RunsFilter(statuses=_UNFINISHED))
    dead = [run for run in runs if _is_dead(run)]
    if files is not None and not files.is_local:
        dead += _silent(instance, files, [run for run in runs if run not in dead and _of(run, _TICKET)])
    for run in dead:
        instance.report_run_failed(run, "the process of this run was ended before the run was")
        instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)
        if files is not None and (ticket := _of(run, _TICKET)):
            drop_ticket(files, ticket)
    return [run.run_id for run in dead]


def _of(run: dg.DagsterRun, tag: str) -> str:
    """What a tag says of this run; empty where it says nothing, or something of the run that this one retries."""
    run_id, _, said = run.tags.get(tag, "").partition(" ")
    return said if run_id == run.run_id else ""


def _silent(instance: dg.DagsterInstance, files: Files, runs: Sequence[dg.DagsterRun]) -> list[dg.DagsterRun]:
    """Runs that have shown no sign of life for long, and neither just begin nor just end."""
    found = _of_silent_tickets(files, runs)
    if not found:
        return []
    time.sleep(_ENDING_S)
    return _of_silent_tickets(files, instance.get_runs(dg.RunsFilter(run_ids=[run.run_id for run in found], statuses=_UNFINISHED)))


def _of_silent_tickets(files: Files, runs: Sequence[dg.DagsterRun]) -> list[dg.DagsterRun]:
    silent = silent_tickets(files, {_of(run, _TICKET) for run in runs}) if runs else set()
    return [run for run in runs if _of(run, _TICKET) in silent]


def _is_dead(run: dg.DagsterRun) -> bool:
    place = _of(run, _PROCESS)
    if not place:
        return False
    host, pid, started = place.rsplit(" ", 2)
    if host != socket.gethostname():
        return False
    try:
        process = psutil.Process(int(pid))
        return int(process.create_time()) != int(started) or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
