"""One parser process for all cases: starting it costs more than reading the files."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from docnav_pipeline.parsing.process import ParserProcess


@pytest.fixture(scope="package")
def process() -> Iterator[ParserProcess]:
    with ParserProcess(memory_mb=2048) as running:
        yield running
