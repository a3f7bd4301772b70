"""Results survive a kill, and a line that was cut is written again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa

from docnav_agent.evaluation.kept_rows import KeptRows, read_rows

SCHEMA = pa.schema([("name", pa.string()), ("value", pa.float64())])


def kept(path: Path) -> KeptRows:
    return KeptRows(path, SCHEMA, lambda row: str(row["name"]))


def test_rows_become_one_file_and_a_newer_row_takes_the_place_of_an_older(tmp_path: Path) -> None:
    path = tmp_path / "set" / "system.parquet"
    assert read_rows(path) == []
    with kept(path) as rows:
        rows.add({"name": "b", "value": 1.5})
        rows.add({"name": "a", "value": None})
        rows.add({"name": "b", "value": 0.1})
    wanted = [{"name": "a", "value": None}, {"name": "b", "value": 0.1}]
    assert read_rows(path) == wanted
    before = path.stat().st_mtime_ns
    with kept(path) as rows:
        assert list(rows.rows) == ["a", "b"]
    assert path.stat().st_mtime_ns == before
    assert sorted(p.name for p in path.parent.iterdir()) == ["system.parquet", "system.parquet.lock"]


def test_rows_of_a_killed_process_are_there_and_a_cut_line_is_not(tmp_path: Path) -> None:
    path = tmp_path / "system.parquet"
    code = (
        "import os, sys, pathlib\nfrom tests.evaluation.test_kept_rows import kept\nrows = kept(pathlib.Path(sys.argv[1])).__enter__()\n"
        "rows.add({'name': 'a', 'value': 1.0})\nrows._file.write('{\"name\": \"b\", \"val')\nrows._file.flush()\nos._exit(9)"
    )
    root = str(Path(__file__).parents[2])
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=False, cwd=root, env={**os.environ, "PYTHONPATH": root})
    assert done.returncode == 9
    assert read_rows(path) == [{"name": "a", "value": 1.0}]
    with kept(path) as rows:
        assert list(rows.rows) == ["a"]
        rows.add({"name": "c", "value": 2.0})
    assert [row["name"] for row in read_rows(path)] == ["a", "c"]
