"""MDA-QA: questions over several papers of a community.

`MDAQA.json` is a list of `{"id", "question", "answer", "support": [arXiv ids]}`. The papers are not part of it: `documents` names a folder
with one file a paper, named by its arXiv id with or without version (`2106.04533v2.pdf`). A question is asked where all its papers are
there; how many were left out is said. Gold names documents only.
"""

from __future__ import annotations

import re
from pathlib import Path

from assets_store.errors import SourceError
from docnav_agent.evaluation.case import Case, Gold
from docnav_agent.evaluation.datasets.base import DataSet, DataSetEntry, cluster_of, distinct, keeps, read_records, text_of
from docnav_agent.evaluation.words import stem
from docnav_agent.systems import Question

HOW = (
    "Get MDAQA.json from https://huggingface.co/datasets/YeloDriver/MDAQA and name it as `path`; get the papers as PDF from arxiv.org, "
    "or as extracted paragraphs from https://huggingface.co/datasets/google/spiqa, and name their folder as `documents`."
)
_VERSION = re.compile(r"v\d+$")


def load(entry: DataSetEntry, work: Path) -> DataSet:
    """Questions of which all papers are in the folder."""
    path = Path(entry.path)
    records = read_records(path, HOW)
    folder = Path(entry.documents)
    if not entry.documents or not folder.is_dir():
        raise SourceError(f"data set {entry.name}: no folder of papers {entry.documents!r}. {HOW}")
    papers = {_VERSION.sub("", stem(file.name)): file.name for file in sorted(folder.rglob("*")) if file.is_file()}
    cases: list[Case] = []
    left_out = 0
    for number, record in enumerate(records, start=1):
        where = f"{path}, entry {number}"
        support = record.get("support")
        if not isinstance(support, list) or not support:
            raise SourceError(f"{where}: expected arXiv ids in 'support', found {support!r:.80}. {HOW}")
        names = [_VERSION.sub("", str(paper)) for paper in support]
        if not keeps(record, entry):
            continue
        if any(name not in papers for name in names):
            left_out += 1
            continue
        question = Question(f"mdaqa-{text_of(record, 'id', where, HOW)}", text_of(record, "question", where, HOW))
        gold = tuple(Gold(papers[name]) for name in dict.fromkeys(names))
        cases.append(
            Case(question, (text_of(record, "answer", where, HOW),), gold, group=question.id, cluster=cluster_of(question.id, (), gold))
        )
    if not cases:
        raise SourceError(f"data set {entry.name}: none of {len(records)} questions has all its papers in {folder}. {HOW}")
    notices = (f"{left_out} of {len(records)} questions need papers that are not in the folder and are not asked",) if left_out else ()
    return DataSet(entry.name, distinct(cases[: entry.limit or None], path), folder, notices)
