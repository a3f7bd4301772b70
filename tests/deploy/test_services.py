"""Servers of the cluster on one machine."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

STARTING = """
import os, sys, time
from pathlib import Path
from deploy.demo.services import running
with running("server", ["sleep", "600"], Path(sys.argv[1]), os.environ) as process:
    print(process.pid, flush=True)
    time.sleep(600)
"""


def ignore_interrupts() -> None:
    """As a shell does for programs that it starts in the background."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process that its parent is gone")
@pytest.mark.parametrize("started", [None, ignore_interrupts], ids=["from a terminal", "in the background"])
def test_servers_end_with_a_process_that_is_killed(tmp_path: Path, started: Callable[[], None] | None) -> None:
    command = [sys.executable, "-c", STARTING, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=started) as starter:
        assert starter.stdout is not None
        server = psutil.Process(int(starter.stdout.readline()))
        starter.kill()
    assert psutil.wait_procs([server], timeout=30)[1] == []
