"""Servers of the cluster on one machine."""

from __future__ import annotations

import subprocess
import sys
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


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process that its parent is gone")
def test_servers_end_with_a_process_that_is_killed(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", STARTING, str(tmp_path)], stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdout is not None
        server = psutil.Process(int(starter.stdout.readline()))
        starter.kill()
    assert psutil.wait_procs([server], timeout=30)[1] == []
