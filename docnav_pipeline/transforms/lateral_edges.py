"""Lateral edges inside a document: neighbours in reading order, cross-references and citations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl

from assets_store.rows import empty_rows
from assets_store.schemas import LATERAL_EDGES
from assets_store.settings import EdgeSettings
from docnav_pipeline.transforms.citations import ReferenceList, citation_keys
from docnav_pipeline.transforms.document_links import cited_titles, file_links, paragraph_links, reference_paragraphs
from docnav_pipeline.transforms.document_places import Places, find_anchor, places_by_document
from docnav_pipeline.transforms.edge_rows import Edge, edge_frame, merge_edges, unresolved
from docnav_pipeline.transforms.references import names_other_work
from docnav_pipeline.transforms.similarity_edges import entity_edges, semantic_edges

# Weight of a mention that fits several places, of which this one is the nearest.
_NEAREST_OF_SEVERAL = 0.8
_AMBIGUOUS = 0.4


def document_edges(tree: pl.DataFrame, paragraphs: pl.DataFrame, features: pl.DataFrame, layout: pl.DataFrame) -> pl.DataFrame:
    """Edges inside each document: `adjacent`, `cross_reference` and `citation`.

    tree: doc_id, node_id, parent_id, kind, title, label, position, preorder, page_start, anchor. paragraphs: doc_id, paragraph_id,
    text, path, blocks. features: doc_id, paragraph_id, citations, cross_references. layout: doc_id, block, anchor, links.

    adjacent: from a paragraph or section to the next sibling of its kind, weight 1.
    cross_reference: from a paragraph to the heading or caption that it mentions, or to the target of a link. Weight 1 for the only
        place that fits, 0.9 for "12(b)" when only "12" is a heading, 0.8 for the nearest of several. A candidate has 0.4 when several
        fit equally well (the first is taken) or a page number is all there is, and 0 when nothing fits.
    citation: from a paragraph to the paragraph of the reference list that holds the entry, weight 1; from each node above the citing
        paragraph too, weight 1 / (1 + steps). Mentions that the document's list does not hold are candidates; in a document without a
        list they are left out.
    """
    mentions = features.filter((pl.col("citations").list.len() > 0) | (pl.col("cross_references").list.len() > 0))
    links = paragraph_links(paragraphs, layout)
    inner = [(paragraph_id, text, target) for paragraph_id, _, text, target in links.iter_rows() if target.startswith("#")]
    wanted = set(mentions["doc_id"]) | set(links["doc_id"])
    edges: list[Edge] = []
    by_document: dict[str, list[tuple[str, list[str], list[dict[str, Any]]]]] = {}
    for doc_id, *rest in mentions.select("doc_id", "paragraph_id", "citations", "cross_references").iter_rows():
        by_document.setdefault(doc_id, []).append((rest[0], rest[1], rest[2]))
    links_of: dict[str, list[tuple[str, str, str]]] = {}
    for link in inner:
        links_of.setdefault(link[0].partition("/")[0], []).append(link)
    lists: dict[str, list[tuple[str, str]]] = {}
    for doc_id, paragraph_id, text in reference_paragraphs(paragraphs).select("doc_id", "paragraph_id", "text").iter_rows():
        lists.setdefault(doc_id, []).append((paragraph_id, text))
    for doc_id, places in places_by_document(tree, paragraphs, layout, wanted):
        rows = by_document.get(doc_id, [])
        edges += _cross_references(places, ((paragraph, references) for paragraph, _, references in rows))
        edges += _links(places, links_of.get(doc_id, []))
        if doc_id in lists:
            edges += _citations(places, lists[doc_id], [(paragraph, citations) for paragraph, citations, _ in rows if citations])
    return merge_edges([_adjacent(tree), edge_frame(edges)])


def corpus_edges(
    documents: pl.DataFrame,
    tree: pl.DataFrame,
    paragraphs: pl.DataFrame,
    features: pl.DataFrame,
    profiles: pl.DataFrame,
    layout: pl.DataFrame,
    settings: EdgeSettings,
    references: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Edges over the whole corpus: `entity` between paragraphs, `semantic` between scopes of R_d, links and citations between documents.

    documents: doc_id, uri, root, kb, product_version. tree: doc_id, node_id, parent_id, kind, title, preorder, anchor, in_R.
    paragraphs: doc_id, paragraph_id, blocks. features: doc_id, paragraph_id, entities. profiles: node_id, vector. layout: doc_id,
    block, anchor, links. references: what `reference_paragraphs` gives; without it no citation between documents is looked for.
    An edge by likeness is stored once, from the smaller id to the larger.
    """
    return merge_edges(
        [
            entity_edges(features, settings),
            semantic_edges(tree, profiles, settings),
            file_links(documents, layout, tree, paragraphs),
            cited_titles(tree, references) if references is not None else edge_frame([]),
        ]
    )


def _adjacent(tree: pl.DataFrame) -> pl.DataFrame:
    """Each paragraph and section to the next sibling of its kind."""
    nodes = tree.filter(pl.col("parent_id").is_not_null()).sort("parent_id", "kind", "position")
    pairs = nodes.with_columns(next_id=pl.col("node_id").shift(-1).over("parent_id", "kind")).drop_nulls("next_id")
    return pairs.select(
        source_id="node_id",
        target_id="next_id",
        kind=pl.lit("adjacent"),
        weight=pl.lit(1.0, dtype=pl.Float32),
        why=pl.format("next {} in reading order", "kind"),
        status=pl.lit("confirmed"),
    ).pipe(lambda rows: rows if rows.height else empty_rows(LATERAL_EDGES))


def _cross_references(places: Places, mentions: Iterable[tuple[str, Sequence[dict[str, Any]]]]) -> list[Edge]:
    edges: list[Edge] = []
    for source, references in mentions:
        for reference in references:
            text, kind = str(reference["text"]), str(reference["kind"])
            found, fit = ([], 0.0) if names_other_work(text) else places.find(kind, str(reference["target"]))
            if not found:
                edges.append(unresolved(source, "cross_reference", text))
                continue
            edge = _to_place(places, source, found, fit, f"mentions “{text}”")
            if edge is not None:
                edges.append(edge)
    return edges


def _to_place(places: Places, source: str, found: Sequence[int], fit: float, why: str) -> Edge | None:
    """Edge to the nearest of the places found; None where that is the source itself or stands above it."""
    best = places.nearest(source, found) if len(found) > 1 else found
    target = places.node_ids[best[0]]
    if target == source or target in places.ancestors(source):
        return None
    if len(best) > 1:
        return Edge(
            source, target, "cross_reference", min(fit, _AMBIGUOUS), f"{why}, the first of {len(best)} places that fit", "candidate"
        )
    weight = min(fit, _NEAREST_OF_SEVERAL) if len(found) > 1 else fit
    return Edge(source, target, "cross_reference", weight, why, "confirmed" if weight > _AMBIGUOUS else "candidate")


def _links(places: Places, links: Sequence[tuple[str, str, str]]) -> list[Edge]:
    """Links to a fragment of the same document."""
    edges: list[Edge] = []
    for source, text, target in links:
        found = find_anchor(places.anchors, target[1:])
        if found is None:
            if len(target) > 1:
                edges.append(unresolved(source, "cross_reference", target))
            continue
        edge = _to_place(places, source, [places.row_of[found]], 1.0, f"link “{text}” to {target}")
        if edge is not None:
            edges.append(edge)
    return edges


def _citations(places: Places, entries: Sequence[tuple[str, str]], mentions: Sequence[tuple[str, Sequence[str]]]) -> list[Edge]:
    listed = {paragraph for paragraph, _ in entries}
    references = ReferenceList(entries)
    edges: list[Edge] = []
    below: Counter[tuple[str, str]] = Counter()
    nearest: dict[tuple[str, str], int] = {}
    for source, citations in mentions:
        if source in listed:
            continue
        targets: dict[str, str] = {}
        for mention in citations:
            found = [target for key in citation_keys(mention) if (target := references.find(key)) is not None]
            for target in found:
                targets.setdefault(target, mention)
            if not found:
                edges.append(unresolved(source, "citation", mention))
        for target, mention in targets.items():
            edges.append(Edge(source, target, "citation", 1.0, f"cites “{mention}”"))
            for steps, scope in enumerate(places.ancestors(source), start=1):
                below[scope, target] += 1
                nearest[scope, target] = min(steps, nearest.get((scope, target), steps))
    for (scope, target), n in below.items():
        edges.append(Edge(scope, target, "citation", 1 / (1 + nearest[scope, target]), f"cited by {n} paragraph{'s' * (n > 1)} below"))
    return edges
