"""The right to write to a store: a file lock in a folder, tickets on object storage, which has no locks."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from assets_store.errors import StoreError
from assets_store.files import Files

# Seconds after which every ticket that was written before this one is listed, and after which a silent owner counts as dead.
_SETTLE_S, _SILENT_S, _HEARTBEAT_S, _LOOK_S = 1.5, 60.0, 10.0, 0.5
_RETRY_S = 1.0  # between two tries to show a sign of life that the storage did not take
_GIVE_UP_S = 45.0  # silence after which an owner stops writing: well before others count it as dead
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


class _Ticket:
    """A place in the queue of writers, and the sign of life that keeps it.

    A write that fails is tried again until others would soon count the owner as dead; from then on the lock counts as lost.
    """

    def __init__(self, files: Files) -> None:
        self._files = files
        self.name = uuid.uuid4().hex
        self._ended = threading.Event()
        self._is_lost = False
        self._shown = time.monotonic()
        self._show_life()
        files.write(f"{_FOLDER}/{self.name}.ticket", b"")
        self._beat = threading.Thread(target=self._keep_showing, daemon=True)
        self._beat.start()

    def is_held(self, look: bool) -> bool:
        """Whether nobody can have taken the lock since. look: ask the storage too, which shows a ticket that another took away."""
        # A process that was stopped and goes on has not shown life either, whatever its thread believes.
        self._is_lost |= time.monotonic() - self._shown > _GIVE_UP_S
        if look and not self._is_lost:
            self._is_lost = not self._files.exists(f"{_FOLDER}/{self.name}.ticket")
        return not self._is_lost

    def give_back(self) -> None:
        """Leave the queue. Storage that does not answer is no error here: others take a silent owner's ticket away."""
        self._ended.set()
        self._beat.join()
        with suppress(OSError):
            self._files.delete(f"{_FOLDER}/{self.name}.ticket")
            self._files.delete(f"{_FOLDER}/{self.name}.alive")

    def _show_life(self) -> None:
        asked = time.monotonic()
        self._files.write(f"{_FOLDER}/{self.name}.alive", b"")
        self._shown = asked

    def _keep_showing(self) -> None:
        wait = _HEARTBEAT_S
        while not self._ended.wait(wait) and self.is_held(look=False):
            try:
                self._show_life()
                wait = _HEARTBEAT_S
            except OSError:
                wait = _RETRY_S


# Tickets that this process holds, by place of the store: every writer in it writes under the one lock.
_held: dict[str, _Ticket] = {}


def ensure_held(files: Files, look: bool = False) -> None:
    """Raise StoreError when this process had the lock of a store and lost it, so that another may be writing now.

    Nothing to find out in a folder, whose lock ends only with its process. look: ask the storage too, one request.
    """
    ticket = _held.get(files.location)
    if ticket is not None and not ticket.is_held(look):
        raise StoreError(
            f"the right to write to {files.location} was lost: the storage took no sign of life for {_GIVE_UP_S:.0f} s or another process "
            "took the turn, so two may be writing. What was finished before stays; run this again."
        )


@contextmanager
def _ticket_lock(files: Files, timeout_s: float, on_wait: Callable[[], None] | None) -> Iterator[None]:
    """The owner of the oldest ticket whose owner still shows a sign of life has the lock.

    Times are those that the storage gives its objects, so clocks need not agree. Listings of S3 are consistent: a ticket
    that was written is listed, and after the settling time nobody can hold an older one that is not.
    """
    ticket = _Ticket(files)
    try:
        time.sleep(_SETTLE_S)
        deadline = None if timeout_s < 0 else time.monotonic() + timeout_s
        said = False
        while _oldest(files, ticket.name) != ticket.name:
            if not said and on_wait is not None:
                on_wait()
            said = True
            if deadline is not None and time.monotonic() >= deadline:
                raise _taken(files)
            time.sleep(_LOOK_S)
        _held[files.location] = ticket
        ensure_held(files, look=True)
        yield
    finally:
        if _held.get(files.location) is ticket:
            del _held[files.location]
        ticket.give_back()


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
