"""A run on disk: `run.json`, `step_artifacts/NNN.json`, `evidence_artifacts/E01.json`, `answer.json`.

Artifacts are complete once visible, never overwritten, and chained: each holds the hash of the artifact before it in
`previous` and its own in `hash` (SHA-256 over its canonical JSON without `hash`). Evidence is written before the step
that made it, so the order of the chain is run, E.. of step 1, step 1, ..., answer.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assets_store.errors import DocnavError
from docnav_agent.evidence import EvidenceItem

RUN_FORMAT = 1
STEPS = "step_artifacts"
EVIDENCE = "evidence_artifacts"
_STEP_FILE = re.compile(r"\d{3,}\.json")
_EVIDENCE_FILE = re.compile(r"E\d{2,}\.json")


class RunFolderError(DocnavError):
    """A run folder cannot be read, or an artifact of it exists already."""


def new_run_id(now: datetime | None = None) -> str:
    """Id that sorts by time (UTC, milliseconds) and ends with a random part: `20260131T101500123Z-9f2c4a1b`."""
    moment = (now or datetime.now(UTC)).astimezone(UTC)
    return f"{moment:%Y%m%dT%H%M%S}{moment.microsecond // 1000:03d}Z-{secrets.token_hex(4)}"


def canonical(data: Mapping[str, Any]) -> str:
    """JSON with sorted keys and no spaces: the form that is hashed."""
    return json.dumps(data, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def artifact_hash(data: Mapping[str, Any]) -> str:
    """SHA-256 of an artifact without its own `hash`."""
    return hashlib.sha256(canonical({name: value for name, value in data.items() if name != "hash"}).encode()).hexdigest()


class RunFolder:
    """Writes one run. Each call writes one artifact; an artifact that exists is refused."""

    def __init__(self, parent: str | Path, run: Mapping[str, Any], run_id: str | None = None) -> None:
        self.run_id = run_id or new_run_id()
        self.path = Path(parent) / self.run_id
        self._previous = ""
        try:
            self.path.mkdir(parents=True, exist_ok=False)
            (self.path / STEPS).mkdir()
            (self.path / EVIDENCE).mkdir()
        except FileExistsError as error:
            raise RunFolderError(f"run folder {self.path} exists already; runs are never overwritten, choose another run id") from error
        except OSError as error:
            raise RunFolderError(
                f"cannot make run folder {self.path}: {error.strerror or error}; choose another folder for runs"
            ) from error
        self._write("run.json", {"format": RUN_FORMAT, "run_id": self.run_id, "started": _now(), **run})

    def write_step(self, number: int, step: Mapping[str, Any], evidence: Sequence[EvidenceItem]) -> None:
        """Write the evidence that a step made, then the step. number: from 1."""
        made = []
        for item in evidence:
            reference = {"step": f"{STEPS}/{number:03d}.json", "node_id": item.node_id, "tool": "fetch_content"}
            made.append(item.evidence_id)
            self._write(f"{EVIDENCE}/{item.evidence_id}.json", {**item.model_dump(mode="json"), "source": reference})
        self._write(f"{STEPS}/{number:03d}.json", {"step": number, "time": _now(), **step, "evidence_made": made})

    def write_answer(self, answer: Mapping[str, Any]) -> None:
        """Write the end of the run."""
        self._write("answer.json", {"time": _now(), **answer})

    def _write(self, name: str, data: Mapping[str, Any]) -> None:
        artifact = {**data, "previous": self._previous}
        artifact["hash"] = artifact_hash(artifact)
        write_once(self.path / name, json.dumps(artifact, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
        self._previous = str(artifact["hash"])


def write_once(path: Path, text: str) -> None:
    """Write a file that is complete once visible; raises RunFolderError when it exists or cannot be written."""
    try:
        handle, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=path.parent)
        temporary = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            temporary.chmod(0o444)
            # A link fails where the name exists, a rename would replace it.
            path.hardlink_to(temporary)
        finally:
            temporary.unlink(missing_ok=True)
    except FileExistsError as error:
        raise RunFolderError(f"{path} exists already; artifacts are never overwritten") from error
    except OSError as error:
        raise RunFolderError(f"cannot write {path}: {error.strerror or error}") from error


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run read back. answer is empty for a run that did not end; problems: one line per broken promise, empty when intact."""

    path: Path
    run: dict[str, Any]
    steps: tuple[dict[str, Any], ...]
    evidence: dict[str, dict[str, Any]]
    answer: dict[str, Any]
    problems: tuple[str, ...]

    @property
    def seal(self) -> str:
        """Hash of the last artifact, which stands for the whole run."""
        last = self.answer or (self.steps[-1] if self.steps else self.run)
        return str(last.get("hash", ""))


def read_run(run_dir: str | Path) -> StoredRun:
    """Read a run and check its chain. Raises RunFolderError when the folder is no run; what is broken inside is reported."""
    path = Path(run_dir)
    if not (path / "run.json").is_file():
        raise RunFolderError(f"no run in {path}: expected run.json there; give the folder that `docnav ask` printed")
    problems: list[str] = []
    run = _read(path / "run.json", problems)
    if run.get("format", RUN_FORMAT) != RUN_FORMAT:
        raise RunFolderError(f"run {path} has format {run.get('format')}, this version reads {RUN_FORMAT}")
    step_files = _files(path / STEPS, _STEP_FILE, problems)
    evidence_files = _files(path / EVIDENCE, _EVIDENCE_FILE, problems)
    evidence = {file.stem: _read(file, problems) for file in evidence_files}
    steps = tuple(_read(file, problems) for file in step_files)
    known = {"run.json", "answer.json", STEPS, EVIDENCE}
    problems.extend(f"{file.name} does not belong to a run" for file in sorted(path.iterdir()) if file.name not in known)
    answer = _read(path / "answer.json", problems) if (path / "answer.json").is_file() else {}
    if not answer:
        problems.append("answer.json is missing: the run did not end, or the file was removed")
    problems.extend(_check_chain(run, step_files, steps, evidence, answer))
    return StoredRun(path, run, steps, evidence, answer, tuple(problems))


def verify(run_dir: str | Path) -> list[str]:
    """One line per broken promise of a run folder; empty when nothing was changed, removed or added."""
    return list(read_run(run_dir).problems)


def _check_chain(
    run: dict[str, Any],
    step_files: Sequence[Path],
    steps: Sequence[dict[str, Any]],
    evidence: Mapping[str, dict[str, Any]],
    answer: dict[str, Any],
) -> list[str]:
    problems: list[str] = []
    chain: list[tuple[str, dict[str, Any]]] = [("run.json", run)]
    claimed: set[str] = set()
    for number, (file, step) in enumerate(zip(step_files, steps, strict=True), start=1):
        if file.stem != f"{number:03d}":
            problems.append(f"{STEPS}: expected {number:03d}.json, found {file.name}")
        for name in _strings(step.get("evidence_made")):
            claimed.add(name)
            if name in evidence:
                chain.append((f"{EVIDENCE}/{name}.json", evidence[name]))
            else:
                problems.append(f"{EVIDENCE}/{name}.json is missing, step {file.stem} made it")
        chain.append((f"{STEPS}/{file.name}", step))
    problems.extend(f"{EVIDENCE}/{name}.json belongs to no step" for name in sorted(set(evidence) - claimed))
    if answer:
        chain.append(("answer.json", answer))
    previous = ""
    for name, artifact in chain:
        if artifact and artifact.get("hash") != artifact_hash(artifact):
            problems.append(f"{name} was changed: its content does not match its hash")
        if artifact and artifact.get("previous") != previous:
            problems.append(f"{name} does not follow the artifact before it: the chain is broken there")
        previous = str(artifact.get("hash", ""))
    return problems


def _files(folder: Path, pattern: re.Pattern[str], problems: list[str]) -> list[Path]:
    if not folder.is_dir():
        problems.append(f"{folder.name} is missing")
        return []
    found = sorted(folder.iterdir(), key=lambda file: (len(file.name), file.name))
    problems.extend(f"{folder.name}/{file.name} does not belong to a run" for file in found if not pattern.fullmatch(file.name))
    return [file for file in found if pattern.fullmatch(file.name)]


def _read(path: Path, problems: list[str]) -> dict[str, Any]:
    try:
        # What cannot be hashed again was not written by us: NaN, half a surrogate pair, nesting without end.
        data = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(data, dict):
            artifact_hash(data)
    except (OSError, ValueError, RecursionError) as error:
        problems.append(f"{path.name} cannot be read: {_read_error(error)}")
        return {}
    if not isinstance(data, dict):
        problems.append(f"{path.name} holds no JSON object")
        return {}
    return data


def _read_error(error: Exception) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else str(error).encode("utf-8", "backslashreplace").decode()


def _strings(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
