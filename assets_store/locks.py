"""The right to write to a store: a file lock in a folder, tickets on object storage, which has no locks."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from assets_store.errors import StoreError
from assets_store.files import Files

# Seconds after which every ticket that was written before this one is listed, and after which a silent owner counts as dead.
_SETTLE_S, _SILENT_S, _HEARTBEAT_S, _LOOK_S = 1.5, 60.0, 10.0, 0.5
_FOLDER = "locks"


@contextmanager
def write_lock(files: Files, timeout_s: float, on_wait: Callable[[], None] | None) -> Iterator[None]:
    """Hold the one lock of a store. timeout_s: seconds to wait for its owner, -1 for ever; on_wait: called once when there is one.

    Raises StoreError when another process still has it then.
    """
    with _folder_lock(files, timeout_s, on_wait) if files.is_local else _ticket_lock(files, timeout_s, on_wait):
        yield


@contextmanager
def _folder_lock(files: Files, timeout_s: float, on_wait: Callable[[], None] | None) -> Iterator[None]:
    from filelock import FileLock, Timeout

    lock = FileLock(f"{files.root}/.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        if on_wait is not None:
            on_wait()
        try:
            lock.acquire(timeout=timeout_s)
        except Timeout:
            raise _taken(files) from error
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _ticket_lock(files: Files, timeout_s: float, on_wait: Callable[[], None] | None) -> Iterator[None]:
    """The owner of the oldest ticket whose owner still shows a sign of life has the lock.

    Times are those that the storage gives its objects, so clocks need not agree. Listings of S3 are consistent: a ticket
    that was written is listed, and after the settling time nobody can hold an older one that is not.
    """
    name = uuid.uuid4().hex
    ended = threading.Event()
    files.write(f"{_FOLDER}/{name}.alive", b"")
    files.write(f"{_FOLDER}/{name}.ticket", b"")
    beat = threading.Thread(target=_show_life, args=(files, name, ended), daemon=True)
    beat.start()
    try:
        time.sleep(_SETTLE_S)
        deadline = None if timeout_s < 0 else time.monotonic() + timeout_s
        said = False
        while _oldest(files, name) != name:
            if not said and on_wait is not None:
                on_wait()
            said = True
            if deadline is not None and time.monotonic() >= deadline:
                raise _taken(files)
            time.sleep(_LOOK_S)
        yield
    finally:
        ended.set()
        beat.join()
        files.delete(f"{_FOLDER}/{name}.ticket")
        files.delete(f"{_FOLDER}/{name}.alive")


def _show_life(files: Files, name: str, ended: threading.Event) -> None:
    while not ended.wait(_HEARTBEAT_S):
        files.write(f"{_FOLDER}/{name}.alive", b"")


def _oldest(files: Files, mine: str) -> str:
    """Name of the ticket that has the lock, as far as its owner lives. Tickets of dead owners are removed."""
    times = files.modified(_FOLDER)
    now = max(times.values(), default=0.0)
    live: list[tuple[float, str]] = []
    for file, written in times.items():
        name, _, kind = file.partition(".")
        if kind != "ticket":
            continue
        if name != mine and now - times.get(f"{name}.alive", 0.0) > _SILENT_S:
            files.delete(f"{_FOLDER}/{file}")
            files.delete(f"{_FOLDER}/{name}.alive")
            continue
        live.append((written, name))
    return min(live, default=(0.0, mine))[1]


def _taken(files: Files) -> StoreError:
    return StoreError(f"another process is writing to {files.location}; wait for it to end, then run this again.")
