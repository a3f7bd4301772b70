"""Run folders: the chain, what tampering shows, what is refused."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docnav_agent.evidence import EvidenceItem
from docnav_agent.run_folder import RunFolder, RunFolderError, new_run_id, read_run, verify, write_once


def evidence(number: int, text: str = "The notice period is 30 days.") -> EvidenceItem:
    return EvidenceItem(evidence_id=f"E{number:02d}", node_id=f"d/p-{number}", doc="lease.md", doc_id="d", text=text, n_tokens=7)


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    folder = RunFolder(tmp_path, {"question": "How long is the notice?"})
    folder.write_step(1, {"action": {"kind": "locate"}}, [])
    folder.write_step(2, {"action": {"kind": "fetch"}}, [evidence(1), evidence(2)])
    folder.write_answer({"answer": "30 days [E01]"})
    return folder.path


def rewrite(path: Path, **changes: object) -> None:
    data = json.loads(path.read_text())
    path.chmod(0o644)
    path.write_text(json.dumps(data | changes))


def test_an_untouched_run_is_intact_and_reads_back(run_dir: Path) -> None:
    run = read_run(run_dir)
    assert run.problems == ()
    assert [step["step"] for step in run.steps] == [1, 2]
    assert list(run.evidence) == ["E01", "E02"]
    assert run.answer["answer"] == "30 days [E01]"
    assert run.seal == run.answer["hash"]
    assert run.evidence["E01"]["source"] == {"step": "step_artifacts/002.json", "node_id": "d/p-1", "tool": "fetch_content"}


@pytest.mark.parametrize("name", ["run.json", "step_artifacts/001.json", "evidence_artifacts/E02.json", "answer.json"])
def test_a_changed_artifact_is_reported(run_dir: Path, name: str) -> None:
    rewrite(run_dir / name, note="changed")
    assert any(Path(name).name in problem for problem in verify(run_dir))


@pytest.mark.parametrize("name", ["step_artifacts/001.json", "evidence_artifacts/E01.json", "answer.json"])
def test_a_removed_artifact_is_reported(run_dir: Path, name: str) -> None:
    (run_dir / name).unlink()
    assert verify(run_dir)


def test_a_changed_artifact_with_a_new_hash_breaks_the_chain(run_dir: Path) -> None:
    from docnav_agent.run_folder import artifact_hash

    step = run_dir / "step_artifacts/001.json"
    data = json.loads(step.read_text()) | {"why": "another reason"}
    rewrite(step, why="another reason", hash=artifact_hash(data))
    assert any("E01.json does not follow" in problem for problem in verify(run_dir))


@pytest.mark.parametrize("name", ["evidence_artifacts/E09.json", "step_artifacts/003.json", "evidence_artifacts/notes.txt", "notes.json"])
def test_an_added_file_is_reported(run_dir: Path, name: str) -> None:
    (run_dir / name).write_text('{"text": "forged"}')
    assert any(Path(name).name.split(".")[0] in problem for problem in verify(run_dir))


@pytest.mark.parametrize("content", ["not json", "[1]", "", '{"why": NaN}', '{"why": "\\udc80"}', '{"a":' * 100_000])
def test_an_unreadable_artifact_is_reported_and_does_not_raise(run_dir: Path, content: str) -> None:
    path = run_dir / "step_artifacts/002.json"
    path.chmod(0o644)
    path.write_text(content)
    assert verify(run_dir)


def test_artifacts_are_never_overwritten(run_dir: Path, tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match="exists already"):
        write_once(run_dir / "answer.json", "{}")
    with pytest.raises(RunFolderError, match="never overwritten"):
        RunFolder(tmp_path, {}, run_id=run_dir.name)
    assert not list(run_dir.rglob("*.part"))


def test_a_folder_without_a_run_says_what_to_give(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match=re.escape("expected run.json")):
        read_run(tmp_path)


@given(st.datetimes(min_value=datetime(2000, 1, 1), max_value=datetime(2100, 1, 1)), st.integers(1, 10**9))
def test_run_ids_sort_by_time(moment: datetime, milliseconds: int) -> None:
    first = moment.replace(tzinfo=UTC)
    assert new_run_id(first) < new_run_id(first + timedelta(milliseconds=milliseconds))
