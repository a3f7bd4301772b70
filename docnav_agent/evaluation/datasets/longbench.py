"""LongBench v2: hard multiple-choice questions, each over a long text of its own.

`data.json` is a list of `{"_id", "domain", "sub_domain", "difficulty", "length", "question", "choice_A".."choice_D", "answer", "context"}`.
`subset` takes the user guides or the government documents. Each context becomes a text file, and its question is asked of that file
alone. In the option-level form an option is true where it is the answer; for a question that asks which option is wrong, the release
does not say which statements are true, so such a question counts its answer as the true one.
"""

from __future__ import annotations

from pathlib import Path

from assets_store.errors import SettingsError, SourceError
from docnav_agent.evaluation.case import Case
from docnav_agent.evaluation.datasets.base import (
    DataSet,
    DataSetEntry,
    distinct,
    keeps,
    read_records,
    safe_name,
    text_of,
    write_texts,
)
from docnav_agent.evaluation.datasets.options import expanded
from docnav_agent.systems import Option, Question

HOW = "Get data.json from https://huggingface.co/datasets/zai-org/LongBench-v2 and name it as `path`."
LABELS = "ABCD"
# Subset → value of `sub_domain`, without case.
SUBSETS = {"userguide": "user guide qa", "gov": "governmental"}


def load(entry: DataSetEntry, work: Path) -> DataSet:
    """Questions of a subset, each with its text as document."""
    if entry.subset and entry.subset not in SUBSETS:
        raise SettingsError(f"data set {entry.name}: unknown subset {entry.subset!r}; expected one of: {', '.join(SUBSETS)}")
    path = Path(entry.path)
    cases, texts = [], []
    for number, record in enumerate(read_records(path, HOW), start=1):
        domain = str(record.get("sub_domain", "")).strip().casefold()
        if not keeps(record, entry) or (entry.subset and domain != SUBSETS[entry.subset]):
            continue
        where = f"{path}, entry {number}"
        name = safe_name(f"lb2-{text_of(record, '_id', where, HOW)}")
        answer = text_of(record, "answer", where, HOW)
        if answer not in LABELS or len(answer) != 1:
            raise SourceError(f"{where}: expected one of {', '.join(LABELS)} in 'answer', found {answer!r:.20}. {HOW}")
        options = tuple(Option(label, text_of(record, f"choice_{label}", where, HOW)) for label in LABELS)
        question = Question(name, text_of(record, "question", where, HOW), (f"{name}.txt",), form="choice", options=options)
        cases.append(Case(question, right=(answer,), group=name, cluster=name))
        texts.append((name, text_of(record, "context", where, HOW)))
    cases, texts = cases[: entry.limit or None], texts[: entry.limit or None]
    documents = Path(entry.documents) if entry.documents else write_texts(work / "documents" / entry.name, iter(texts))
    asked = expanded((case, {}) for case in cases) if entry.options == "each" else cases
    return DataSet(entry.name, distinct(asked, path), documents)
