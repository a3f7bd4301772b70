"""A parser process with limits: started when first needed, ended on time-out or memory, started anew after."""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import psutil

from docnav_pipeline.parsing.worker import read_frame, write_frame

_MIB = 1024 * 1024
_POLL_S = 0.1
# Helpers of the process are looked for at every n-th poll only: that walks all processes of the machine.
_HELPERS_EVERY = 10
# Time that starting the interpreter and importing MinerU may take before a request's own time counts.
_START_S = 60.0
# A process that has grown past this share of its limit is replaced before the next request.
_RENEW_SHARE = 0.6
_GRACE_S = 2.0


class ProcessEnded(Exception):
    """The parser process did not answer; the text says why."""


class TimedOut(ProcessEnded):
    """The request took longer than its time."""


class OutOfMemory(ProcessEnded):
    """The process used more resident memory than it may."""


class Crashed(ProcessEnded):
    """The process ended by itself."""


class ParserProcess:
    """A child process that parses one file, or one window of a file, at a time.

    Not for use by two threads at once. Use as a context manager, or call `close`.
    """

    def __init__(self, memory_mb: int) -> None:
        self._memory_bytes = memory_mb * _MIB
        self._memory_mb = memory_mb
        self._process: subprocess.Popen[bytes] | None = None
        self._replies: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._home: Path | None = None
        self._helpers: list[psutil.Process] = []
        self._n_polls = 0
        self.peak_bytes = 0
        self.n_starts = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def request(self, message: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        """Send a request and wait for its answer.

        Raises TimedOut, OutOfMemory or Crashed; the process is gone then, and the next request starts another.
        """
        fresh = self._ensure_started()
        process = self._process
        assert process is not None
        assert process.stdin is not None
        try:
            write_frame(process.stdin, message)  # type: ignore[arg-type]
        except (BrokenPipeError, OSError) as error:
            raise self._crashed() from error
        deadline = time.monotonic() + timeout_s + (_START_S if fresh else 0.0)
        while True:
            try:
                reply = self._replies.get(timeout=_POLL_S)
            except queue.Empty:
                reply = {}
            if reply is None:
                raise self._crashed()
            if reply:
                self._renew_if_grown()
                return reply
            used = self._resident_bytes()
            if used > self._memory_bytes:
                self._end()
                raise OutOfMemory(f"parsing used {used // _MIB} MiB, more than memory_mb = {self._memory_mb}")
            if time.monotonic() > deadline:
                self._end()
                raise TimedOut(f"parsing took longer than timeout_s = {timeout_s:g}")

    def close(self) -> None:
        """End the process and remove its folder."""
        self._end()
        if self._home is not None:
            shutil.rmtree(self._home, ignore_errors=True)
            self._home = None

    def _ensure_started(self) -> bool:
        if self._process is not None and self._process.poll() is None:
            return False
        self._end()
        if self._home is None:
            self._home = Path(tempfile.mkdtemp(prefix="docnav-parser-"))
        self._replies = queue.Queue()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "docnav_pipeline.parsing.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(self._home),
            start_new_session=True,
        )
        self.n_starts += 1
        assert self._process.stdout is not None
        threading.Thread(target=_read_replies, args=(self._process.stdout, self._replies), daemon=True).start()
        return True

    def _crashed(self) -> Crashed:
        process = self._process
        code: int | None = None
        if process is not None:
            try:
                code = process.wait(_GRACE_S)
            except subprocess.TimeoutExpired:
                code = None
        self._end()
        if code is not None and code < 0:
            try:
                name = signal.Signals(-code).name
            except ValueError:
                name = str(-code)
            return Crashed(f"the parser process was ended by signal {name}")
        return Crashed(f"the parser process ended with exit code {code}")

    def _resident_bytes(self) -> int:
        """Memory of the process and of the helpers that it started."""
        assert self._process is not None
        total = 0
        try:
            process = psutil.Process(self._process.pid)
            if self._n_polls % _HELPERS_EVERY == 0:
                self._helpers = process.children(recursive=True)
            self._n_polls += 1
            total = process.memory_info().rss
        except psutil.Error:
            return total
        for helper in self._helpers:
            try:
                total += helper.memory_info().rss
            except psutil.Error:
                continue
        self.peak_bytes = max(self.peak_bytes, total)
        return total

    def _renew_if_grown(self) -> None:
        if self._resident_bytes() > _RENEW_SHARE * self._memory_bytes:
            self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        family = []
        with contextlib.suppress(psutil.Error):
            family = psutil.Process(process.pid).children(recursive=True)
        if process.poll() is None:
            process.kill()
        for helper in family:
            try:
                helper.kill()
            except psutil.Error:
                continue
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    continue


def _read_replies(stream: IO[bytes], replies: queue.Queue[dict[str, Any] | None]) -> None:
    """Pass on the answers of a process; None at its end."""
    try:
        while (reply := read_frame(stream)) is not None:  # type: ignore[arg-type]
            replies.put(reply)
    except (OSError, ValueError):
        pass
    replies.put(None)


def _environment(home: Path) -> dict[str, str]:
    """Environment of the parser process: MinerU keeps its files in a folder that goes with the process."""
    environment = dict(os.environ)
    model_folder = environment.get("MINERU_MODEL_BASE_DIR") or str(
        Path(environment.get("MINERU_HOME") or Path.home() / ".mineru") / "models"
    )
    environment.update(
        HOME=str(home),
        MINERU_HOME=str(home),
        MINERU_MODEL_SOURCE="local",
        MINERU_MODEL_BASE_DIR=model_folder,
        MINERU_LOG_LEVEL="error",
        # One parser process per core: threads inside would only compete with the others.
        OMP_NUM_THREADS=environment.get("OMP_NUM_THREADS", "1"),
    )
    package_root = str(Path(__file__).resolve().parents[2])
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, (package_root, environment.get("PYTHONPATH", ""))))
    return environment
