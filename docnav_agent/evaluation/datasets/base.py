"""What all data sets share: their entry in a suite, their form, and reading their files."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from assets_store.errors import SourceError
from assets_store.ids import content_hash, is_encodable
from assets_store.section import Section
from docnav_agent.evaluation.case import Case, Gold
from docnav_agent.evaluation.words import stem

NAME = r"^[a-z0-9][a-z0-9._+-]{0,60}$"


class DataSetEntry(Section):
    """A `[[dataset]]` of a suite. Paths are made whole before they come here."""

    name: str = Field(pattern=NAME, description="Name in reports and of its folders.")
    format: str = Field("questions", description="`questions` (QUESTIONS.jsonl), `scholarqabench`, `mdaqa` or `longbench-v2`.")
    path: str = Field(description="The file with the questions.")
    documents: str = Field("", description="Folder or file to index; empty where the release holds the documents, or the store is ready.")
    store: str = Field("", description="Folder of the store; empty is one inside the folder of the results.")
    limit: int = Field(0, ge=0, description="Ask the first questions only; 0 asks all.")
    options: Literal["choice", "each"] = Field("choice", description="`each` asks every option of a question for itself: true or false.")
    docs_from_gold: bool = Field(False, description="Ask each question with the documents of its gold evidence given.")
    where: dict[str, str] = Field(default_factory=dict, description="Keep questions whose fields have these values, as in `length`.")
    subset: str = Field("", description="Part of a release: `userguide` or `gov` of LongBench v2.")


@dataclass(frozen=True, slots=True)
class DataSet:
    """cases: in the order of the source. documents: what to index; None where the store is ready. notices: what was left out and why."""

    name: str
    cases: tuple[Case, ...]
    documents: Path | None
    notices: tuple[str, ...] = ()

    @property
    def fingerprint(self) -> str:
        """Hash of questions and gold."""
        return content_hash(*(repr(case) for case in self.cases), length=16)


def read_records(path: Path, how: str) -> list[dict[str, Any]]:
    """Objects of a JSON list or a JSONL file. how: how to get the file, for the message. Raises SourceError."""
    if not path.is_file():
        raise SourceError(f"no file {path}. {how}")
    try:
        text = path.read_text(encoding="utf-8-sig")
        found = json.loads(text) if text.lstrip().startswith("[") else [json.loads(line) for line in text.splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise SourceError(f"{path} is neither a JSON list nor JSONL: {error}. {how}") from error
    bad = next((number for number, record in enumerate(found, start=1) if not isinstance(record, dict)), None)
    if bad is not None or not found:
        what = f"entry {bad} is no object" if bad is not None else "it is empty"
        raise SourceError(f"{path}: {what}. {how}")
    return list(found)


def text_of(record: dict[str, Any], key: str, where: str, how: str = "") -> str:
    """A text of a record that is not empty. Raises SourceError."""
    value = record.get(key)
    value = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(value, str) or not value.strip() or not is_encodable(value):
        raise SourceError(f"{where}: expected a text in {key!r}, found {value!r:.80}. {how}".strip())
    return value


def keeps(record: dict[str, Any], entry: DataSetEntry) -> bool:
    """Whether a record has the values that the suite asks for."""
    return all(str(record.get(key, "")) == value for key, value in entry.where.items())


def cluster_of(case_id: str, docs: Sequence[str], gold: Sequence[Gold]) -> str:
    """What a question hangs together with others by: the documents it is asked of, or those of its gold; itself where it has none."""
    names = {stem(doc) for doc in docs} or {stem(item.doc) for item in gold}
    return "+".join(sorted(names)) or case_id


def distinct(cases: Sequence[Case], path: Path) -> tuple[Case, ...]:
    """The cases, where there are any and no id occurs twice. Raises SourceError."""
    seen: set[str] = set()
    for case in cases:
        if case.id in seen:
            raise SourceError(f"{path}: id {case.id!r} occurs twice; give each question its own id")
        seen.add(case.id)
    if not cases:
        raise SourceError(f"{path}: no question is left; look at `limit`, `subset` and `where` of the suite")
    return tuple(cases)


def write_passages(folder: Path, passages: Iterator[dict[str, str]]) -> Path:
    """A JSONL file of documents, one a line: id, title, text; written whole or not at all. Returns its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    _replace(folder / "passages.jsonl", "".join(json.dumps(passage, ensure_ascii=False) + "\n" for passage in passages))
    return folder


def write_texts(folder: Path, texts: Iterator[tuple[str, str]]) -> Path:
    """Plain text files. texts: (name without ending, text); a name becomes harmless by its letters, digits, `.`, `_` and `-`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts:
        _replace(folder / f"{safe_name(name)}.txt", text)
    return folder


def safe_name(name: str) -> str:
    """A name that is a file name everywhere and leads nowhere else."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-")[:100] or "unnamed"


def _replace(path: Path, text: str) -> None:
    data = text.encode("utf-8", errors="replace")
    if path.exists() and path.read_bytes() == data:
        return  # an unchanged file keeps its time, so that nothing is indexed again
    partial = path.with_name(f"{path.name}.{os.getpid()}.part")
    partial.write_bytes(data)
    partial.replace(path)
