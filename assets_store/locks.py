"""The right to write to a store or to some shards of it: file locks in a folder, tickets on object storage, which has no locks."""

from __future__ import annotations

import fcntl
import os
import threading
import time
import uuid
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from assets_store.errors import StoreError
from assets_store.files import Files

# Seconds after which every ticket that was written before this one is listed, and after which a silent owner counts as dead.
_SETTLE_S, _SILENT_S, _HEARTBEAT_S, _LOOK_S = 1.5, 60.0, 10.0, 0.5
_RETRY_S = 1.0  # between two tries to show a sign of life that the storage did not take
_GIVE_UP_S = 45.0  # silence after which an owner stops writing: well before others count it as dead
_FOLDER = "locks"
_FOLDER_LOOK_S = 0.05  # between two looks at a lock in a folder


@contextmanager
def write_lock(
    files: Files, timeout_s: float, on_wait: Callable[[], None] | None, shards: Sequence[str] | None = None, ticket: str = ""
) -> Iterator[None]:
    """Hold the right to write to a store. timeout_s: seconds to wait for its owner, -1 for ever; on_wait: called once when there is one.

    shards: the only ones that are written. Writers of different shards go side by side; without shards nobody else writes meanwhile.
    ticket: name of the ticket on object storage, one that no other has; empty for a new one. Raises StoreError when another process
    still has the right then.
    """
    name = ticket or uuid.uuid4().hex
    with _folder_lock(files, timeout_s, on_wait, shards) if files.is_local else _ticket_lock(files, timeout_s, on_wait, shards, name):
        yield


@contextmanager
def _folder_lock(files: Files, timeout_s: float, on_wait: Callable[[], None] | None, shards: Sequence[str] | None) -> Iterator[None]:
    """Locks of the system, which end with their process. All of a store is one file; each shard has one too."""
    root = Path(files.root)
    wanted = [(root / ".lock", fcntl.LOCK_EX if shards is None else fcntl.LOCK_SH)]
    # In one order everywhere, so that two writers never wait for each other.
    wanted += [(root / _FOLDER / f"{shard}.lock", fcntl.LOCK_EX) for shard in sorted(shards or ())]
    deadline = None if timeout_s < 0 else time.monotonic() + timeout_s
    said = False
    with ExitStack() as held:
        for path, kind in wanted:
            path.parent.mkdir(exist_ok=True)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
            held.callback(os.close, descriptor)
            while not _locked(descriptor, kind):
                if not said and on_wait is not None:
                    on_wait()
                said = True
                if deadline is not None and time.monotonic() >= deadline:
                    raise _taken(files)
                time.sleep(_FOLDER_LOOK_S)
        yield


def _locked(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class _Ticket:
    """A place in the queue of writers, and the sign of life that keeps it.

    A write that fails is tried again until others would soon count the owner as dead; from then on the lock counts as lost.
    """

    def __init__(self, files: Files, shards: Sequence[str] | None, name: str) -> None:
        self._files = files
        self.name = name
        self._file = f"{_FOLDER}/{self.name}.ticket{'' if shards is None else '-'.join(['', *shards])}"
        self._ended = threading.Event()
        self._is_lost = False
        self._shown = time.monotonic()
        self._show_life()
        files.write(self._file, b"")
        self._beat = threading.Thread(target=self._keep_showing, daemon=True)
        self._beat.start()

    def is_held(self, look: bool) -> bool:
        """Whether nobody can have taken the lock since. look: ask the storage too, which shows a ticket that another took away."""
        # A process that was stopped and goes on has not shown life either, whatever its thread believes.
        self._is_lost |= time.monotonic() - self._shown > _GIVE_UP_S
        if look and not self._is_lost:
            self._is_lost = not self._files.exists(self._file)
        return not self._is_lost

    def give_back(self) -> None:
        """Leave the queue. Storage that does not answer is no error here: others take a silent owner's ticket away."""
        self._ended.set()
        self._beat.join()
        with suppress(OSError):
            self._files.delete(self._file)
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
def _ticket_lock(
    files: Files, timeout_s: float, on_wait: Callable[[], None] | None, shards: Sequence[str] | None, name: str
) -> Iterator[None]:
    """A ticket has its turn when no older one of an owner that still shows a sign of life is for the same shards, or for everything.

    Times are those that the storage gives its objects, so clocks need not agree. Listings of S3 are consistent: a ticket
    that was written is listed, and after the settling time nobody can hold an older one that is not.
    """
    ticket = _Ticket(files, shards, name)
    try:
        time.sleep(_SETTLE_S)
        deadline = None if timeout_s < 0 else time.monotonic() + timeout_s
        said = False
        while not _has_turn(files, ticket.name, shards):
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


def _has_turn(files: Files, mine: str, shards: Sequence[str] | None) -> bool:
    """Whether no older live ticket stands in the way. Tickets of dead owners are removed."""
    times = files.modified(_FOLDER)
    now = max(times.values(), default=0.0)
    my_place = next(((written, mine) for file, written in times.items() if file.startswith(f"{mine}.ticket")), (now, mine))
    for file, written in times.items():
        name, _, kind = file.partition(".")
        if not kind.startswith("ticket") or name == mine:
            continue
        if now - times.get(f"{name}.alive", 0.0) > _SILENT_S:
            files.delete(f"{_FOLDER}/{file}")
            files.delete(f"{_FOLDER}/{name}.alive")
            continue
        theirs = kind.split("-")[1:]
        if (written, name) < my_place and (shards is None or not theirs or not set(theirs).isdisjoint(shards)):
            return False
    return True


def held_ticket(files: Files) -> str | None:
    """Name of the ticket under which this process writes to a store on object storage; None in a folder, and when it writes nothing."""
    ticket = _held.get(files.location)
    return ticket.name if ticket else None


def silent_tickets(files: Files, names: Collection[str]) -> set[str]:
    """Which tickets are gone, or of owners that have shown no sign of life for so long that they count as dead."""
    probe = f"{_FOLDER}/{uuid.uuid4().hex}.clock"
    files.write(probe, b"")  # what the storage's clock says now
    times = files.modified(_FOLDER)
    files.delete(probe)
    now = times[probe.rpartition("/")[2]]
    return {name for name in names if now - times.get(f"{name}.alive", 0.0) > _SILENT_S}


def drop_ticket(files: Files, name: str) -> None:
    """Take away the ticket of an owner that is known to be dead, so that nobody waits until it counts as that."""
    for file in files.names(_FOLDER):
        if file.startswith(f"{name}."):
            files.delete(f"{_FOLDER}/{file}")


def _taken(files: Files) -> StoreError:
    return StoreError(f"another process is writing to {files.location}; wait for it to end, then run this again.")
