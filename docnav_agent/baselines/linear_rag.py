"""LinearRAG: seeds by the entities of a question, sentences as bridges between entities, passages by personalised PageRank.

The passages are our paragraphs with the vectors of the store; entities come from the recogniser of `features.ner_model`, as written and
without bare numbers. Names are looked for in the text without its running number, so that one inserted paragraph changes no other.
Asked with documents, the graph of these documents alone is walked. A question without an entity is answered by the dense ranking.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from assets_store.errors import SettingsError
from assets_store.ids import content_hash
from assets_store.models.entities import EntityRecognizer, Mention, load_recognizer
from assets_store.sentences import split_sentences
from docnav_agent.baselines.parts.kept_vectors import kept_vectors
from docnav_agent.baselines.parts.linear_rag import LinearRag, Passage, Settings
from docnav_agent.baselines.parts.retriever import Retriever, rank_by_search
from docnav_agent.budget import Budget
from docnav_agent.search import Hit, Search
from docnav_agent.systems import Question, Retrieval, System, SystemOptions, read_parameters

NUMBERS = frozenset({"ORDINAL", "CARDINAL"})
CODE = "1"


class Parameters(BaseModel):
    """Defaults are those of the source's code; its settings for 2WikiMultihopQA: ratio 0.05, threshold 0.4."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    iterations: int = Field(3, ge=1, le=10)
    sentences: int = Field(1, ge=1, le=100)
    ratio: float = Field(1.5, ge=0, le=100)
    threshold: float = Field(0.5, ge=0, le=1)
    node_weight: float = Field(0.05, ge=0, le=10)
    damping: float = Field(0.5, ge=0, lt=1)


class LinearRagSystem:
    """The system over a search. Its index is made before the first question, and kept in `options.cache_dir` where that is set."""

    name = "linear-rag"

    def __init__(self, search: Search, options: SystemOptions) -> None:
        self._search = search
        self._options = options
        self._settings = Settings(**read_parameters(self.name, Parameters, options).model_dump())
        self._dense = rank_by_search(search, "dense")
        self._retriever = Retriever(self.name, self._rank, search)
        self._graph_of = lru_cache(maxsize=16)(self._graph)

    def prepare(self) -> None:
        """Find entities and sentences, and encode them. Raises SettingsError where the recogniser is switched off."""
        _ = self._vectors

    def retrieve(self, question: Question, budget: Budget) -> Retrieval:
        return self._retriever.retrieve(question, budget)

    def _rank(self, query: str, scope: Sequence[str] | None, depth: int) -> list[Hit]:
        ids, graph = self._graph_of(None if scope is None else tuple(scope))
        asked = [mention.text for mention in self._recognizer.mentions([query])[0] if mention.label not in NUMBERS]
        seeds = graph.seeds(list(dict.fromkeys(asked)), self._search.encode)
        if not seeds:
            return self._dense(query, scope, depth)
        spread = graph.spread(self._search.encode([query])[0], seeds, self._cosines(query, scope, ids))
        order = sorted(range(len(ids)), key=lambda at: (-round(float(spread.scores[at]), 15), ids[at]))[:depth]
        return [Hit(ids[at], float(spread.scores[at]), {self.name: rank}) for rank, at in enumerate(order, start=1)]

    def _cosines(self, query: str, scope: Sequence[str] | None, ids: Sequence[str]) -> NDArray[np.float64]:
        """Cosine of each passage with the query, float64 [n_passages]."""
        found = {hit.node_id: hit.score for hit in self._dense(query, self._documents if scope is None else scope, len(ids))}
        return np.array([found.get(node_id, 0.0) for node_id in ids])

    def _graph(self, scope: tuple[str, ...] | None) -> tuple[list[str], LinearRag]:
        ids = self._search.graph.paragraph_ids(self._documents if scope is None else scope)
        # The number of a passage is its place among all of them, whichever documents are asked.
        passages = [self._passages[node_id] for node_id in ids]
        return ids, LinearRag(passages, self._vectors, self._settings)

    @cached_property
    def _documents(self) -> list[str]:
        return [node.node_id for node in self._search.graph.documents()]

    @cached_property
    def _recognizer(self) -> EntityRecognizer:
        recognizer = load_recognizer(self._search.graph.settings.features)
        if recognizer is None:
            raise SettingsError("the system linear-rag needs entities, and features.ner_model is 'none'; name a spaCy pipeline")
        return recognizer

    @cached_property
    def _passages(self) -> dict[str, Passage]:
        ids = self._search.graph.paragraph_ids(self._documents)
        texts = [self._search.graph.paragraph(node_id).text for node_id in ids]
        found = self._recognizer.mentions(texts)
        return {
            node_id: passage_of(number, text, mentions)
            for number, (node_id, text, mentions) in enumerate(zip(ids, texts, found, strict=True))
        }

    @cached_property
    def _vectors(self) -> dict[str, NDArray[np.float32]]:
        """Vectors of all entities and sentences, by text."""
        whole = LinearRag(list(self._passages.values()), {})
        texts = list(dict.fromkeys((*whole.entities, *whole.sentences)))
        model = str(self._search.graph.snapshot.manifest["models"].get("encoder", ""))
        key = content_hash(CODE, model, self._recognizer.model_id, *texts, length=32)
        return dict(zip(texts, kept_vectors(self._options.cache_dir, f"linear-rag-{key}", texts, self._search.encode), strict=True))


def passage_of(number: int, text: str, mentions: Sequence[Mention]) -> Passage:
    """A paragraph as the method sees it. number: its place among all paragraphs."""
    named = [mention for mention in mentions if mention.label not in NUMBERS and mention.text.strip()]
    sentences = []
    for sentence in split_sentences(text):
        inside = dict.fromkeys(mention.text for mention in named if sentence.start <= mention.start < sentence.end)
        if inside:
            sentences.append((sentence.text, tuple(inside)))
    return Passage(f"{number}:{text}", tuple(dict.fromkeys(mention.text for mention in named)), tuple(sentences))


def make_system(search: Search, options: SystemOptions) -> System:
    """The baseline over a search."""
    return LinearRagSystem(search, options)
