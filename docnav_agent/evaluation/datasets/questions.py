"""Data sets as QUESTIONS.jsonl: the format of `docnav retrieve`, with gold.

Beside `id`, `question`, `docs`, `history` and `choices` a line may have `answer` (a text, or a list of texts that are all right),
`gold_evidence` (`[{"doc", "text"?, "page"?, "section"?}]`), `unanswerable`, or `answerability` (a label or a list of one), and `options`
(`[{"option", "statement_true"?, "picked"?}]`) where single options are true or false.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from assets_store.errors import SourceError
from docnav_agent.evaluation.case import Case, Gold
from docnav_agent.evaluation.datasets.base import DataSet, DataSetEntry, cluster_of, distinct, keeps
from docnav_agent.evaluation.datasets.options import expanded
from docnav_agent.questions import read_questions
from docnav_agent.systems import Question

_LABELS = {"ANSWERABLE": True, "UNANSWERABLE": False}


def load(entry: DataSetEntry, work: Path) -> DataSet:
    """Questions with their gold."""
    path = Path(entry.path)
    questions = read_questions(path)
    records = [json.loads(line) for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    # Where some questions are said to have no answer in the documents, all others have one; elsewhere it is not known.
    says = any("unanswerable" in record for record in records)
    kept = [(q, record) for q, record in zip(questions, records, strict=True) if keeps(record, entry)]
    made = [_case(q, record, f"{path}, question {q.id}", says, entry) for q, record in kept[: entry.limit or None]]
    cases = expanded(made) if entry.options == "each" else [case for case, _ in made]
    return DataSet(entry.name, distinct(cases, path), Path(entry.documents) if entry.documents else None)


def _case(question: Question, record: dict[str, Any], where: str, says: bool, entry: DataSetEntry) -> tuple[Case, Mapping[str, bool]]:
    gold = tuple(_gold(item, where) for item in _objects(record.get("gold_evidence"), "gold_evidence", where))
    if entry.docs_from_gold and not question.docs:
        question = replace(question, docs=tuple(dict.fromkeys(item.doc for item in gold)))
    answer = record.get("answer")
    answers = [text for text in (answer if isinstance(answer, list) else [answer]) if isinstance(text, str) and text.strip()]
    choice = question.form == "choice"
    labels = {option.label for option in question.options}
    if choice and any(text not in labels for text in answers):
        raise SourceError(f'{where}: "answer" must be a label of "choices" ({", ".join(sorted(labels))}), found {answers!r:.80}')
    options = _objects(record.get("options"), "options", where) if choice else []
    truths = {str(o.get("option")): bool(o["statement_true"]) for o in options if isinstance(o.get("statement_true"), bool)}
    case = Case(
        question,
        references=() if choice else tuple(answers),
        gold=gold,
        answerable=_answerable(record, says),
        right=tuple(answers) if choice else (),
        group=question.id,
        cluster=cluster_of(question.id, question.docs, gold),
    )
    return case, truths


def _answerable(record: dict[str, Any], says: bool) -> bool | None:
    if says:
        return not record.get("unanswerable")
    label = record.get("answerability")
    label = label[0] if isinstance(label, list) and len(label) == 1 else label
    return _LABELS.get(label) if isinstance(label, str) else None


def _gold(item: dict[str, Any], where: str) -> Gold:
    doc, text, page, section = (item.get(key) for key in ("doc", "text", "page", "section"))
    good = isinstance(doc, str) and doc.strip() and isinstance(text, str | None) and isinstance(page, int | None)
    if not good:
        raise SourceError(f'{where}: gold evidence must have "doc", and optionally a "text" and a "page" number, found {item!r:.120}')
    return Gold(str(doc), text or "", page, section if isinstance(section, str) else "")


def _objects(value: object, key: str, where: str) -> list[dict[str, Any]]:
    if value is None:
        return []
    if not isinstance(value, list) or any(not isinstance(item, dict) for item in value):
        raise SourceError(f'{where}: "{key}" must be a list of objects, found {value!r:.80}')
    return value
