"""Search indexes of one snapshot: nodes, lexical and dense files for paragraphs, sections, documents and communities."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assets_store.dense_index import write_dense_index
from assets_store.errors import SchemaError, StoreVersionError
from assets_store.lexical_index import LexicalIndex, write_lexical_index
from assets_store.node_index import ordered_communities, ordered_nodes, write_node_index
from assets_store.settings import SearchSettings
from docnav_pipeline.transforms.folders import with_folders

LEVELS = ("paragraph", "section", "document", "community")


def build_search_indexes(
    folder: Path,
    documents: pl.DataFrame,
    tree: pl.DataFrame,
    paragraphs: pl.DataFrame,
    embeddings: pl.DataFrame,
    profiles: pl.DataFrame,
    routing_profiles: pl.DataFrame,
    communities: pl.DataFrame,
    settings: SearchSettings,
    previous: Path | None = None,
) -> dict[str, int]:
    """Write all index files of a snapshot into a folder, which is made if it is not there.

    The tables are whole tables of one state of the store. Lexical text is folders, title and file name of the document,
    the title path and the text of a paragraph, or the profile of a broader node. previous: folder of an earlier index, of
    which rows with equal text are taken over. Returns counts by level: rows, rows that were analysed anew, terms, vectors.
    Raises SchemaError where the tables do not fit together or more than one model made the vectors.
    """
    folder.mkdir(parents=True, exist_ok=True)
    model = _only_model(embeddings)
    nodes = ordered_nodes(documents, tree)
    documents = with_folders(documents)
    write_node_index(folder, documents, nodes, paragraphs, communities)
    # Titles as people see them; file and folder names often say what no title does (company, year, model number).
    name = pl.concat_str(pl.col("folders").list.join(" \n"), "title", "doc", separator=" \n")
    names = documents.select("doc_id", "language", name.alias("name"))
    counts: dict[str, int] = {}

    units = nodes.filter(pl.col("kind") == "paragraph").select("node_id", "doc_id").join(names, on="doc_id", maintain_order="left")
    units = units.join(paragraphs.select("paragraph_id", "path", "text"), left_on="node_id", right_on="paragraph_id", maintain_order="left")
    vectors = _vectors(units["node_id"], embeddings.rename({"paragraph_id": "node_id"}), required=True)
    _write_level(folder, "paragraph", _paragraph_texts(units), vectors, model, settings, previous, counts)

    cues = _navigation_text(profiles, routing_profiles)
    for level in ("section", "document"):
        rows = nodes.filter(pl.col("kind") == level).select("node_id", "doc_id", "path").join(names, on="doc_id", maintain_order="left")
        rows = rows.join(cues, on="node_id", how="left", maintain_order="left")
        _write_level(folder, level, _profile_texts(rows), _vectors(rows["node_id"], profiles), model, settings, previous, counts)

    groups = _community_rows(communities, nodes, profiles, names)
    _write_level(folder, "community", _profile_texts(groups), _pooled(groups, profiles), model, settings, previous, counts)

    languages = documents.filter(pl.col("status") == "ok")["language"].unique().sort(nulls_last=True).to_list()
    head = {"model": model, "languages": languages, "counts": counts}
    (folder / "search.json").write_text(json.dumps(head, indent=1), encoding="utf-8")
    return counts


def _only_model(embeddings: pl.DataFrame) -> str:
    models = embeddings["model"].unique().sort().to_list()
    if len(models) > 1:
        raise SchemaError(f"table embeddings: expected vectors of one model, found {models}; materialize `embeddings` for all shards")
    return models[0] if models else ""


def _write_level(
    folder: Path,
    level: str,
    texts: Iterator[tuple[str, str | None]],
    vectors: NDArray[np.float32],
    model: str,
    settings: SearchSettings,
    previous: Path | None,
    counts: dict[str, int],
) -> None:
    place = folder / level
    place.mkdir(exist_ok=True)
    lexical = write_lexical_index(place, texts, settings.bm25_k1, settings.bm25_b, _earlier(previous, level))
    write_dense_index(place, vectors, model, settings.ann_rows)
    counts[f"{level}_rows"] = lexical.rows
    counts[f"{level}_analysed"] = lexical.rows - lexical.taken_over
    counts[f"{level}_terms"] = lexical.terms
    counts[f"{level}_vectors"] = int(np.any(vectors, axis=1).sum()) if vectors.size else 0


def _earlier(folder: Path | None, level: str) -> LexicalIndex | None:
    """The index of a level in an earlier folder; None where there is none that this version reads."""
    try:
        return None if folder is None else LexicalIndex.open(folder / level)
    except (SchemaError, StoreVersionError):
        # Made by another version or removed meanwhile: everything is analysed anew, as in a first build.
        return None


def _paragraph_texts(units: pl.DataFrame) -> Iterator[tuple[str, str | None]]:
    for row in units.iter_rows(named=True):
        yield " \n".join([row["name"], *row["path"], row["text"]]), row["language"]


def _profile_texts(rows: pl.DataFrame) -> Iterator[tuple[str, str | None]]:
    for row in rows.iter_rows(named=True):
        yield " \n".join([row["name"] or "", *(row["path"] or ()), *(row["cues"] or ())]), row["language"]


def _navigation_text(profiles: pl.DataFrame, routing_profiles: pl.DataFrame) -> pl.DataFrame:
    """node_id, cues: texts of a node's profile and, where it has one, of its routing profile."""
    own = profiles.select(
        "node_id",
        pl.concat_list(_terms("keywords"), _terms("entities"), _texts("topic_cues")).alias("own"),
    )
    made = routing_profiles.select(
        "node_id", pl.concat_list(pl.concat_list("summary"), _texts("key_concepts"), _texts("subtopics")).alias("made")
    )
    empty = pl.lit([], dtype=pl.List(pl.String))
    joined = own.join(made, on="node_id", how="left")
    return joined.select("node_id", pl.concat_list(pl.col("own").fill_null(empty), pl.col("made").fill_null(empty)).alias("cues"))


def _terms(column: str) -> pl.Expr:
    return pl.col(column).list.eval(pl.element().struct.field("term")).fill_null(pl.lit([], dtype=pl.List(pl.String)))


def _texts(column: str) -> pl.Expr:
    return pl.col(column).fill_null(pl.lit([], dtype=pl.List(pl.String)))


def _vectors(node_ids: pl.Series, table: pl.DataFrame, required: bool = False) -> NDArray[np.float32]:
    """float32 [n, dim]: the vector of each node, zeros where it has none."""
    found = node_ids.to_frame("node_id").join(table.select("node_id", "vector"), on="node_id", how="left", maintain_order="left")
    sizes = found["vector"].list.len().fill_null(0)
    if required and (missing := found.filter(sizes == 0)).height:
        raise SchemaError(f"paragraph {missing['node_id'][0]!r} has no row in table embeddings; materialize `embeddings` of its shard")
    dims = table["vector"].list.len().unique().drop_nulls().to_list()
    dim = max(dims, default=0)
    if set(dims) - {0, dim}:
        raise SchemaError(f"vectors of different length in one table: {sorted(set(dims) - {0})}; rebuild it with one model")
    matrix = np.zeros((node_ids.len(), dim), dtype=np.float32)
    has = (sizes > 0).to_numpy()
    if has.any():
        matrix[has] = found["vector"].filter(sizes > 0).explode().cast(pl.Float32).to_numpy().reshape(-1, dim)
    return matrix


def _community_rows(communities: pl.DataFrame, nodes: pl.DataFrame, profiles: pl.DataFrame, names: pl.DataFrame) -> pl.DataFrame:
    """One row per community in index order, with the titles and keywords of its members as cues."""
    groups = ordered_communities(communities)
    members = groups.select("community_id", pl.col("members").alias("node_id")).explode("node_id")
    members = members.join(nodes.select("node_id", "doc_id", "title"), on="node_id", how="left", maintain_order="left")
    members = members.join(profiles.select("node_id", _terms("keywords").alias("terms")), on="node_id", how="left", maintain_order="left")
    members = members.join(names.select("doc_id", "language"), on="doc_id", how="left", maintain_order="left")
    texts = members.group_by("community_id", maintain_order=True).agg(
        pl.col("title").alias("titles"),
        pl.col("terms").explode().drop_nulls().alias("terms"),
        pl.col("language").drop_nulls().mode().sort().first().alias("language"),
    )
    rows = groups.join(texts, on="community_id", how="left", maintain_order="left")
    empty = pl.lit([], dtype=pl.List(pl.String))
    return rows.select(
        pl.col("community_id").alias("node_id"),
        "members",
        "language",
        pl.lit("").alias("name"),
        pl.col("label_terms").alias("path"),
        pl.concat_list(pl.col("titles").fill_null(empty), pl.col("terms").fill_null(empty)).alias("cues"),
    )


def _pooled(groups: pl.DataFrame, profiles: pl.DataFrame) -> NDArray[np.float32]:
    """Mean of the member vectors of each community, brought to length 1."""
    sizes: Sequence[int] = groups["members"].list.len().to_list()
    members = _vectors(groups["members"].explode() if groups.height else pl.Series("members", [], pl.String), profiles)
    pooled = np.zeros((groups.height, members.shape[1]), dtype=np.float32)
    start = 0
    for row, size in enumerate(sizes):
        total = members[start : start + size].sum(axis=0)
        length = float(np.linalg.norm(total))
        if length > 0:
            pooled[row] = total / length
        start += size
    return pooled
