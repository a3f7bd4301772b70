"""A store of very many paragraphs with what readers open: real sentences in new order, real vectors with noise."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assets_store.ids import shard_key
from assets_store.models.encoder import unit_rows
from assets_store.rows import empty_rows
from assets_store.schemas import TABLES
from assets_store.sentences import one_line, split_sentences
from assets_store.settings import Settings
from assets_store.store import Store
from docnav_pipeline.transforms.embeddings import vector_column
from docnav_pipeline.transforms.search_indexes import ShardRows, build_search_indexes

SECTIONS, PER_SECTION = 10, 10
_SENTENCES = 7
# Edges of a paragraph beside the one to its next.
_EDGES = 4
# Made vectors lie between a real one and one of its nearest, with a little noise: in 4,000 of them the median cosine to the nearest is .960
# (real texts .963), to the tenth .80 (.72), and the local dimension 3.7 (3.1). With noise of .5 and any second text it is 11.
_NEAR, _NOISE = 10, 0.2


def sentences_by_document(folder: Path) -> list[list[str]]:
    """Sentences of 40 to 300 characters of each text file in a folder, of the files that have enough of them."""
    found = []
    for path in sorted(p for p in folder.rglob("*") if p.suffix in (".txt", ".md")):
        sentences = [one_line(s.text) for s in split_sentences(path.read_text(encoding="utf-8", errors="replace"))]
        kept = [s for s in sentences if 40 <= len(s) <= 300]
        if len(kept) >= _SENTENCES:
            found.append(kept)
    return found


class Vectors:
    """Made unit vectors that cluster as given real ones do. real: float32 [n, dim], rows of length 1."""

    def __init__(self, real: NDArray[np.float32], seed: int = 13) -> None:
        self._real = real
        self._random = np.random.default_rng(seed)
        cosines = real @ real.T
        np.fill_diagonal(cosines, -1)
        self._nearest = np.argpartition(-cosines, _NEAR, axis=1)[:, :_NEAR]

    def draw(self, n: int) -> NDArray[np.float32]:
        """float32 [n, dim]."""
        random, dim = self._random, self._real.shape[1]
        first = random.integers(0, len(self._real), n)
        second = self._nearest[first, random.integers(0, _NEAR, n)]
        noise = random.standard_normal((n, dim), dtype=np.float32) / np.float32(np.sqrt(dim))
        mixed = self._real[first] + random.random((n, 1), np.float32) * self._real[second] + np.float32(_NOISE) * noise
        return unit_rows(np.asarray(mixed, np.float32))


def make_store(
    folder: Path, n_paragraphs: int, sources: list[list[str]], vectors: NDArray[np.float32], model: str, settings: Settings
) -> None:
    """A store with one snapshot whose search indexes hold so many paragraphs; its tables are empty. vectors: of real texts, by `model`."""
    store = Store.create(folder, settings)
    with store.files.scratch() as scratch:
        shards = _shards(n_paragraphs, sources, Vectors(vectors), model, settings.shards)
        communities, edges = (empty_rows(TABLES[name]) for name in ("communities", "lateral_edges"))
        build_search_indexes(scratch / "index", scratch, shards, communities, edges, settings.search)
        store.files.upload_folder(scratch / "index", "indexes/made")
    store.commit("made", {"encoder": model}, {"paragraphs": n_paragraphs})


def _shards(n: int, sources: list[list[str]], vectors: Vectors, model: str, n_shards: int) -> Iterator[ShardRows]:
    random = np.random.default_rng(11)
    per_document = SECTIONS * PER_SECTION
    n_documents = -(-n // per_document)
    for shard in range(n_shards):
        documents = list(range(shard * n_documents // n_shards, (shard + 1) * n_documents // n_shards))
        tree = [row for number in documents for row in _tree(shard, number)]
        paragraphs = [row["node_id"] for row in tree if row["kind"] == "paragraph"]
        scopes = [row["node_id"] for row in tree if row["kind"] != "paragraph"]
        texts = [_text(random, sources[int(random.integers(len(sources)))]) for _ in paragraphs]
        path = [row["path"] for row in tree if row["kind"] == "paragraph"]
        yield ShardRows(
            _frame("documents", [_document(shard, number) for number in documents]).with_columns(
                pl.lit([], dtype=pl.List(pl.String)).alias("folders")
            ),
            _frame("tree", tree),
            _frame("paragraphs", {"paragraph_id": paragraphs, "path": path, "text": texts, "kind": ["text"] * len(texts)}),
            _frame("embeddings", {"paragraph_id": paragraphs, "vector": vector_column(vectors.draw(len(texts)))}).with_columns(
                pl.lit(model).alias("model")
            ),
            _frame("profiles", {"node_id": scopes, "vector": vector_column(vectors.draw(len(scopes)))}),
            empty_rows(TABLES["routing_profiles"]),
            _edges(random, [str(name) for name in paragraphs]),
        )
        print(f"shard {shard_key(shard)}: {len(texts):,} paragraphs", flush=True)


def _edges(random: np.random.Generator, paragraphs: list[str]) -> pl.DataFrame:
    """Each paragraph to the next, and to some others of its shard."""
    n = len(paragraphs)
    pairs = [(row, row + 1, "adjacent") for row in range(n - 1)]
    pairs += [(row, int(other), "entity") for row in range(n) for other in random.integers(0, n, _EDGES) if int(other) != row]
    source, target, kind = zip(*dict.fromkeys(pairs), strict=True)
    columns = {"source_id": [paragraphs[row] for row in source], "target_id": [paragraphs[row] for row in target], "kind": kind}
    made = {"weight": random.random(len(kind)).astype(np.float32), "why": ["made"] * len(kind), "status": ["confirmed"] * len(kind)}
    return _frame("lateral_edges", {**columns, **made})


def _text(random: np.random.Generator, sentences: list[str]) -> str:
    return " ".join(sentences[i] for i in random.integers(0, len(sentences), _SENTENCES))


def _document(shard: int, number: int) -> dict[str, object]:
    doc_id = _doc_id(shard, number)
    return {"doc_id": doc_id, "doc": f"{doc_id}.md", "uri": f"{doc_id}.md", "title": f"Report {number}", "language": "en", "status": "ok"}


def _doc_id(shard: int, number: int) -> str:
    return f"report-{number}-{hashlib.sha256(f'{shard}/{number}'.encode()).hexdigest()[:10]}"


def _tree(shard: int, number: int) -> Iterator[dict[str, object]]:
    doc_id = _doc_id(shard, number)
    common = {"doc_id": doc_id, "n_tokens": 220, "page_start": 1, "page_end": 1}
    yield {**common, "node_id": doc_id, "kind": "document", "preorder": 0, "height": 2, "path": [], "title": f"Report {number}"}
    preorder = 0
    for section in range(SECTIONS):
        preorder += 1
        section_id = f"{doc_id}/s-{hashlib.sha256(f'{doc_id}{section}'.encode()).hexdigest()[:10]}"
        path = [f"Part {section + 1}"]
        row = {**common, "kind": "section", "preorder": preorder, "height": 1, "position": section, "path": path, "title": path[0]}
        yield {**row, "node_id": section_id, "parent_id": doc_id}
        for paragraph in range(PER_SECTION):
            preorder += 1
            node_id = f"{doc_id}/p-{hashlib.sha256(f'{section_id}{paragraph}'.encode()).hexdigest()[:10]}"
            row = {**common, "kind": "paragraph", "preorder": preorder, "height": 0, "position": paragraph, "path": path, "title": ""}
            yield {**row, "node_id": node_id, "parent_id": section_id}


def _frame(table: str, rows: list[dict[str, object]] | dict[str, object]) -> pl.DataFrame:
    """Rows of a table; columns that are not given are empty."""
    schema = empty_rows(TABLES[table]).schema
    given = pl.DataFrame(rows, schema_overrides={name: kind for name, kind in schema.items() if name not in ("vector",)}, strict=False)
    missing = [
        (pl.lit("") if kind == pl.String and not _may_be_null(table, name) else pl.lit(None)).cast(kind).alias(name)
        for name, kind in schema.items()
        if name not in given.columns and not isinstance(kind, pl.List)
    ]
    lists = [pl.lit([], dtype=kind).alias(name) for name, kind in schema.items() if name not in given.columns and isinstance(kind, pl.List)]
    return given.with_columns(*missing, *lists).select(schema.names())


def _may_be_null(table: str, column: str) -> bool:
    return next(c.null for c in TABLES[table].columns if c.name == column)
