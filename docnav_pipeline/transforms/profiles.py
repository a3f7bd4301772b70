"""Profiles: the bottom-up view of every tree node, from its paragraphs' vectors, keywords and entities."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from assets_store.models.encoder import Vectors, unit_rows
from assets_store.rows import empty_rows
from assets_store.schemas import PROFILES
from assets_store.settings import ProfileSettings
from docnav_pipeline.transforms.embeddings import vector_column, vector_matrix
from docnav_pipeline.transforms.node_rows import NodeRows, rows_of

_SCHEMA = empty_rows(PROFILES, without=["doc_version"]).schema
_CUES = 12


def in_routing_scope(settings: ProfileSettings) -> pl.Expr:
    """Whether a node is in R_d = {root} and every u with h(u) >= tau_h or l(u) >= tau_l, from its kind, height and n_tokens."""
    return (pl.col("kind") == "document") | (pl.col("height") >= settings.tau_h) | (pl.col("n_tokens") >= settings.tau_l)


def with_scopes(tree: pl.DataFrame, profiles: pl.DataFrame) -> pl.DataFrame:
    """Tree rows with in_R of their profiles; false for a node without one. profiles: node_id, in_R."""
    joined = tree.join(profiles.select("node_id", "in_R"), on="node_id", how="left", maintain_order="left")
    return joined.with_columns(pl.col("in_R").fill_null(False))


def build_profiles(tree: pl.DataFrame, features: pl.DataFrame, embeddings: pl.DataFrame, settings: ProfileSettings) -> pl.DataFrame:
    """Rows of `profiles` (without doc_version), one per tree node, in the order of the tree rows.

    tree: doc_id, node_id, parent_id, kind, title, path, position, n_tokens, height of whole documents. features: paragraph_id, entities,
    keywords. embeddings: paragraph_id, vector. A node without text below it has an empty vector and no terms.

    The weight of a term at a node is the sum over the paragraphs below of (1 + ln count) x ln(1 + n / df), where n is the number of
    paragraphs of the document and df those with the term; the heaviest term of a node has weight 1, equal weights are sorted by term.
    """
    if not tree.height:
        return empty_rows(PROFILES, without=["doc_version"])
    nodes = NodeRows.of(tree)
    vectors, filled = pool_vectors(nodes, tree["kind"], embeddings, settings.pooling)
    keywords = features.select("paragraph_id", pl.col("keywords").alias("terms")).explode("terms").drop_nulls()
    entities = features.select("paragraph_id", pl.col("entities").alias("terms")).explode("terms").drop_nulls()
    rows = tree.select("doc_id", "node_id", "kind", "path", in_R=in_routing_scope(settings)).with_columns(
        vector=_with_gaps(vectors, filled),
        keywords=_gather_terms(
            nodes, keywords.select("paragraph_id", term=_field("term"), count=_field("count")), tree, settings.max_terms
        ),
        entities=_gather_terms(
            nodes, entities.select("paragraph_id", term=_field("text"), count=_field("count")), tree, settings.max_terms
        ),
    )
    rows = rows.with_columns(topic_cues=_topic_cues(tree, nodes, rows["keywords"]))
    return rows.select(_SCHEMA.names()).cast(_SCHEMA)


def pool_vectors(nodes: NodeRows, kinds: pl.Series, embeddings: pl.DataFrame, pooling: str) -> tuple[Vectors, npt.NDArray[np.bool_]]:
    """Vectors of all nodes, float32 [n_nodes, dim], and which nodes have one, bool [n_nodes]; the others are rows of zeros.

    A paragraph has its own vector. Any other node has the elementwise maximum (or mean) of its children's vectors, brought to
    length 1; children without a vector do not count. Raises ValueError when a paragraph of the tree has no vector.
    """
    matrix, held = vector_matrix(embeddings["vector"])
    rows = rows_of(embeddings["paragraph_id"].gather(held), nodes.ids)
    known = rows >= 0
    filled = np.zeros(len(nodes.ids), bool)
    filled[rows[known]] = True
    bare = np.flatnonzero((kinds == "paragraph").to_numpy() & ~filled)
    if len(bare):
        raise ValueError(f"embeddings: paragraph {nodes.ids[int(bare[0])]!r} has no vector; expected one per paragraph of the tree")
    vectors = np.zeros((len(nodes.ids), matrix.shape[1]), np.float32)
    vectors[rows[known]] = matrix[known]
    reduce = np.maximum if pooling == "max" else np.add
    for depth in range(int(nodes.depth.max(initial=0)), 0, -1):
        children = np.flatnonzero((nodes.depth == depth) & filled)
        children = children[np.argsort(nodes.parent[children], kind="stable")]
        if not len(children):
            continue
        parents, starts = np.unique(nodes.parent[children], return_index=True)
        # The length is brought to 1 afterwards, so that a sum is as good as a mean.
        vectors[parents] = unit_rows(reduce.reduceat(vectors[children], starts, axis=0))
        filled[parents] = True
    return vectors, filled


def _with_gaps(vectors: Vectors, filled: npt.NDArray[np.bool_]) -> pl.Series:
    column = vector_column(vectors) if vectors.shape[1] else pl.Series([[]] * len(filled), dtype=pl.List(pl.Float32))
    return pl.select(pl.when(pl.Series(filled)).then(column).otherwise(pl.lit([], dtype=pl.List(pl.Float32)))).to_series()


def _field(name: str) -> pl.Expr:
    return pl.col("terms").struct.field(name)


def _gather_terms(nodes: NodeRows, terms: pl.DataFrame, tree: pl.DataFrame, limit: int) -> pl.Series:
    """Weighted terms of every node, list of {term, weight}. terms: paragraph_id, term, count; known paragraphs only are used."""
    terms = terms.with_columns(row=pl.Series(rows_of(terms["paragraph_id"], nodes.ids))).filter(pl.col("row") >= 0)
    paragraphs = tree.select("doc_id", "kind").with_row_index("row").cast({"row": pl.Int64})
    terms = terms.join(paragraphs.select("row", "doc_id"), on="row")
    sizes = paragraphs.filter(pl.col("kind") == "paragraph").group_by("doc_id").agg(n=pl.len())
    spread = terms.group_by("doc_id", "term").agg(df=pl.col("row").n_unique()).join(sizes, on="doc_id")
    weighted = terms.join(spread, on=["doc_id", "term"]).select(
        "row", "term", weight=(1 + pl.col("count").log()) * (1 + pl.col("n") / pl.col("df")).log()
    )
    lower, upper = nodes.pairs_with_ancestors(weighted["row"].unique().sort().to_numpy())
    above = pl.DataFrame({"row": lower, "node": upper})
    best = (
        above.join(weighted, on="row")
        .group_by("node", "term")
        # Sums in a fixed order: floating-point addition would otherwise differ from run to run.
        .agg(pl.col("weight").sort().sum())
        .with_columns(weight=(pl.col("weight") / pl.col("weight").max().over("node")).round(4).cast(pl.Float32))
        .sort("node", "weight", "term", descending=[False, True, False])
        .group_by("node", maintain_order=True)
        .agg(terms=pl.struct("term", "weight").head(limit))
    )
    everyone = pl.DataFrame({"node": np.arange(len(nodes.ids))})
    joined = everyone.join(best, on="node", how="left", maintain_order="left")["terms"]
    return pl.select(pl.when(joined.is_null()).then(pl.lit([], dtype=joined.dtype)).otherwise(joined)).to_series()


def _topic_cues(tree: pl.DataFrame, nodes: NodeRows, keywords: pl.Series) -> pl.Series:
    """Titles of the child sections in order, at most 12; the heaviest keywords where a node has none."""
    titles = (
        tree.select("title", "position", "kind", parent=pl.Series(nodes.parent))
        .filter((pl.col("kind") == "section") & (pl.col("title") != "") & (pl.col("parent") >= 0))
        .sort("parent", "position")
        .group_by("parent", maintain_order=True)
        .agg(titles=pl.col("title").head(_CUES))
    )
    joined = pl.DataFrame({"parent": np.arange(len(nodes.ids))}).join(titles, on="parent", how="left", maintain_order="left")["titles"]
    terms = keywords.list.eval(pl.element().struct.field("term")).list.head(_CUES)
    return pl.select(pl.when(joined.is_null()).then(terms).otherwise(joined)).to_series()
