"""LinearRAG's graph of passages and entities, and how a question walks it: entities, sentences, passages.

Written from the description of the method in breadth-first form; no relation is extracted and no language model called. Entities count as
they are written. A sentence belongs to the entities in it and is no node. Source: Zhuang et al., LinearRAG, arXiv 2510.10114.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docnav_agent.baselines.parts.propagation import personalized_pagerank

Encode = Callable[[Sequence[str]], NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Settings:
    """iterations: rounds of activation and one more. sentences: taken per entity and round.

    ratio: weight of the dense score in the prior of a passage. threshold: activation below it goes no further. node_weight: of the
    priors beside entities. damping: of the PageRank.
    """

    iterations: int = 3
    sentences: int = 1
    ratio: float = 1.5
    threshold: float = 0.5
    node_weight: float = 0.05
    damping: float = 0.5


@dataclass(frozen=True, slots=True)
class Passage:
    """text: with its running number in front. entities: strings as written, each once, in order. sentences: (text, its entities), those
    without an entity left out."""

    text: str
    entities: tuple[str, ...]
    sentences: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Activation:
    """How a question was spread. active: entity → (score, round in which it was reached last, from 1). weights: of entities in the reset.

    priors, scores: float64 [n_passages]; scores are those of the PageRank.
    """

    active: dict[str, tuple[float, int]]
    weights: dict[str, float]
    priors: NDArray[np.float64]
    scores: NDArray[np.float64]


@dataclass
class LinearRag:
    """The graph of some passages in reading order. vectors: of entities and of sentences, by text, rows of length 1."""

    passages: Sequence[Passage]
    vectors: Mapping[str, NDArray[np.float32]]
    settings: Settings = field(default_factory=Settings)

    @cached_property
    def entities(self) -> list[str]:
        """Entities in code point order."""
        return sorted({name for passage in self.passages for name in passage.entities})

    @cached_property
    def sentences(self) -> dict[str, tuple[str, ...]]:
        """Sentence → its entities; equal sentences are one."""
        found: dict[str, dict[str, None]] = {}
        for passage in self.passages:
            for text, names in passage.sentences:
                found.setdefault(text, {}).update(dict.fromkeys(names))
        return {text: tuple(names) for text, names in found.items()}

    def seeds(self, asked: Sequence[str], encode: Encode) -> dict[str, float]:
        """Nearest entity of each name in a question, in lower case, with its cosine; none where there are no entities."""
        if not asked or not self.entities:
            return {}
        found = encode([name.lower() for name in asked]) @ self._matrix(self.entities).T
        return {self.entities[int(row.argmax())]: float(row.max()) for row in found}

    def spread(self, question: NDArray[np.float32], seeds: Mapping[str, float], dense: NDArray[np.float64]) -> Activation:
        """Walk from seeds. question: its vector, of length 1. dense: float64 [n_passages], cosine of each passage with it."""
        active, weights = self._activate(question, seeds)
        priors = self._priors(active, dense)
        reset = np.array([*(weights.get(name, 0.0) for name in self.entities), *priors])
        scores = personalized_pagerank(self._weights, reset, self.settings.damping)
        return Activation(active, weights, priors, scores[len(self.entities) :])

    # -- inside

    def _activate(self, question: NDArray[np.float32], seeds: Mapping[str, float]) -> tuple[dict[str, tuple[float, int]], dict[str, float]]:
        settings = self.settings
        weights = dict(seeds)
        active = {name: (score, 1) for name, score in seeds.items()}
        current = dict(active)
        used: set[str] = set()
        for tier in range(2, settings.iterations + 1):
            reached: dict[str, tuple[float, int]] = {}
            for name, (score, _) in current.items():
                if score < settings.threshold:
                    continue
                for cosine, sentence in self._nearest(question, name, used):
                    used.add(sentence)
                    for other in self.sentences[sentence]:
                        passed_on = score * cosine
                        if passed_on >= settings.threshold:
                            weights[other] = weights.get(other, 0.0) + passed_on
                            reached[other] = (passed_on, tier)
            # What is reached again loses its earlier round and score, also a seed; its weight is the sum.
            active.update(reached)
            current = reached
        return active, weights

    def _nearest(self, question: NDArray[np.float32], name: str, used: set[str]) -> list[tuple[float, str]]:
        """Sentences of an entity that are nearest to the question and not used yet, nearest first."""
        fresh = [text for text in self._sentences_of.get(name, ()) if text not in used]
        if not fresh:
            return []
        cosines = (self._matrix(fresh) @ question).tolist()
        order = sorted(range(len(fresh)), key=lambda at: (-cosines[at], at))
        return [(cosines[at], fresh[at]) for at in order[: self.settings.sentences]]

    def _priors(self, active: Mapping[str, tuple[float, int]], dense: NDArray[np.float64]) -> NDArray[np.float64]:
        spread = float(np.ptp(dense)) if len(dense) else 0.0
        scaled = (dense - dense.min()) / spread if spread > 0 else np.zeros(len(dense))
        bonus = np.zeros(len(dense))
        for name, (score, tier) in active.items():
            counts = np.array([text.count(name.lower()) for text in self._lower])
            bonus += score * np.log1p(counts) / tier
        return np.asarray(self.settings.node_weight * (self.settings.ratio * scaled + np.log1p(bonus)), dtype=np.float64)

    def _matrix(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([self.vectors[text] for text in texts], dtype=np.float32)

    @cached_property
    def _lower(self) -> list[str]:
        return [passage.text.lower() for passage in self.passages]

    @cached_property
    def _sentences_of(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for text, names in self.sentences.items():
            for name in names:
                found.setdefault(name, []).append(text)
        return found

    @cached_property
    def _weights(self) -> Any:
        """Symmetric weights, entities first, then passages: share of an entity in the mentions of a passage, and 1 between neighbours."""
        from scipy.sparse import coo_array

        number = {name: at for at, name in enumerate(self.entities)}
        first = len(number)
        edges: list[tuple[int, int, float]] = []
        for at, passage in enumerate(self.passages):
            counts = [passage.text.count(name) for name in passage.entities]
            total = sum(counts)
            edges += [(number[name], first + at, n / total) for name, n in zip(passage.entities, counts, strict=True) if n]
            if at:
                edges.append((first + at - 1, first + at, 1.0))
        size = first + len(self.passages)
        rows, columns, values = (np.array([edge[part] for edge in edges]) for part in range(3))
        half = coo_array((values, (rows.astype(np.int64), columns.astype(np.int64))), shape=(size, size))
        return (half + half.T).tocsr()
