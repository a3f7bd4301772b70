"""Data sets of all formats come into one form; what is missing or wrong says how to get it right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assets_store.errors import SettingsError, SourceError
from docnav_agent.evaluation.case import Gold
from docnav_agent.evaluation.datasets import load_data_set
from docnav_agent.evaluation.datasets.base import DataSet, DataSetEntry
from docnav_agent.systems import Turn

CHOICES = {"A": "Blue", "B": "Red"}


def load(path: Path, format: str, records: Any, **more: Any) -> DataSet:
    if isinstance(records, list) and format == "questions":
        path.write_text("".join(json.dumps(record) + "\n\n" for record in records))
    else:
        path.write_text(json.dumps(records))
    return load_data_set(DataSetEntry(name="set", format=format, path=str(path), **more), path.parent / "work")


def test_lines_of_questions_keep_history_gold_and_answers(tmp_path: Path) -> None:
    gold = [{"doc": "a.pdf", "text": None, "page": 3}, {"doc": "b", "text": "30 days", "section": "Notice", "start": 4}]
    first = {
        "id": 1,
        "question": "How long?",
        "answer": ["30 days", ""],
        "gold_evidence": gold,
        "history": [{"speaker": "user", "text": "Hi"}],
    }
    records = [first, {"id": "q2", "question": "Who?", "answer": "", "docs": ["a.pdf"], "unanswerable": True}]
    made = load(tmp_path / "q.jsonl", "questions", records, documents=str(tmp_path))
    one, two = made.cases
    assert one.references == ("30 days",)
    assert one.gold == (Gold("a.pdf", "", 3), Gold("b", "30 days", None, "Notice"))
    assert one.question.history == (Turn("user", "Hi"),)
    assert (one.answerable, two.answerable) == (True, False)
    assert (one.cluster, two.cluster) == ("a+b", "a")
    assert (two.references, two.located) == ((), ())
    assert made.documents == tmp_path
    assert load(tmp_path / "q.jsonl", "questions", [first]).cases[0].answerable is None
    limited = load(tmp_path / "q.jsonl", "questions", records, limit=1, docs_from_gold=True)
    assert [case.question.docs for case in limited.cases] == [("a.pdf", "b")]
    assert limited.fingerprint != made.fingerprint == load(tmp_path / "q.jsonl", "questions", records).fingerprint
    labels = [{"id": name, "question": "?", "answerability": [name]} for name in ("ANSWERABLE", "UNANSWERABLE", "PARTIAL")]
    assert [case.answerable for case in load(tmp_path / "q.jsonl", "questions", labels).cases] == [True, False, None]


def test_options_become_questions_of_their_own_with_the_truth_of_the_statement(tmp_path: Path) -> None:
    options = [{"option": "A", "picked": True, "statement_true": False}, {"option": "B", "picked": False, "statement_true": True}]
    records: list[dict[str, Any]] = [
        {"id": "not", "question": "Which is not a colour of it?", "choices": CHOICES, "answer": "A", "options": options, "length": "short"},
        {"id": "plain", "question": "Which colour?", "choices": CHOICES, "answer": "A", "length": "short"},
        {"id": "open", "question": "Why?", "answer": "So.", "length": "short"},
        {"id": "long", "question": "Why?", "length": "long"},
    ]
    whole = load(tmp_path / "q.jsonl", "questions", records, where={"length": "short"})
    assert [(case.id, case.right, case.question.form) for case in whole.cases] == [
        ("not", ("A",), "choice"), ("plain", ("A",), "choice"), ("open", (), "open"),
    ]  # fmt: skip
    each = load(tmp_path / "q.jsonl", "questions", records, where={"length": "short"}, options="each").cases
    assert [(case.id, case.group, case.truth) for case in each] == [
        ("not#A", "not", False), ("not#B", "not", True), ("plain#A", "plain", True), ("plain#B", "plain", False), ("open", "open", None),
    ]  # fmt: skip
    assert each[0].question.options[0].text == "Blue"
    assert {case.question.form for case in each[:4]} == {"true_false"}
    with pytest.raises(SourceError, match=r"question plain: \"answer\" must be a label of \"choices\" \(A, B\)"):
        load(tmp_path / "q.jsonl", "questions", [{**records[1], "answer": "C"}])


def test_scholarqabench_contexts_become_documents_and_gold(tmp_path: Path) -> None:
    contexts = [
        {"title": "On pumps", "text": "Pumps\nrun."},
        {"title": "On pumps", "text": "Pumps run."},
        {"title": "T", "text": float("nan")},
    ]
    records = [
        {"id": "bio_1", "input": "How?", "output": "They run [0].", "ctxs": contexts, "subject": "bio"},
        {"id": "cs_1", "input": "Why?", "output": "So.", "ctxs": [{"title": "../x", "text": "Other."}], "subject": "cs"},
    ]
    made = load(tmp_path / "human_answers.json", "scholarqabench", records, where={"subject": "bio"})
    (case,) = made.cases
    assert case.references == ("They run [0].",)
    assert [gold.text for gold in case.gold] == ["Pumps run."]
    assert made.notices == ("1 contexts without text were left out",)
    assert made.documents is not None
    lines = [json.loads(line) for line in (made.documents / "passages.jsonl").read_text().splitlines()]
    assert [(line["title"], line["text"]) for line in lines] == [("On pumps", "Pumps run."), ("../x", "Other.")]
    assert case.gold[0].doc == lines[0]["id"]


def test_mdaqa_asks_what_the_papers_at_hand_can_answer(tmp_path: Path) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    for name in ("2106.04533v2.pdf", "2106.12620.pdf"):
        (papers / name).touch()
    records = [
        {"id": 0, "question": "Which?", "answer": "Both.", "support": ["2106.04533", "2106.12620v1"]},
        {"id": 1, "question": "Which?", "answer": "Both.", "support": ["2106.04533", "9999.00001"]},
    ]
    made = load(tmp_path / "MDAQA.json", "mdaqa", records, documents=str(papers))
    assert [(case.id, [gold.doc for gold in case.gold]) for case in made.cases] == [("mdaqa-0", ["2106.04533v2.pdf", "2106.12620.pdf"])]
    assert made.cases[0].located == ()
    assert made.cases[0].gold_documents
    assert made.notices == ("1 of 2 questions need papers that are not in the folder and are not asked",)
    with pytest.raises(SourceError, match=r"none of 1 questions has all its papers in .* arxiv\.org"):
        load(tmp_path / "MDAQA.json", "mdaqa", records[1:], documents=str(papers))
    with pytest.raises(SourceError, match="no folder of papers ''"):
        load(tmp_path / "MDAQA.json", "mdaqa", records)


def test_longbench_asks_each_question_of_its_own_text(tmp_path: Path) -> None:
    record: dict[str, Any] = {
        "_id": "../66f9", "domain": "Long In-context Learning", "sub_domain": "User guide QA", "difficulty": "easy", "length": "short",
        "question": "Which?", **{f"choice_{label}": f"Text {label}" for label in "ABCD"}, "answer": "B", "context": "Press the key.",
    }  # fmt: skip
    other = {**record, "_id": "gov", "sub_domain": "Governmental"}
    made = load(tmp_path / "data.json", "longbench-v2", [record, other], subset="userguide")
    (case,) = made.cases
    assert made.documents is not None
    (text,) = made.documents.iterdir()
    assert text.read_text() == "Press the key."
    assert case.question.docs == (text.name,) == ("lb2-..-66f9.txt",)
    assert (case.right, len(case.question.options)) == (("B",), 4)
    before = text.stat().st_mtime_ns
    each = load(tmp_path / "data.json", "longbench-v2", [record, other], subset="userguide", options="each")
    assert [case.truth for case in each.cases] == [False, True, False, False]
    assert text.stat().st_mtime_ns == before
    with pytest.raises(SettingsError, match="unknown subset 'guide'; expected one of: userguide, gov"):
        load(tmp_path / "data.json", "longbench-v2", [record], subset="guide")
    with pytest.raises(SourceError, match="no question is left"):
        load(tmp_path / "data.json", "longbench-v2", [record], subset="gov")


@pytest.mark.parametrize(
    ("format", "records", "message"),
    [
        ("scholarqabench", None, r"no file .*git clone https://github\.com/AkariAsai/ScholarQABench"),
        ("mdaqa", None, r"no file .*huggingface\.co/datasets/YeloDriver/MDAQA"),
        ("longbench-v2", None, r"no file .*huggingface\.co/datasets/zai-org/LongBench-v2"),
        ("questions", None, "cannot read the questions file"),
        ("scholarqabench", [], "it is empty"),
        ("scholarqabench", ["x"], "entry 1 is no object"),
        ("scholarqabench", [{"id": "a", "input": " ", "output": "x"}], "entry 1: expected a text in 'input'"),
        ("longbench-v2", [{"_id": "a", "answer": "E"}], "expected one of A, B, C, D in 'answer'"),
        ("mdaqa", [{"id": 0}], "expected arXiv ids in 'support'"),
        ("questions", [{"id": "a", "question": "?", "gold_evidence": [{"text": "x"}]}], 'gold evidence must have "doc"'),
        ("questions", [{"id": "a", "question": "?", "gold_evidence": "x"}], '"gold_evidence" must be a list'),
    ],
)
def test_what_is_missing_or_wrong_is_named_with_the_way_to_mend_it(tmp_path: Path, format: str, records: Any, message: str) -> None:
    path = tmp_path / "release.json"
    if records is not None:
        lines = format == "questions"
        path.write_text("".join(json.dumps(record) + "\n" for record in records) if lines else json.dumps(records))
    documents = str(tmp_path) if format == "mdaqa" else ""
    entry = DataSetEntry(name="set", format=format, path=str(path), documents=documents)
    with pytest.raises(SourceError, match=message):
        load_data_set(entry, tmp_path / "work")


def test_an_unknown_format_lists_those_that_exist(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"unknown format 'longbench' \(nearest: 'longbench-v2'\); expected one of: questions,"):
        load_data_set(DataSetEntry(name="set", format="longbench", path="x"), tmp_path)
