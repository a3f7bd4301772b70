"""Routing profiles of the scopes in R_d, made by taking sentences from the text: no model is called."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl

from assets_store.models.encoder import Vectors
from assets_store.rows import empty_rows
from assets_store.schemas import ROUTING_PROFILES
from assets_store.sentences import one_line, split_sentences
from assets_store.settings import ProfileSettings
from docnav_pipeline.transforms.embeddings import vector_matrix
from docnav_pipeline.transforms.node_rows import NodeRows, Rows, rows_of

_SCHEMA = empty_rows(ROUTING_PROFILES, without=["doc_version"]).schema
_CONCEPTS = 12
# Paragraphs per summary sentence that are read: the most central ones, so that a book costs as little as a chapter.
_PARAGRAPHS_PER_SENTENCE = 4
# A scope says at its start what it is about.
_OPENING_PARAGRAPHS, _OPENING_BONUS = 2, 0.05
_FIRST_SENTENCE_BONUS = 1.2
# Tables and listings are read only where a scope holds nothing else.
_NO_PROSE_PENALTY = 2.0
_MIN_CHARACTERS, _MIN_CJK_CHARACTERS, _MAX_CHARACTERS = 40, 12, 400
_MIN_LETTERS = 0.6
# Two sentences that share more of their terms than this say the same.
_MAX_OVERLAP = 0.6
_CHUNK = 16_384
_NO_LETTER = re.compile(r"[^\w ]|[\d_]")
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_BULLET = re.compile(r"^[-*•▪‣–—·]\s+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def build_routing_profiles(tree: pl.DataFrame, paragraphs: pl.DataFrame, profiles: pl.DataFrame, settings: ProfileSettings) -> pl.DataFrame:
    """Rows of `routing_profiles` (without doc_version), one per node in R_d, in the order of the tree rows.

    tree: doc_id, node_id, parent_id, kind, title, position, preorder, in_R of whole documents. paragraphs: paragraph_id, kind, text.
    profiles: node_id, vector, keywords, entities, topic_cues of all nodes.

    summary: sentences, word for word, from the paragraphs nearest to the scope's vector that hold most of its terms, in reading
    order. key_concepts: heaviest keywords and entities. subtopics: titles of the child sections.
    """
    nodes = NodeRows.of(tree)
    chosen = np.flatnonzero(tree["in_R"].to_numpy())
    where = rows_of(nodes.ids, profiles["node_id"])
    if (where[chosen] < 0).any():
        lost = nodes.ids[int(chosen[where[chosen] < 0][0])]
        raise ValueError(f"profiles: node {lost!r} of the tree has no profile; expected one per node")
    central = _central_paragraphs(nodes, tree, paragraphs, profiles, settings.summary_sentences * _PARAGRAPHS_PER_SENTENCE)
    at = rows_of(nodes.ids, paragraphs["paragraph_id"])
    with_sections = set(nodes.parent[(tree["kind"] == "section").to_numpy()].tolist())
    scopes = profiles.select("keywords", "entities", "topic_cues").gather(where[chosen])
    rows: list[dict[str, Any]] = []
    for row, keywords, entities, cues in zip(chosen.tolist(), *scopes.get_columns(), strict=True):
        weights = {entry["term"]: float(entry["weight"]) for entry in keywords}
        texts = [paragraphs["text"][int(at[below])] for below in central.get(row, [])]
        rows.append(
            {
                "doc_id": tree["doc_id"][row],
                "node_id": nodes.ids[row],
                "summary": summarise(texts, weights, settings.summary_sentences),
                "key_concepts": _concepts(keywords, entities),
                "subtopics": cues if row in with_sections else [],
                "made_by": "extractive",
                "model": "",
                "prompt_version": "",
                "prompt_tokens": 0,
                "completion_tokens": 0,
            }
        )
    return pl.DataFrame(rows, schema=_SCHEMA)


@dataclass(frozen=True, slots=True)
class _Candidate:
    score: float
    paragraph: int
    sentence: int
    text: str
    terms: frozenset[str]


def summarise(texts: Sequence[str], weights: Mapping[str, float], n_sentences: int) -> str:
    """At most n_sentences sentences of some texts, in their order, joined by spaces; "" for no text.

    A sentence weighs what its different terms weigh, over the root of its length; weights: term -> weight. A second sentence from the
    same text, or one that says the same, is taken only when no other is left. Where no sentence reads like prose, the beginning of
    the first text stands in.
    """
    candidates = [c for i, text in enumerate(texts) for c in _candidates(i, text, weights)]
    candidates.sort(key=lambda c: (-c.score, c.paragraph, c.sentence))
    taken: list[_Candidate] = []
    for strict in (True, False):
        for candidate in candidates:
            if len(taken) == n_sentences:
                break
            if candidate in taken or any(candidate.text == other.text for other in taken):
                continue
            repeats = any(c.paragraph == candidate.paragraph or _overlap(c.terms, candidate.terms) > _MAX_OVERLAP for c in taken)
            if not (strict and repeats):
                taken.append(candidate)
    if not taken:
        start = one_line(texts[0]) if texts else ""
        return (
            start
            if len(start) <= _MAX_CHARACTERS // 2
            else start[: _MAX_CHARACTERS // 2].rpartition(" ")[0] or start[: _MAX_CHARACTERS // 2]
        )
    return " ".join(c.text for c in sorted(taken, key=lambda c: (c.paragraph, c.sentence)))


@dataclass(frozen=True, slots=True)
class _Sentence:
    """line, folded: on one line, as printed and casefolded. length: words, or half the characters of Chinese and the like."""

    number: int
    line: str
    folded: str
    words: frozenset[str]
    length: float


# A paragraph is read for each scope above it, soon one after the other; one takes up to 30 KiB.
@lru_cache(maxsize=1024)
def _sentences(text: str) -> tuple[_Sentence, ...]:
    """Sentences of a text that read like prose and are neither very short nor very long."""
    found = []
    for number, sentence in enumerate(split_sentences(text)):
        line = _BULLET.sub("", one_line(sentence.text))
        cjk = len(_CJK.findall(line)) * 2 > len(line)
        if not (_MIN_CJK_CHARACTERS if cjk else _MIN_CHARACTERS) <= len(line) <= _MAX_CHARACTERS or " | " in line:
            continue
        if len(line) - len(_NO_LETTER.findall(line)) >= _MIN_LETTERS * len(line):
            words = _WORD.findall(line.casefold())
            found.append(_Sentence(number, line, line.casefold(), frozenset(words), len(line) / 2 if cjk else len(words)))
    return tuple(found)


def _candidates(paragraph: int, text: str, weights: Mapping[str, float]) -> list[_Candidate]:
    # Phrases and terms of scripts without spaces are looked for inside the sentence, words among its words.
    inside = [t for t in weights if " " in t or _CJK.search(t)]
    found = []
    for sentence in _sentences(text):
        terms = sentence.words & weights.keys() | {t for t in inside if t in sentence.folded}
        first = _FIRST_SENTENCE_BONUS if sentence.number == 0 else 1.0
        score = sum(weights[t] for t in sorted(terms)) / math.sqrt(max(sentence.length, 8.0)) * first
        found.append(_Candidate(score, paragraph, sentence.number, sentence.line, frozenset(terms)))
    return found


def _overlap(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / len(a | b) if a or b else 0.0


def _concepts(keywords: Sequence[Mapping[str, Any]], entities: Sequence[Mapping[str, Any]]) -> list[str]:
    """Heaviest keywords and entities in turn, each name once whatever its case."""
    found: dict[str, str] = {}
    for i in range(max(len(keywords), len(entities))):
        for entry in (*keywords[i : i + 1], *entities[i : i + 1]):
            found.setdefault(entry["term"].casefold(), entry["term"])
    return list(found.values())[:_CONCEPTS]


def _central_paragraphs(
    nodes: NodeRows, tree: pl.DataFrame, paragraphs: pl.DataFrame, profiles: pl.DataFrame, limit: int
) -> dict[int, list[int]]:
    """Rows of the paragraphs nearest to each scope of R_d, at most `limit`, in reading order, by the scope's row."""
    lower, upper = nodes.pairs_with_ancestors(np.flatnonzero((tree["kind"] == "paragraph").to_numpy()), with_self=False)
    kept = tree["in_R"].to_numpy()[upper]
    lower, upper = lower[kept], upper[kept]
    matrix, held = vector_matrix(profiles["vector"])
    vector_of = np.full(profiles.height + 1, -1, np.int64)
    vector_of[held] = np.arange(len(held))
    rows = vector_of[rows_of(nodes.ids, profiles["node_id"])]
    similarity = _dots(matrix, rows[lower], rows[upper])
    kinds = paragraphs["kind"].gather(rows_of(nodes.ids.gather(lower), paragraphs["paragraph_id"]))
    pairs = pl.DataFrame({"scope": upper, "paragraph": lower, "similarity": similarity, "kind": kinds}).with_columns(
        preorder=tree["preorder"].gather(lower)
    )
    best = (
        pairs.with_columns(rank=pl.col("preorder").rank("ordinal").over("scope"))
        .with_columns(
            score=pl.col("similarity")
            + pl.when(pl.col("rank") <= _OPENING_PARAGRAPHS).then(_OPENING_BONUS).otherwise(0.0)
            - pl.when(pl.col("kind") == "text").then(0.0).otherwise(_NO_PROSE_PENALTY)
        )
        .sort("scope", "score", "preorder", descending=[False, True, False])
        .group_by("scope", maintain_order=True)
        .head(limit)
        .sort("scope", "preorder")
        .group_by("scope", maintain_order=True)
        .agg("paragraph")
    )
    return dict(best.iter_rows())


def _dots(matrix: Vectors, a: Rows, b: Rows) -> Vectors:
    """Dot products of pairs of rows, float32 [n_pairs], in pieces that bound memory."""
    out = np.empty(len(a), np.float32)
    for start in range(0, len(a), _CHUNK):
        part = slice(start, start + _CHUNK)
        out[part] = np.einsum("ij,ij->i", matrix[a[part]], matrix[b[part]])
    return out
