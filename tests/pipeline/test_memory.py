"""Memory that a step has freed goes back to the system."""

from __future__ import annotations

import subprocess
import sys

import pytest

# More than the allocators keep for themselves, and less than was used.
_USED_MIB, _KEPT_MIB = 256, 96
_WAIT_S = 8

STEP = """
import time
import psutil
from docnav_pipeline.memory import give_back_memory
import polars as pl
import pyarrow as pa

def used():
    return psutil.Process().memory_info().rss / 2**20

pl.DataFrame({"n": range(10)}).sum()
before = used()
rows = MIB * 2**20 // 64
frame = pl.select(pl.int_range(rows).alias("n")).with_columns(pl.col("n").cast(pl.String).alias("text"), twice=pl.col("n") * 2)
table = frame.to_arrow()
copied = pa.concat_tables([table, table]).combine_chunks()
most = used()
del frame, table, copied
# Polars frees on a thread of its own; its allocator would keep that for ten seconds.
deadline = time.monotonic() + WAIT
while used() - before >= KEPT and time.monotonic() < deadline:
    give_back_memory()
    time.sleep(0.05)
print(most - before, used() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other C libraries keep freed memory as they like")
def test_a_step_gives_back_what_it_used() -> None:
    step = STEP.replace("MIB", str(_USED_MIB)).replace("KEPT", str(_KEPT_MIB)).replace("WAIT", str(_WAIT_S))
    done = subprocess.run([sys.executable, "-c", step], check=True, capture_output=True, text=True)
    most, kept = map(float, done.stdout.split())
    assert most > _USED_MIB
    assert kept < _KEPT_MIB
