"""One document of a snapshot as a report draws it: its sections along its text, and the references inside it."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from assets_store.names import find_documents, name_index
from assets_store.snapshot import Snapshot
from docnav_pipeline.report.batches import gathered
from docnav_pipeline.report.graph_arrays import GraphArrays
from docnav_pipeline.transforms.profiles import with_scopes


@dataclass(frozen=True, slots=True)
class TreeNode:
    """start, n_tokens: where its text begins in the document, and how much there is. degree: confirmed lateral edges but adjacent ones."""

    node_id: str
    kind: str
    title: str
    depth: int
    start: int
    n_tokens: int
    in_R: bool
    degree: int


@dataclass(frozen=True, slots=True)
class DocumentTree:
    """nodes: in order, every parent before its children. references: confirmed citations and cross-references inside the document, as
    positions in nodes."""

    doc_id: str
    doc: str
    nodes: list[TreeNode]
    references: list[tuple[str, int, int]]


def find_tree(snapshot: Snapshot, name: str) -> str:
    """doc_id of the first document with text that a name matches. Raises UnknownDocument naming the nearest."""
    documents = gathered(snapshot, "documents", ["doc_id", "doc", "uri", "status"]).filter(pl.col("status") == "ok").sort("uri", "doc_id")
    return find_documents(name_index(documents.select("doc_id", "doc", "uri").iter_rows()), name, f"snapshot {snapshot.id}")[0]


def largest_tree(graph: GraphArrays) -> str | None:
    """doc_id of the document with the most sections, then the most tokens, then the smallest id; None where there is none."""
    documents = graph.nodes.filter(kind="document").select(doc_id="node_id", n_tokens="n_tokens")
    sections = graph.nodes.filter(kind="section").select(doc_id=pl.col("node_id").str.split("/").list.first()).group_by("doc_id").len("n")
    ranked = documents.join(sections, on="doc_id", how="left").sort(
        pl.col("n").fill_null(0), "n_tokens", "doc_id", descending=[True, True, False]
    )
    return str(ranked["doc_id"][0]) if ranked.height else None


def document_tree(snapshot: Snapshot, graph: GraphArrays, doc_id: str) -> DocumentTree:
    """The tree of one document with its references."""
    columns = ["node_id", "doc_id", "preorder", "kind", "title", "depth", "token_start", "n_tokens"]
    rows = with_scopes(gathered(snapshot, "tree", columns, pl.col("doc_id") == doc_id).sort("preorder"), graph.nodes)
    at = (
        rows.select("node_id")
        .with_row_index("at")
        .join(graph.nodes.select("node_id").with_row_index("row"), on="node_id", maintain_order="left")
    )
    place = dict(at.select("row", "at").iter_rows())
    edges = graph.edges.filter(pl.col("confirmed") & (pl.col("kind") != "adjacent"))
    near = edges.filter(pl.col("source").is_in(list(place)) | pl.col("target").is_in(list(place)))
    degree = [0] * rows.height
    references = []
    for kind, source, target in near.select(pl.col("kind").cast(pl.String), "source", "target").iter_rows():
        ends = [place[row] for row in (source, target) if row in place]
        for end in ends:
            degree[end] += 1
        if len(ends) == 2 and kind in ("citation", "cross_reference") and rows["kind"][ends[0]] == "paragraph":
            references.append((str(kind), ends[0], ends[1]))
    nodes = [
        TreeNode(node_id, kind, title, depth, start, n_tokens, in_R, degree[i])
        for i, (node_id, _, _, kind, title, depth, start, n_tokens, in_R) in enumerate(rows.iter_rows())
    ]
    doc = gathered(snapshot, "documents", ["doc_id", "doc"], pl.col("doc_id") == doc_id)["doc"][0]
    return DocumentTree(doc_id, str(doc), nodes, references)
