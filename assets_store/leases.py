"""Open snapshots: how a reader keeps `docnav gc` from taking away what it still reads.

In a folder a reader holds a shared lock on the file of its snapshot; the system gives it back when the reader ends, however it
ends, and it needs no right to write. On object storage, which has no locks, a reader leaves a lease and renews it; one that
was not renewed for a while is void. A reader whose keys may not write there says so and reads on, unprotected.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress

from assets_store.files import Files
from assets_store.terminal import complain

_FOLDER = "leases"
# Seconds between two renewals, and without one after which a lease is void: several renewals may fail.
_RENEW_S, _VOID_S = 60.0, 600.0
_PUT_BACK_S = 2.0  # within which a collector puts back what it should not have taken


Release = Callable[[], None]


def hold(files: Files, path: str) -> Release | None:
    """Keep a file of a snapshot, and with it all that it names, from collection until the function that is returned is called.

    None when it is gone already. path: `snapshots/ID.json`.
    """
    return _lock_file(files, path) if files.is_local else _lease(files, path)


def take(files: Files, path: str) -> bool:
    """Remove a file of a snapshot unless a reader holds it; whether it was removed. Call it while holding the right to write."""
    if files.is_local:
        try:
            descriptor = os.open(f"{files.root}/{path}", os.O_RDWR)
        except FileNotFoundError:
            return True
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            files.delete(path)
        except BlockingIOError:
            return False
        finally:
            os.close(descriptor)
        return True
    if _is_leased(files, path):
        return False
    data = files.read(path)
    files.delete(path)
    # A reader leaves its lease first and looks for the file then, so one that found it is seen by this second look.
    if _is_leased(files, path):
        files.write(path, data)
        return False
    return True


def _lock_file(files: Files, path: str) -> Release | None:
    try:
        descriptor = os.open(f"{files.root}/{path}", os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
    except OSError as error:
        _unprotected(files, error)
    if os.fstat(descriptor).st_nlink == 0:  # collected between the two calls
        os.close(descriptor)
        return None
    return lambda: os.close(descriptor)


def _lease(files: Files, path: str) -> Release | None:
    """Leave a lease and renew it until the function that is returned is called."""
    lease = f"{_FOLDER}/{_key(path)}.{uuid.uuid4().hex}"
    try:
        files.write(lease, b"")
    except OSError as error:
        _unprotected(files, error)
        return (lambda: None) if files.exists(path) else None
    ended = threading.Event()
    threading.Thread(target=_renew, args=(files, lease, ended), daemon=True).start()

    def release() -> None:
        ended.set()
        with suppress(OSError):  # it is void by itself later
            files.delete(lease)

    # It may be away for a moment only, see `take`.
    for wait in (0.0, _PUT_BACK_S):
        time.sleep(wait)
        if files.exists(path):
            return release
    release()
    return None


def _unprotected(files: Files, error: OSError) -> None:
    complain(f"{files.location} lets this reader hold nothing ({error}); `docnav gc` may take away what is read here.")


def _renew(files: Files, lease: str, ended: threading.Event) -> None:
    while not ended.wait(_RENEW_S):
        with suppress(OSError):  # tried again, several times before the lease is void
            files.write(lease, b"")


def _is_leased(files: Files, path: str) -> bool:
    """Whether a reader holds a lease. Leases that are void are removed; times are those of the storage, so clocks need not agree."""
    mine = f"{_FOLDER}/{uuid.uuid4().hex}"
    files.write(mine, b"")  # what the storage's clock says now
    times = files.modified(_FOLDER)
    now = times.pop(mine.rpartition("/")[2])
    files.delete(mine)
    for name, written in times.items():
        if now - written > _VOID_S:
            files.delete(f"{_FOLDER}/{name}")
        elif name.startswith(f"{_key(path)}."):
            return True
    return False


def _key(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".json")
