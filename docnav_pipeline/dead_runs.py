"""Runs whose process is gone: ended, and the pool slots given back that they would hold for ever; and failures that nobody heard of.

Nothing else watches runs of `docnav index`, or those of a daemon or a Celery worker that was killed. Each run names its process in a tag,
which tells on its own machine; on object storage also the ticket under which it writes, whose sign of life tells everywhere.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import dagster as dg
import psutil

from assets_store.files import Files
from assets_store.locks import drop_ticket, silent_tickets

_PROCESS, _TICKET = "docnav/process", "docnav/ticket"
_UNFINISHED = [dg.DagsterRunStatus.NOT_STARTED, dg.DagsterRunStatus.STARTING, dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING]
# A run names its ticket some moments before it takes it, and gives it back some moments before it is over.
_ENDING_S = 10.0
# What Dagster says on a failed run: whether it will be started again, and as which run.
_WILL_RETRY, _RETRY = "dagster/will_retry", "dagster/auto_retry_run_id"
# Time that its daemon has for that, and for how long after a run began its failure is reported again.
_HEARD_S, _REPEAT = 30.0, timedelta(days=1)
# When a process began is reckoned from when the machine did, which moves a little as its clock is set.
_CLOCK_S = 5.0


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


def repeat_unheard_failures(instance: dg.DagsterInstance) -> list[str]:
    """Report once more the failures of runs that are to be started again and were not; their ids.

    Dagster writes the failure to the event log first and to the run afterwards. Its daemon, which follows that log, passes over a run
    that it sees between the two, and nothing asks for its work again.
    """
    if not instance.run_retries_enabled:
        return []
    wanted = dg.RunsFilter(statuses=[dg.DagsterRunStatus.FAILURE], created_after=datetime.now(UTC) - _REPEAT)
    unheard = [
        record.dagster_run
        for record in instance.get_run_records(wanted)
        if time.time() - (record.end_time or 0.0) > _HEARD_S
        and record.dagster_run.tags.get(_WILL_RETRY) != "false"
        and _RETRY not in record.dagster_run.tags
    ]
    for run in unheard:
        instance.report_run_failed(run, "this run had failed and was not started again; its failure is reported once more")
    return [run.run_id for run in unheard]


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
        return abs(process.create_time() - int(started)) > _CLOCK_S or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
