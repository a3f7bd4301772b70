"""Even use, by several threads, of what an endpoint limits per minute."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Pace:
    """Turns so far apart that no minute sees more than `per_minute`; 0 is no limit.

    Uses follow one another evenly, without a burst after a rest, because endpoints count over less than a minute too.
    clock, sleep: seconds, as of `time`.
    """

    def __init__(self, per_minute: float, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep) -> None:
        self._seconds_each = 60.0 / per_minute if per_minute else 0.0
        self._clock, self._sleep = clock, sleep
        self._free = 0.0  # when the next turn is
        self._lock = threading.Lock()

    def take(self, amount: float = 1.0) -> None:
        """Return when the turn has come; the next one comes after the time that this amount takes."""
        if not self._seconds_each:
            return
        with self._lock:
            now = self._clock()
            turn = max(now, self._free)
            self._free = turn + amount * self._seconds_each
        if turn > now:
            self._sleep(turn - now)

    def correct(self, amount: float) -> None:
        """Count more, or less where negative, than was taken, once it is known."""
        with self._lock:
            self._free += amount * self._seconds_each
