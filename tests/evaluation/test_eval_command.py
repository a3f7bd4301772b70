"""`docnav eval` from documents to the report, on the example suite: indexed, asked, written, gone on with, compared."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from docnav_agent.cli import run
from tests.pipeline.fast import FAST

SUITE = Path(__file__).parents[2] / "examples" / "evaluation.toml"
SYSTEMS = ["--system", "docnav", "--system", "bm25", "--system", "oracle", "--json"]


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in FAST.items():
        monkeypatch.setenv(name, value)


def out_json(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def example(folder: Path) -> str:
    """The example suite over the example documents but the PDF, whose parsing would take longer than all the rest."""
    shutil.copytree(SUITE.parent / "corpus", folder / "corpus", ignore=shutil.ignore_patterns("*.pdf"))
    lines = (SUITE.parent / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    (folder / "questions.jsonl").write_text("\n".join(line for line in lines if ".pdf" not in line), encoding="utf-8")
    return str(shutil.copy(SUITE, folder))


def test_the_example_suite_runs_is_gone_on_with_and_is_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, suite = tmp_path / "out", example(tmp_path)
    assert run(["eval", suite, *SYSTEMS, "--out", str(out)]) == 0
    said = out_json(capsys)
    assert (said["headline"], said["failed"], said["losses"]) == ("recall@1000", 0, [])
    assert [row["system"] for row in said["rows"]] == ["docnav", "bm25", "oracle"]
    assert said["rows"][2]["value"] == 1.0
    results = json.loads((out / "evaluation.json").read_text())
    assert results["data_sets"][0]["index"]["embeddings"]["encoded"] > 50
    assert "<script" not in Path(said["report"]).read_text()
    # The same suite again: nothing is asked; an earlier run in which docnav found all is a loss now only where it found less.
    base = json.loads((out / "evaluation.json").read_text())
    for entry in base["values"]:
        at = entry["columns"].index("recall@250")
        entry["rows"] = {name: [*row[:at], None if row[at] is None else 2.0, *row[at + 1 :]] for name, row in entry["rows"].items()}
    (tmp_path / "base.json").write_text(json.dumps(base))
    assert run(["eval", suite, *SYSTEMS, "--out", str(out), "--against", str(tmp_path / "base.json")]) == 1
    captured = capsys.readouterr()
    assert {loss["statistic"] for loss in json.loads(captured.out)["losses"]} == {"recall@250"}
    assert "reed, bm25: 0 of 16 questions asked" in captured.err
    assert "against: reed bm25 recall@250: lost by" in captured.err
    # The page can be written again from the folder alone.
    assert run(["report", str(out), "--out", str(tmp_path / "page.html")]) == 0
    assert "Overview" in (tmp_path / "page.html").read_text()
    assert run(["report", str(tmp_path)]) == 2


def test_a_killed_evaluation_goes_on_without_asking_a_finished_question_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, suite = tmp_path / "out", example(tmp_path)
    # A question given often enough that some are open when the process is killed.
    questions = [json.loads(line) for line in (tmp_path / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    many = [{**row, "id": f"{row['id']}-{n}"} for n in range(5) for row in questions[:6]]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, many)), encoding="utf-8")
    arguments = ["eval", suite, "--system", "docnav", "--out", str(out)]
    process = subprocess.Popen(
        [str(Path(sys.executable).with_name("docnav")), *arguments], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    deadline, kept = time.monotonic() + 240, out / "runs" / "reed" / "docnav.parquet.journal"
    while process.poll() is None and (lines(kept) < 3) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert process.poll() is None, "the evaluation ended before it could be killed"
    process.kill()
    process.wait()
    finished = lines(kept)
    assert 3 <= finished < len(many)
    capsys.readouterr()
    assert run([*arguments, "--json"]) == 0
    captured = capsys.readouterr()
    assert f"reed, docnav: {len(many) - finished} of {len(many)} questions asked" in captured.err
    assert json.loads(captured.out)["failed"] == 0


def lines(path: Path) -> int:
    """Whole lines of a file, 0 where there is none."""
    return path.read_bytes().count(b"\n") if path.exists() else 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["eval", "none.toml"], "cannot read the suite none.toml"),
        (["eval", str(SUITE), "--system", "bm24"], "the suite has no system 'bm24'"),
        (["eval", str(SUITE), "--dataset", "x"], "the suite has no data set 'x'"),
        (["eval", str(SUITE), "--folder", "data"], "--folder takes NAME=DIR"),
        (["eval", str(SUITE), "--against", "none.json"], "cannot read the results none.json"),
    ],
)
def test_wrong_use_is_exit_2_and_one_line(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_help_of_eval_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom docnav_agent.cli import run\nrun(['eval', '--help'])\n"
        "print([name for name in ('torch', 'polars', 'pyarrow', 'numpy', 'ragas', 'pydantic', 'rich') if name in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=dict(os.environ)).stdout
    assert shown.splitlines()[-1] == "[]"
