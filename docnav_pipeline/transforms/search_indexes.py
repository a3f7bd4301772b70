"""Search indexes of one snapshot: nodes, edges, and lexical and dense files for each level, shard by shard."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from assets_store.dense_writer import DenseWriter
from assets_store.edge_writer import EdgeWriter
from assets_store.errors import SchemaError, StoreVersionError
from assets_store.lexical_index import LexicalIndex
from assets_store.lexical_writer import LexicalWriter
from assets_store.node_writer import NodeWriter, ordered_nodes
from assets_store.settings import SearchSettings

LEVELS = ("paragraph", "section", "document", "community")


@dataclass(frozen=True, slots=True)
class ShardRows:
    """Rows of the tables for one shard; `documents` with the titles of their `folders`. edges: those inside its documents."""

    documents: pl.DataFrame
    tree: pl.DataFrame
    paragraphs: pl.DataFrame
    embeddings: pl.DataFrame
    profiles: pl.DataFrame
    routing_profiles: pl.DataFrame
    edges: pl.DataFrame


def build_search_indexes(
    folder: Path,
    scratch: Path,
    shards: Iterable[ShardRows],
    communities: pl.DataFrame,
    edges: pl.DataFrame,
    settings: SearchSettings,
    previous: Path | None = None,
) -> dict[str, int]:
    """Write all index files of a snapshot into a folder, which is made if it is not there.

    shards: all shards of one state of the store, always in the same order; one is held in memory at a time. scratch: a folder for
    unfinished files. Lexical text is folders, title and file name of the document, the title path and the text of a paragraph, or the
    profile of a broader node. edges: lateral edges between documents. previous: folder of an earlier index, of which rows with equal text
    and files of equal vectors are taken over. Returns counts by level: rows, rows that were analysed anew, terms, vectors, approximate
    indexes and how many of them were kept. Raises SchemaError where the tables do not fit together or more than one model made the vectors.
    """
    folder.mkdir(parents=True, exist_ok=True)
    nodes, lateral = NodeWriter(folder), EdgeWriter(folder)
    levels = {level: _LevelWriter(folder, scratch, level, settings, previous) for level in LEVELS}
    wanted = communities["node_id"].unique().implode()
    joined = pl.concat([edges["source_id"], edges["target_id"]]).unique().implode()
    members: list[pl.DataFrame] = [_MEMBERS]
    ends: list[pl.DataFrame] = []
    models: set[str] = set()
    languages: set[str | None] = set()
    for shard in shards:
        ordered = ordered_nodes(shard.documents, shard.tree)
        first = nodes.append(shard.documents, ordered, shard.paragraphs)
        models.update(shard.embeddings["model"].unique())
        languages.update(shard.documents.filter(pl.col("status") == "ok")["language"].unique())
        names = _document_names(shard.documents)
        _append_paragraphs(levels["paragraph"], ordered, names, shard)
        _append_scopes(levels, ordered, names, shard)
        ordered = ordered.with_row_index("row", first)
        lateral.append(shard.edges, ordered.select("node_id", "row"))
        ends.append(ordered.select("node_id", "row").filter(pl.col("node_id").is_in(joined)))
        members.append(_members(ordered.filter(pl.col("node_id").is_in(wanted)), names, shard.profiles))
    if ends:
        lateral.append(edges, pl.concat(ends))
    lateral.close()
    groups = _community_rows(communities, pl.concat(members))
    nodes.close(groups.select("community_id", "level", "label_terms", pl.col("rows").alias("members"), "n_tokens"))
    levels["community"].append(_profile_texts(groups), _pooled(groups))
    model = _only(models)
    counts = {name: n for writer in levels.values() for name, n in writer.close(model).items()}
    head = {"model": model, "languages": sorted(languages, key=lambda code: (code is None, code or "")), "counts": counts}
    (folder / "search.json").write_text(json.dumps(head, indent=1), encoding="utf-8")
    return counts


class _LevelWriter:
    """The lexical and the dense index of one level."""

    def __init__(self, folder: Path, scratch: Path, level: str, settings: SearchSettings, previous: Path | None) -> None:
        self._level, self._ann_rows = level, settings.ann_rows
        place, aside = folder / level, scratch / level
        place.mkdir(exist_ok=True)
        aside.mkdir(parents=True, exist_ok=True)
        earlier = None if previous is None else previous / level
        self._lexical = LexicalWriter(place, aside, settings.bm25_k1, settings.bm25_b, _earlier(earlier))
        self._dense = DenseWriter(place, earlier)

    def append(self, texts: Iterator[tuple[str, str | None]], vectors: NDArray[np.float32]) -> None:
        for text, language in texts:
            self._lexical.append(text, language)
        self._dense.append(vectors)

    def close(self, model: str) -> dict[str, int]:
        lexical, dense = self._lexical.close(), self._dense.close(model, self._ann_rows)
        found = {
            "rows": lexical.rows,
            "analysed": lexical.rows - lexical.taken_over,
            "terms": lexical.terms,
            "vectors": dense.vectors,
            "approximate": dense.approximate,
            "approximate_kept": dense.kept,
        }
        return {f"{self._level}_{name}": n for name, n in found.items()}


def _earlier(folder: Path | None) -> LexicalIndex | None:
    """The index of a level in an earlier folder; None where there is none that this version reads."""
    try:
        return None if folder is None else LexicalIndex.open(folder)
    except (SchemaError, StoreVersionError):
        # Made by another version or removed meanwhile: everything is analysed anew, as in a first build.
        return None


def _only(models: set[str]) -> str:
    if len(models) > 1:
        raise SchemaError(
            f"table embeddings: expected vectors of one model, found {sorted(models)}; materialize `embeddings` for all shards"
        )
    return next(iter(models), "")


def _document_names(documents: pl.DataFrame) -> pl.DataFrame:
    """doc_id, language, name: titles as people see them; file and folder names often say what no title does (company, year, model)."""
    name = pl.concat_str(pl.col("folders").list.join(" \n"), "title", "doc", separator=" \n")
    return documents.select("doc_id", "language", name.alias("name"))


def _append_paragraphs(level: _LevelWriter, nodes: pl.DataFrame, names: pl.DataFrame, shard: ShardRows) -> None:
    units = nodes.filter(pl.col("kind") == "paragraph").select("node_id", "doc_id").join(names, on="doc_id", maintain_order="left")
    texts = shard.paragraphs.select("paragraph_id", "path", "text")
    units = units.join(texts, left_on="node_id", right_on="paragraph_id", maintain_order="left")
    vectors = _vectors(units["node_id"], shard.embeddings.rename({"paragraph_id": "node_id"}), required=True)
    level.append(_paragraph_texts(units), vectors)


def _append_scopes(levels: dict[str, _LevelWriter], nodes: pl.DataFrame, names: pl.DataFrame, shard: ShardRows) -> None:
    profiles = shard.profiles.filter(pl.col("node_id").is_in(nodes.filter(pl.col("kind") != "paragraph")["node_id"].implode()))
    cues = _navigation_text(profiles, shard.routing_profiles)
    for level in ("section", "document"):
        rows = nodes.filter(pl.col("kind") == level).select("node_id", "doc_id", "path").join(names, on="doc_id", maintain_order="left")
        rows = rows.join(cues, on="node_id", how="left", maintain_order="left")
        levels[level].append(_profile_texts(rows), _vectors(rows["node_id"], profiles))


def _paragraph_texts(units: pl.DataFrame) -> Iterator[tuple[str, str | None]]:
    for name, path, text, language in units.select("name", "path", "text", "language").iter_rows():
        yield " \n".join([name, *path, text]), language


def _profile_texts(rows: pl.DataFrame) -> Iterator[tuple[str, str | None]]:
    # Other columns, vectors among them, would be turned into Python objects too.
    for name, path, cues, language in rows.select("name", "path", "cues", "language").iter_rows():
        yield " \n".join([name or "", *(path or ()), *(cues or ())]), language


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
    return _matrix(found["vector"])


def _matrix(vectors: pl.Series) -> NDArray[np.float32]:
    """float32 [n, dim] of a list column, zeros for an empty list or null. Raises SchemaError for lists of different length."""
    sizes = vectors.list.len().fill_null(0)
    dim = int(sizes.max() or 0)  # type: ignore[arg-type]
    if other := set(sizes.unique().to_list()) - {0, dim}:
        raise SchemaError(f"vectors of different length in one table: {sorted({dim, *other})}; rebuild it with one model")
    matrix = np.zeros((vectors.len(), dim), dtype=np.float32)
    has = (sizes > 0).to_numpy()
    if has.any():
        matrix[has] = vectors.filter(sizes > 0).explode().cast(pl.Float32).to_numpy().reshape(-1, dim)
    return matrix


_MEMBERS = pl.DataFrame(
    schema={
        "node_id": pl.String,
        "row": pl.Int32,
        "n_tokens": pl.Int64,
        "title": pl.String,
        "language": pl.String,
        "terms": pl.List(pl.String),
        "vector": pl.List(pl.Float32),
    }
)


def _members(nodes: pl.DataFrame, names: pl.DataFrame, profiles: pl.DataFrame) -> pl.DataFrame:
    """What a community takes over from those of its members that lie in one shard. nodes: the members, with their row in nodes.arrow."""
    found = nodes.join(names.select("doc_id", "language"), on="doc_id", how="left", maintain_order="left")
    own = profiles.select("node_id", _terms("keywords").alias("terms"), "vector")
    return found.join(own, on="node_id", how="left", maintain_order="left").select(_MEMBERS.columns).cast(_MEMBERS.schema)


def _community_rows(communities: pl.DataFrame, members: pl.DataFrame) -> pl.DataFrame:
    """One row per community, by (level, community_id): what its index rows are made of, members in order of their id.

    Raises SchemaError for a member that is no node.
    """
    joined = communities.join(members, on="node_id", how="left").sort("level", "community_id", "node_id")
    if joined["row"].null_count():
        lost = joined.filter(pl.col("row").is_null())["node_id"][0]
        raise SchemaError(f"member {lost!r} of table communities is not in table tree; rebuild the communities")
    groups = joined.group_by("level", "community_id", maintain_order=True).agg(
        pl.col("label_terms").first(),
        pl.col("row").sort().alias("rows"),
        pl.col("n_tokens").sum(),
        pl.col("vector"),
        pl.col("title").alias("titles"),
        pl.col("terms").explode().drop_nulls(),
        pl.col("language").drop_nulls().mode().sort().first(),
    )
    empty = pl.lit([], dtype=pl.List(pl.String))
    return groups.with_columns(
        pl.lit("").alias("name"),
        pl.col("label_terms").alias("path"),
        pl.concat_list(pl.col("titles").fill_null(empty), pl.col("terms").fill_null(empty)).alias("cues"),
    )


def _pooled(groups: pl.DataFrame) -> NDArray[np.float32]:
    """Mean of the member vectors of each community, brought to length 1."""
    sizes: Sequence[int] = groups["vector"].list.len().to_list()
    members = _matrix(groups["vector"].explode() if groups.height else pl.Series("vector", [], pl.List(pl.Float32)))
    pooled = np.zeros((groups.height, members.shape[1]), dtype=np.float32)
    start = 0
    for row, size in enumerate(sizes):
        total = members[start : start + size].sum(axis=0)
        length = float(np.linalg.norm(total))
        if length > 0:
            pooled[row] = total / length
        start += size
    return pooled
