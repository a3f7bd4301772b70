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
# Share of a second text's vector, and of noise, in a made vector: cosine to the nearest neighbour comes out near that of real texts.
_MIX, _NOISE = 0.5, 0.5


def sentences_by_document(folder: Path) -> list[list[str]]:
    """Sentences of 40 to 300 characters of each text file in a folder, of the files that have enough of them."""
    found = []
    for path in sorted(p for p in folder.rglob("*") if p.suffix in (".txt", ".md")):
        sentences = [one_line(s.text) for s in split_sentences(path.read_text(encoding="utf-8", errors="replace"))]
        kept = [s for s in sentences if 40 <= len(s) <= 300]
        if len(kept) >= _SENTENCES:
            found.append(kept)
    return found


def noised(vectors: NDArray[np.float32], n: int, random: np.random.Generator) -> NDArray[np.float32]:
    """float32 [n, dim]: unit vectors near to given ones, each mixed with a second one and with noise."""
    dim = vectors.shape[1]
    first, second = (vectors[random.integers(0, len(vectors), n)] for _ in range(2))
    noise = random.standard_normal((n, dim), dtype=np.float32) / np.float32(np.sqrt(dim))
    return unit_rows(np.asarray(first + _MIX * random.random((n, 1), np.float32) * second + _NOISE * noise, np.float32))


def make_store(
    folder: Path, n_paragraphs: int, sources: list[list[str]], vectors: NDArray[np.float32], model: str, settings: Settings
) -> None:
    """A store with one snapshot whose search indexes hold so many paragraphs; its tables are empty. vectors: of real texts, by `model`."""
    store = Store.create(folder, settings)
    with store.files.scratch() as scratch:
        shards = _shards(n_paragraphs, sources, vectors, model, settings.shards)
        build_search_indexes(scratch / "index", scratch, shards, empty_rows(TABLES["communities"]), settings.search)
        store.files.upload_folder(scratch / "index", "indexes/made")
    store.commit("made", {"encoder": model}, {"paragraphs": n_paragraphs})


def _shards(n: int, sources: list[list[str]], vectors: NDArray[np.float32], model: str, n_shards: int) -> Iterator[ShardRows]:
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
            _frame("embeddings", {"paragraph_id": paragraphs, "vector": vector_column(noised(vectors, len(texts), random))}).with_columns(
                pl.lit(model).alias("model")
            ),
            _frame("profiles", {"node_id": scopes, "vector": vector_column(noised(vectors, len(scopes), random))}),
            empty_rows(TABLES["routing_profiles"]),
        )
        print(f"shard {shard_key(shard)}: {len(texts):,} paragraphs", flush=True)


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
