"""QUESTIONS.jsonl: what is read, and that every complaint names its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from assets_store.errors import SourceError
from docnav_agent.questions import read_questions
from docnav_agent.systems import Option, Question, Turn


def _file(folder: Path, *lines: str) -> Path:
    path = folder / "questions.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_questions_are_read_in_order_with_documents_and_history(tmp_path: Path) -> None:
    path = _file(
        tmp_path,
        '\ufeff{"id": "a", "question": "How?", "docs": ["pump.md"], "answer": "by hand"}',
        "",
        '{"id": 7, "question": "And then?", "docs": null, "history": '
        '[{"speaker": "user", "text": "How?"}, {"role": "assistant", "content": "So."}]}',
    )
    assert read_questions(path) == [
        Question("a", "How?", ("pump.md",)),
        Question("7", "And then?", (), (Turn("user", "How?"), Turn("agent", "So."))),
    ]


def test_choices_are_read_by_label_or_as_a_list(tmp_path: Path) -> None:
    path = _file(
        tmp_path,
        '{"id": "a", "question": "Which?", "choices": {"A": "red", "B": "green"}}',
        '{"id": "b", "question": "Which?", "choices": ["red", "green"]}',
    )
    options = (Option("A", "red"), Option("B", "green"))
    assert read_questions(path) == [Question(name, "Which?", form="choice", options=options) for name in ("a", "b")]


@pytest.mark.parametrize("choices", ['"red"', '["red"]', '{"A": 1, "B": "x"}', '["red", ""]'])
def test_choices_that_are_none_are_named_with_their_line(tmp_path: Path, choices: str) -> None:
    with pytest.raises(SourceError, match="line 1: "):
        read_questions(_file(tmp_path, f'{{"id": "a", "question": "Which?", "choices": {choices}}}'))


def test_reading_stops_at_the_limit_before_later_faults(tmp_path: Path) -> None:
    assert [question.id for question in read_questions(_file(tmp_path, '{"id": "a", "question": "x"}', "{broken"), limit=1)] == ["a"]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{broken", "line 2: not valid JSON"),
        ('"text"', "line 2: expected a JSON object .* found str"),
        ('{"question": "x"}', 'line 2: "id" must be a text that is not empty, found nothing'),
        ('{"id": "b", "question": "  "}', 'line 2: "question" must be a text'),
        ('{"id": "b", "question": ["x"]}', 'line 2: "question" must be a text'),
        ('{"id": true, "question": "x"}', 'line 2: "id" must be a text'),
        ('{"id": "b", "question": "x", "docs": "pump.md"}', 'line 2: "docs" must be a list, found str'),
        ('{"id": "b", "question": "x", "docs": [3]}', 'line 2: "docs" must be a list of document names'),
        ('{"id": "b", "question": "x", "history": [{"text": 3}]}', 'line 2: a turn of "history"'),
        ('{"id": "a", "question": "x"}', "line 2: id 'a' stands in line 1 already"),
        ("[" * 100_000, "line 2: not valid JSON"),
    ],
)
def test_a_bad_line_is_an_error_that_names_it(tmp_path: Path, line: str, complaint: str) -> None:
    with pytest.raises(SourceError, match=complaint):
        read_questions(_file(tmp_path, '{"id": "a", "question": "x"}', line))


def test_missing_empty_and_binary_files_are_errors_of_their_own(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot read the questions file"):
        read_questions(tmp_path / "none.jsonl")
    with pytest.raises(SourceError, match="no question found"):
        read_questions(_file(tmp_path, "", "  "))
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SourceError, match="is not UTF-8 text"):
        read_questions(tmp_path / "binary")
