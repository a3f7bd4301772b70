"""Servers that live and die together: when one ends, or this process is told to end, all of them are."""

from __future__ import annotations

import ctypes
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from types import FrameType

_LOOK_S = 0.2
# Servers end their runs and children first; after this they are killed.
_GRACE_S = 20.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_PR_SET_PDEATHSIG = 1


def serve(commands: Sequence[Sequence[str]], environment: Mapping[str, str]) -> int:
    """Run servers until one ends or a signal says so. Exit status: that of the server that ended first, 0 after a signal."""
    told: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        told.append(number)

    before = {number: signal.signal(number, note) for number in _SIGNALS}
    servers: list[subprocess.Popen[bytes]] = []
    try:
        # A session of their own: an interrupt typed on the terminal reaches this process only, which then ends them in order.
        servers += [subprocess.Popen(command, env=environment, start_new_session=True, preexec_fn=end_with_parent) for command in commands]
        while not told:
            ended = [server for server in servers if server.poll() is not None]
            if ended:
                return ended[0].returncode or 0
            time.sleep(_LOOK_S)
        return 0
    finally:
        _end(servers)
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(servers: Sequence[subprocess.Popen[bytes]]) -> None:
    for server in servers:
        if server.poll() is None:
            server.send_signal(signal.SIGINT)
    deadline = time.monotonic() + _GRACE_S
    for server in servers:
        try:
            server.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def end_with_parent() -> None:
    """Let the system tell a server to end when this process is killed and can do it no more. Linux only; elsewhere it goes on.

    For a new process, before its program starts. An interrupt ends it, also where a shell that starts programs in the background has it
    ignored by them and by all that they start.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGINT)
