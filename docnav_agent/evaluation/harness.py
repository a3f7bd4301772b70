"""Runs a suite: every system on every data set, over the same paragraphs, vectors, prompts and budget; then the report.

    OUT/runs/DATASET/SYSTEM.parquet      what each system did, question by question
    OUT/scores/DATASET/SYSTEM.parquet    what the metrics say to it
    OUT/index/                           what indexing took
    OUT/stores/, OUT/documents/          stores and documents of data sets that name none of their own
    OUT/systems/DATASET/                 what systems keep for themselves
    OUT/evaluation.json, OUT/report.html

A question that is finished is not asked again, also after a kill; one that failed is. A changed question, system, budget, model or
snapshot makes a question unfinished.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assets_store.errors import DocnavError, SettingsError
from assets_store.models.language_model import LanguageModel
from docnav_agent.evaluation.asking import Asking
from docnav_agent.evaluation.case import Case
from docnav_agent.evaluation.datasets import load_data_set
from docnav_agent.evaluation.datasets.base import DataSet, DataSetEntry
from docnav_agent.evaluation.indexing import index_documents, read_json, write_json
from docnav_agent.evaluation.judge import Judge
from docnav_agent.evaluation.kept_rows import KeptRows
from docnav_agent.evaluation.metrics import NEEDS, make_metrics
from docnav_agent.evaluation.ragas_parts import load_ragas
from docnav_agent.evaluation.scoring import Scoring, score_name
from docnav_agent.evaluation.suite import Suite, SystemEntry
from docnav_agent.evaluation.tables import FAILED, OK, RUNS, SCORES, run_row
from docnav_agent.graph import Graph
from docnav_agent.model import EndpointModel
from docnav_agent.search import QueryEncoder, Search

if TYPE_CHECKING:
    from assets_store.models.encoder import TextEncoder

# (what is being done, its size) → called with each part that is finished.
Progress = Callable[[str, int], Callable[[], None]]


def no_progress(what: str, size: int) -> Callable[[], None]:
    """Says nothing."""
    return lambda: None


@dataclass(frozen=True, slots=True)
class PairDone:
    """What came of one system on one data set. asked: questions that were asked now; failed: of all, those that failed or were scored in
    vain, and will be tried again."""

    data_set: str
    system: str
    questions: int
    asked: int
    failed: int


@dataclass(slots=True)
class Harness:
    """A suite and the folder of its results. encoder: for questions; None is that of each store's settings."""

    suite: Suite
    out: Path
    progress: Progress = no_progress
    encoder: QueryEncoder | None = None
    _judge: Judge | None = field(default=None, init=False)

    def run_data_set(self, entry: DataSetEntry, systems: Sequence[SystemEntry]) -> list[PairDone]:
        """Index a data set where that is needed, ask systems its questions, and measure what they did."""
        data_set, search = self.opened(entry)
        scoring = self._scoring(search)
        return [self._run_pair(data_set, search, system, scoring) for system in systems]

    def opened(self, entry: DataSetEntry) -> tuple[DataSet, Search]:
        """A data set, and search over its documents, which are indexed first where the suite names them."""
        data_set = load_data_set(entry, self.out)
        store = entry.store or str(self.out / "stores" / entry.name)
        if data_set.documents is not None:
            index_documents(data_set.documents, store, self.out / "index" / f"{entry.name}.json")
        graph = Graph.open(store)
        # The model that is to be measured must not be helped out by rules.
        settings = graph.settings.model_copy(update={"agent": graph.settings.agent.model_copy(update={"back_off": False})})
        if self.suite.llm.base_url:
            settings = settings.model_copy(update={"llm": self.suite.llm})
        search = Search(Graph(graph.snapshot, settings), self.encoder)
        for case in data_set.cases:
            try:
                search.graph.resolve_documents(case.question.docs)
            except DocnavError as error:
                raise SettingsError(f"data set {entry.name}, question {case.id}: {error}") from error
        return data_set, search

    def _run_pair(self, data_set: DataSet, search: Search, entry: SystemEntry, scoring: Scoring) -> PairDone:
        model: LanguageModel | None = EndpointModel(self.suite.llm) if self.suite.llm.base_url else None
        asking = Asking(search, entry, self.suite, data_set.cases, self.out / "systems" / data_set.name, model)
        place = f"{data_set.name}/{entry.name}"
        with KeptRows(self.out / "runs" / f"{place}.parquet", RUNS, lambda row: str(row["question_id"])) as runs:
            asked = self._ask(place, asking, data_set.cases, runs)
            rows = runs.rows
        scores_path = self.out / "scores" / f"{place}.parquet"
        with KeptRows(scores_path, SCORES, lambda row: score_name(row["question_id"], row["metric"])) as scores:
            tick = self.progress(f"{place}: scores", len(data_set.cases) * len(scoring.metrics))
            scoring.score(data_set.cases, rows, scores, tick)
            in_vain = {row["question_id"] for row in scores.rows.values() if row["status"] == FAILED}
        write_json(self.out / "systems" / f"{place}.json", self._facts(asking, entry))
        names = {case.id for case in data_set.cases}
        failed = {name for name in names if rows[name]["status"] == FAILED} | (in_vain & names)
        return PairDone(data_set.name, entry.name, len(names), asked, len(failed))

    def _ask(self, place: str, asking: Asking, cases: Sequence[Case], runs: KeptRows) -> int:
        """Ask what is not finished; how many were asked."""
        keys = {case.id: asking.key(case) for case in cases}
        todo = [case for case in cases if not _is_done(runs.rows.get(case.id), keys[case.id])]
        if not todo:
            return 0
        begun = time.monotonic()
        asking.prepare()
        kept = self.out / "systems" / f"{place}.index.json"
        if not kept.exists():
            write_json(kept, {"seconds": round(time.monotonic() - begun, 3)})
        tick = self.progress(place, len(todo))
        for case in todo:
            earlier = runs.rows.get(case.id)
            tries = 1 + (earlier["tries"] if earlier is not None and earlier["key"] == keys[case.id] else 0)
            runs.add(run_row(case.id, keys[case.id], tries, asking.ask(case)))
            tick()
        return len(todo)

    def _facts(self, asking: Asking, entry: SystemEntry) -> dict[str, Any]:
        return {"kind": entry.system, "controller": asking.controller, "model": asking.model_name, "notice": asking.notice}

    def _scoring(self, search: Search) -> Scoring:
        metrics = make_metrics(self.suite.metric_names, self.suite.metrics.settings())
        if {"correctness", "faithfulness"} & set(self.suite.metric_names):
            load_ragas()  # what is not installed is said before the first question
        if any("judge" in NEEDS[metric.name] for metric in metrics) and self._judge is None:
            self._judge = Judge(self.suite.judge)
        if not self.suite.metrics.encoder:
            models = search.graph.snapshot.manifest["models"]
            return Scoring(metrics, search.encode, str(models.get("encoder", "")), self._judge)
        encoder = self._load(self.suite.metrics.encoder, search)
        return Scoring(metrics, lambda texts: encoder.encode(list(texts)).vectors, encoder.model_id, self._judge)

    @staticmethod
    def _load(name: str, search: Search) -> TextEncoder:
        from assets_store.models.encoder import load_encoder

        return load_encoder(search.graph.settings.embeddings.model_copy(update={"model": name}))

    def index_costs(self, data_set: str) -> dict[str, Any]:
        """What each stage of indexing took; empty where the store was indexed elsewhere."""
        return read_json(self.out / "index" / f"{data_set}.json")

    def facts(self, data_set: str, system: str) -> dict[str, Any]:
        """How a system ran on a data set, and seconds that its own index took."""
        place = self.out / "systems" / data_set
        return {**read_json(place / f"{system}.json"), "index_seconds": read_json(place / f"{system}.index.json").get("seconds")}


def _is_done(row: dict[str, Any] | None, key: str) -> bool:
    return row is not None and row["key"] == key and row["status"] == OK
