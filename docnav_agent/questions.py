"""QUESTIONS.jsonl: one question a line, read with the line number in every complaint."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assets_store.errors import SettingsError, SourceError
from assets_store.ids import is_encodable
from docnav_agent.systems import Option, Question, Turn

_SHAPE = (
    'a JSON object with "id" and "question", and optionally "docs" (a list of names), "history" (a list of turns) and "choices" '
    "(texts by label, or a list of texts)"
)


def read_questions(path: Path, limit: int | None = None) -> list[Question]:
    """Questions of a file in its order; empty lines are skipped, further keys of a line are left alone.

    limit: read at most so many.
    Raises SourceError with file and line where the file cannot be read, a line is no question, or an id occurs twice.
    """
    return list(_questions(path, limit))


def _questions(path: Path, limit: int | None) -> Iterator[Question]:
    first_line: dict[str, int] = {}
    for number, line in _lines(path):
        if limit is not None and len(first_line) >= limit:
            return
        question = _parse(line, f"{path}, line {number}")
        if question.id in first_line:
            raise SourceError(
                f"{path}, line {number}: id {question.id!r} stands in line {first_line[question.id]} already; give each question its own id"
            )
        first_line[question.id] = number
        yield question
    if not first_line:
        raise SourceError(f"{path}: no question found; expected one a line: {_SHAPE}")


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        # utf-8-sig: editors on some systems put a byte order mark in front.
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, line
    except OSError as error:
        raise SourceError(f"cannot read the questions file {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise SourceError(f"{path} is not UTF-8 text ({error.reason} at byte {error.start}); save it as UTF-8") from error


def _parse(line: str, where: str) -> Question:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{where}: not valid JSON ({error}); expected {_SHAPE}") from error
    if not isinstance(record, dict):
        raise SourceError(f"{where}: expected {_SHAPE}, found {type(record).__name__}")
    options = _options(record.get("choices"), where)
    try:
        return Question(
            id=_text(record, "id", where),
            text=_text(record, "question", where),
            docs=tuple(_names(record.get("docs"), where)),
            history=tuple(_turn(turn, where) for turn in _list(record.get("history"), "history", where)),
            form="choice" if options else "open",
            options=options,
        )
    except SettingsError as error:
        raise SourceError(f"{where}: {error}") from error


def _options(value: object, where: str) -> tuple[Option, ...]:
    pairs: list[tuple[object, object]] = []
    if isinstance(value, dict):
        pairs = list(value.items())
    elif value is not None:
        pairs = [(chr(ord("A") + number), text) for number, text in enumerate(_list(value, "choices", where))]
    if any(not isinstance(label, str) or not label.strip() or not isinstance(text, str) or not text.strip() for label, text in pairs):
        raise SourceError(f'{where}: "choices" must be texts by label, or a list of texts, found {value!r:.80}')
    return tuple(Option(str(label), str(text)) for label, text in pairs)


def _text(record: dict[str, Any], key: str, where: str) -> str:
    value = record.get(key)
    if key == "id" and isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip():
        found = "nothing" if value is None else repr(value)[:80]
        raise SourceError(f'{where}: "{key}" must be a text that is not empty, found {found}')
    if not is_encodable(value):
        raise SourceError(f'{where}: "{key}" holds half of a surrogate pair, which is no character; write the file as UTF-8')
    return value


def _list(value: object, key: str, where: str) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise SourceError(f'{where}: "{key}" must be a list, found {type(value).__name__}')
    return value


def _names(value: object, where: str) -> list[str]:
    names = _list(value, "docs", where)
    if any(not isinstance(name, str) or not name.strip() for name in names):
        raise SourceError(f'{where}: "docs" must be a list of document names, found {value!r:.80}')
    return names


def _turn(value: object, where: str) -> Turn:
    if isinstance(value, str):
        return Turn("user", value)
    if isinstance(value, dict):
        # Chat endpoints say role/content, conversation data sets say speaker/text.
        speaker = value.get("speaker", value.get("role"))
        text = value.get("text", value.get("content"))
        if isinstance(speaker, str) and isinstance(text, str):
            return Turn("user" if speaker == "user" else "agent", text)
    raise SourceError(f'{where}: a turn of "history" must be {{"speaker", "text"}} or a text, found {value!r:.80}')
