"""Small made-up stores: documents written as headings and paragraphs, stored through the real Store and the real indexes.

A document is text in which `# Title` opens a section (one `#` per level) and blank lines part paragraphs. Each paragraph
becomes one evidence unit, whatever its length, so that a test says exactly what is there.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from assets_store.ids import community_id, document_id, paragraph_id, section_id, shard_key, shard_of
from assets_store.models.analyzer import analyze
from assets_store.rows import Provenance, to_polars
from assets_store.schemas import TABLES
from assets_store.settings import Settings
from assets_store.store import CORPUS_PART, Store
from assets_store.tokens import count_tokens
from docnav_agent.graph import Graph
from docnav_agent.search import Search
from docnav_pipeline.transforms.folders import with_folders
from docnav_pipeline.transforms.search_indexes import ShardRows, build_search_indexes

DIM = 64


@dataclass(frozen=True, slots=True)
class Encoded:
    vectors: NDArray[np.float32]
    n_windows: NDArray[np.int32]


class HashingEncoder:
    """Unit vectors of word counts hashed into 64 places: equal words give near vectors, and no model file is needed."""

    model_id = "hashing@test"
    dim = DIM

    def encode(self, texts: Sequence[str]) -> Encoded:
        vectors = np.zeros((len(texts), DIM), dtype=np.float32)
        for row, text in enumerate(texts):
            for token in analyze(text, "en"):
                vectors[row, zlib.crc32(token.encode()) % DIM] += 1.0
            if not vectors[row].any():
                vectors[row, 0] = 1.0
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return Encoded(vectors, np.ones(len(texts), dtype=np.int32))


@dataclass(frozen=True, slots=True)
class MadeDocument:
    """A document to make. name: file name or path; text: headings and paragraphs; pages: page of each paragraph, None = no pages.

    blocks: layout blocks of each paragraph, empty = each has one of its own.
    """

    name: str
    text: str
    title: str = ""
    kb: str = "default"
    product_version: str = ""
    labels: tuple[str, ...] = ()
    language: str | None = "en"
    status: str = "ok"
    pages: tuple[int, ...] | None = None
    blocks: Sequence[Sequence[int]] = ()

    @property
    def doc_id(self) -> str:
        return document_id(self.kb, self.product_version, self.name)


@dataclass(slots=True)
class _Made:
    row: dict[str, Any]
    children: list[_Made] = field(default_factory=list)


def make_tables(
    documents: Sequence[MadeDocument],
    edges: Sequence[Mapping[str, Any]] = (),
    communities: Sequence[Sequence[str]] = (),
    encoder: HashingEncoder | None = None,
) -> dict[str, pl.DataFrame]:
    """Whole tables as the pipeline would write them. edges: rows of lateral_edges; communities: member ids of each (level 0)."""
    encoder = encoder or HashingEncoder()
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
    for document in documents:
        _add_document(document, rows, encoder)
    for edge in edges:
        rows["lateral_edges"].append({"weight": 1.0, "why": "made up", "status": "confirmed", **edge})
    keywords = {row["node_id"]: [term["term"] for term in row["keywords"]] for row in rows["profiles"]}
    for members in communities:
        terms = [term for term, _ in Counter(term for member in members for term in keywords[member]).most_common(3)]
        for member in members:
            rows["communities"].append(
                {
                    "community_id": community_id(members[0], 0),
                    "node_id": member,
                    "level": 0,
                    "size": len(members),
                    "label_terms": terms,
                    "unit": "document" if "/" not in member else "section",
                }
            )
    return {name: _frame(name, found) for name, found in rows.items()}


def make_store(
    folder: Path,
    documents: Sequence[MadeDocument] | Mapping[str, str],
    edges: Sequence[Mapping[str, Any]] = (),
    communities: Sequence[Sequence[str]] = (),
    settings: Settings | None = None,
) -> Store:
    """A store with one committed snapshot of made-up documents. documents: made documents, or texts by file name."""
    if isinstance(documents, Mapping):
        documents = [MadeDocument(name, text) for name, text in documents.items()]
    settings = settings or Settings(shards=2)
    store = Store.create(folder, settings)
    tables = make_tables(documents, edges, communities)
    for name, frame in tables.items():
        spec = TABLES[name]
        if spec.kind == "corpus":
            store.write(spec, CORPUS_PART, frame, Provenance())
            continue
        shards = [shard_key(shard_of(doc_id, settings.shards)) for doc_id in frame["doc_id"]]
        for key in store.shard_keys:
            store.write(spec, key, frame.filter(pl.Series([shard == key for shard in shards], dtype=pl.Boolean)), Provenance())
    build_index(folder / "indexes" / "made", tables, settings)
    store.commit("made", {"encoder": HashingEncoder.model_id}, {"paragraphs": tables["paragraphs"].height})
    return store


def make_search(
    folder: Path,
    documents: Sequence[MadeDocument] | Mapping[str, str],
    edges: Sequence[Mapping[str, Any]] = (),
    communities: Sequence[Sequence[str]] = (),
    labels: Collection[str] = (),
) -> Search:
    """Search over a made-up store, with the hashing encoder."""
    return Search(Graph.open(make_store(folder, documents, edges, communities), labels=labels), HashingEncoder())


def build_index(folder: Path, tables: Mapping[str, pl.DataFrame], settings: Settings, previous: Path | None = None) -> dict[str, int]:
    """The index folder of whole tables."""
    shard = ShardRows(
        with_folders(tables["documents"]),
        *(tables[name] for name in ("tree", "paragraphs", "embeddings", "profiles", "routing_profiles", "lateral_edges")),
    )
    with TemporaryDirectory() as scratch:
        return build_search_indexes(
            folder, Path(scratch), [shard], tables["communities"], tables["lateral_edges"].clear(), settings.search, previous
        )


def _frame(table: str, rows: list[dict[str, Any]]) -> pl.DataFrame:
    schema = to_polars(TABLES[table].schema.empty_table()).schema
    # What a test has no say in gets an empty value, so that a new column does not break every test.
    empty = {column.name: _empty(column.type) for column in TABLES[table].columns if not column.null}
    return pl.DataFrame([empty | row for row in rows], schema=schema) if rows else pl.DataFrame(schema=schema)


def _empty(kind: pa.DataType) -> Any:
    if pa.types.is_list(kind):
        return []
    return "" if pa.types.is_string(kind) else 0


def _add_document(document: MadeDocument, rows: dict[str, list[dict[str, Any]]], encoder: HashingEncoder) -> None:
    doc_id = document.doc_id
    of = {"doc_id": doc_id, "doc_version": "v1"}
    name = document.name.rpartition("#")[2].rpartition("/")[2]
    title = document.title or name
    rows["documents"].append(
        {
            **of,
            "doc": name,
            "uri": document.name,
            "root": "made",
            "kb": document.kb,
            "product_version": document.product_version,
            "access_labels": list(document.labels),
            "sha256": "0" * 64,
            "bytes": len(document.text),
            "media_type": "text/markdown",
            "title": title,
            "language": document.language,
            "status": document.status,
            "reason": "" if document.status == "ok" else "made so",
            "n_pages": max(document.pages) if document.pages else None,
            "pages_without_text": [],
            "parser": "made",
            "warnings": [],
        }
    )
    if document.status != "ok":
        return
    root = _tree_of(document, doc_id, title, rows, of)
    _finish(root, None, 0, 0)
    for preorder, made in enumerate(_walk(root)):
        made.row["preorder"] = preorder
        rows["tree"].append({**of, **made.row})
    _add_vectors(root, rows, of, encoder)


def _tree_of(document: MadeDocument, doc_id: str, title: str, rows: dict[str, list[dict[str, Any]]], of: dict[str, str]) -> _Made:
    root = _Made(_node(doc_id, "document", title, []))
    open_nodes = [root]
    twins: Counter[Any] = Counter()
    number = token_start = 0
    for block in (piece.strip() for piece in document.text.split("\n\n")):
        if not block:
            continue
        if block.startswith("#"):
            level = len(block) - len(block.lstrip("#"))
            open_nodes = open_nodes[: min(level, len(open_nodes))]
            path = [*open_nodes[-1].row["path"], block.lstrip("#").strip()]
            made = _Made(_node(section_id(doc_id, path, twins[tuple(path)]), "section", path[-1], path))
            twins[tuple(path)] += 1
            open_nodes[-1].children.append(made)
            open_nodes.append(made)
            continue
        above = open_nodes[-1]
        key = (above.row["node_id"], block)
        made = _Made(_node(paragraph_id(above.row["node_id"], block, twins[key]), "paragraph", "", above.row["path"]))
        twins[key] += 1
        page = document.pages[number] if document.pages else None
        tokens = count_tokens(block)
        made.row |= {"n_tokens": tokens, "page_start": page, "page_end": page, "token_start": token_start}
        above.children.append(made)
        rows["paragraphs"].append(
            {
                **of,
                "paragraph_id": made.row["node_id"],
                "parent_id": above.row["node_id"],
                "position": number,
                "kind": "table" if block.startswith("|") else "text",
                "text": block,
                "n_tokens": tokens,
                "path": above.row["path"],
                "page_start": page,
                "page_end": page,
                "boxes": [] if page is None else [{"page": page, "bbox": [0.1, 0.1, 0.9, 0.2]}],
                "blocks": list(document.blocks[number]) if document.blocks else [number],
            }
        )
        number += 1
        token_start += tokens
    return root


def _node(node_id: str, kind: str, title: str, path: list[str]) -> dict[str, Any]:
    return {
        "node_id": node_id,
        "kind": kind,
        "title": title,
        "label": title.split()[0] if kind == "section" and title[:1].isdigit() else "",
        "path": path,
        "evidence": ["level"] if kind == "section" else [],
        "confidence": 1.0,
        "page_start": None,
        "page_end": None,
        "boxes": [],
        "anchor": None,
        "token_start": 0,
        "n_tokens": 0,
        "height": 0,
    }


def _finish(made: _Made, parent_id: str | None, depth: int, position: int) -> None:
    for at, child in enumerate(made.children):
        _finish(child, made.row["node_id"], depth + 1, at)
    if made.row["kind"] != "paragraph":
        pages = [child.row["page_start"] for child in made.children if child.row["page_start"] is not None]
        made.row["n_tokens"] = sum(child.row["n_tokens"] for child in made.children)
        made.row["height"] = 1 + max((child.row["height"] for child in made.children), default=0)
        made.row |= {"page_start": min(pages, default=None), "page_end": max(pages, default=None)}
    made.row |= {"parent_id": parent_id, "depth": depth, "position": position}


def _walk(made: _Made) -> list[_Made]:
    return [made, *(below for child in made.children for below in _walk(child))]


def _add_vectors(root: _Made, rows: dict[str, list[dict[str, Any]]], of: dict[str, str], encoder: HashingEncoder) -> None:
    texts = {row["paragraph_id"]: " ".join([*row["path"], row["text"]]) for row in rows["paragraphs"] if row["doc_id"] == of["doc_id"]}
    vectors = dict(zip(texts, encoder.encode(list(texts.values())).vectors, strict=True))
    for node_id, vector in vectors.items():
        rows["embeddings"].append(
            {**of, "paragraph_id": node_id, "vector": vector.tolist(), "text_hash": "h", "model": encoder.model_id, "n_windows": 1}
        )
    for made in _walk(root):
        in_scope = made.row["kind"] == "document" or made.row["height"] >= 2
        below = [other.row["node_id"] for other in _walk(made) if other.row["kind"] == "paragraph"]
        pooled = np.max([vectors[node_id] for node_id in below], axis=0) if below else np.zeros(DIM, np.float32)
        words = Counter(word for node_id in below for word in analyze(texts[node_id], "en"))
        titles = [child.row["title"] for child in made.children if child.row["title"]]
        rows["profiles"].append(
            {
                **of,
                "node_id": made.row["node_id"],
                "vector": (pooled / np.linalg.norm(pooled)).tolist() if below else [],
                "keywords": [{"term": word, "weight": float(count)} for word, count in words.most_common(12)],
                "entities": [],
                "topic_cues": titles or [word for word, _ in words.most_common(3)],
                "path": made.row["path"],
                "in_R": in_scope,
            }
        )
        if in_scope:
            rows["routing_profiles"].append(
                {
                    **of,
                    "node_id": made.row["node_id"],
                    "summary": " ".join(texts[node_id] for node_id in below[:1])[:200],
                    "key_concepts": [word for word, _ in words.most_common(3)],
                    "subtopics": titles,
                    "made_by": "extractive",
                    "model": "",
                    "prompt_version": "",
                    "prompt_tokens": 0,
                    "completion_tokens": 0,
                }
            )
