"""ScholarQABench: questions of scientists, with long answers written by experts from excerpts of papers.

`human_answers.json` of ScholarQA-Multi is a list of `{"id", "input", "output", "ctxs": [{"title", "text"}], "subject"}`. The contexts of
all questions together are the documents, one a line; those of a question are its gold. Contexts without text (two in the release) are
left out, and so are repeats.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assets_store.ids import content_hash
from docnav_agent.evaluation.case import Case, Gold
from docnav_agent.evaluation.datasets.base import DataSet, DataSetEntry, cluster_of, distinct, keeps, read_records, text_of, write_passages
from docnav_agent.systems import Question

HOW = (
    "Get the release with `git clone https://github.com/AkariAsai/ScholarQABench` and name its file "
    "data/scholarqa_multi/human_answers.json as `path`."
)


def load(entry: DataSetEntry, work: Path) -> DataSet:
    """Questions, their answers, and the contexts as documents."""
    path = Path(entry.path)
    records = read_records(path, HOW)
    passages: dict[str, dict[str, str]] = {}
    cases = []
    without = 0
    for number, record in enumerate(records, start=1):
        where = f"{path}, entry {number}"
        contexts = [context for context in _contexts(record) if isinstance(context.get("text"), str) and context["text"].strip()]
        without += len(_contexts(record)) - len(contexts)
        gold = []
        for context in contexts:
            title, text = str(context.get("title") or ""), " ".join(context["text"].split())
            name = f"sq-{content_hash(title, text, length=12)}"
            passages.setdefault(name, {"id": name, "title": " ".join(title.split()), "text": text})
            gold.append(Gold(name, text))
        if keeps(record, entry):
            question = Question(text_of(record, "id", where, HOW), text_of(record, "input", where, HOW))
            answer = text_of(record, "output", where, HOW)
            evidence = tuple(dict.fromkeys(gold))
            cases.append(Case(question, (answer,), evidence, group=question.id, cluster=cluster_of(question.id, (), evidence)))
    notices = (f"{without} contexts without text were left out",) if without else ()
    documents = Path(entry.documents) if entry.documents else write_passages(work / "documents" / entry.name, iter(passages.values()))
    return DataSet(entry.name, distinct(cases[: entry.limit or None], path), documents, notices)


def _contexts(record: dict[str, Any]) -> list[dict[str, Any]]:
    contexts = record.get("ctxs")
    return [context for context in contexts if isinstance(context, dict)] if isinstance(contexts, list) else []
