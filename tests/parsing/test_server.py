"""A MinerU server in place of the parser on this machine: a real one on loopback."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from assets_store.settings import ParsingSettings
from docnav_pipeline.parsing.block import BlockType, DocumentStatus
from docnav_pipeline.parsing.parse import parse_source
from tests.parsing.samples import write_docx, write_manual

_START_S = 90


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home = tmp_path_factory.mktemp("mineru")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        str(Path(sys.executable).with_name("mineru-kit")),
        "api-server",
        "--tier",
        "flash",
        "--port",
        str(port),
        "--allow-local-source",
    ]
    environment = {**os.environ, "HOME": str(home), "MINERU_HOME": str(home), "MINERU_MODEL_SOURCE": "local"}
    with (home / "log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=home)
        try:
            _wait(f"http://127.0.0.1:{port}/v1/health", process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(30)


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(_START_S * 2):
        assert process.poll() is None, "the server ended by itself"
        try:
            urllib.request.urlopen(url, timeout=2).close()
            return
        except OSError:
            time.sleep(0.5)
    raise AssertionError(f"the server did not answer within {_START_S} s")


def test_a_server_reads_pdf_and_word_files_as_this_machine_does(server: str, tmp_path: Path) -> None:
    for path in (write_manual(tmp_path / "manual.pdf", n_pages=2), write_docx(tmp_path / "manual.docx")):
        ((_, here),) = parse_source(path, ParsingSettings())
        ((_, there),) = parse_source(path, ParsingSettings(server_url=server))
        assert there.status is DocumentStatus.OK
        assert [block.text for block in there.blocks] == [block.text for block in here.blocks]
        assert any(block.type is BlockType.TITLE for block in there.blocks)


def test_a_server_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = write_manual(tmp_path / "manual.pdf", n_pages=1)
    ((_, document),) = parse_source(path, ParsingSettings(server_url="http://127.0.0.1:9"))
    assert document.status is DocumentStatus.FAILED
    assert "parsing.server_url = http://127.0.0.1:9" in document.reason
