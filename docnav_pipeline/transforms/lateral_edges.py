"""Lateral edges inside a document: neighbours in reading order, cross-references and citations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from assets_store.rows import empty_rows
from assets_store.schemas import LATERAL_EDGES
from assets_store.settings import EdgeSettings
from docnav_pipeline.transforms.citations import citation_keys
from docnav_pipeline.transforms.cited_documents import citation_edges_between
from docnav_pipeline.transforms.cited_entries import ReferenceLists, find_mentions, lists_by_document
from docnav_pipeline.transforms.document_identity import Identity
from docnav_pipeline.transforms.document_links import file_links, paragraph_links
from docnav_pipeline.transforms.document_places import Places, find_inner, inner_files, normal_title, places_by_document
from docnav_pipeline.transforms.edge_rows import Edge, edge_frame, merge_edges, unresolved
from docnav_pipeline.transforms.page_places import PagePlaces, is_page, pages_by_document, shown_target
from docnav_pipeline.transforms.reference_lists import reference_paragraphs
from docnav_pipeline.transforms.references import FLOAT_KINDS, names_other_work
from docnav_pipeline.transforms.similarity_edges import entity_edges, semantic_edges

# Weight of a mention that fits several places, of which this one is the nearest.
_NEAREST_OF_SEVERAL = 0.8
_AMBIGUOUS = 0.4
# Mentions from which on their share without a place says something.
_FEW = 5
_TITLE_BEHIND = re.compile(r"\s?(?:[-–—:]\s|,?\s?[(\[“\"])(?P<title>[^\W\d_a-z][^\W\d_]{2,}(?:[ -][\w'’/&-]+){0,8})")


def document_edges(tree: pl.DataFrame, paragraphs: pl.DataFrame, features: pl.DataFrame, layout: pl.DataFrame) -> pl.DataFrame:
    """Edges inside each document: `adjacent`, `cross_reference` and `citation`.

    tree: doc_id, node_id, parent_id, kind, title, label, position, preorder, page_start, anchor, boxes. paragraphs: doc_id, paragraph_id,
    position, text, path, boxes, blocks. features: doc_id, paragraph_id, citations, cross_references. layout: doc_id, block, anchor, links.

    adjacent: from a paragraph or section to the next sibling of its kind, weight 1.
    cross_reference: from a paragraph to the heading or caption that it mentions, or to the target of a link. Weight 1 for the only
        place that fits, 0.9 for "12(b)" when only "12" is a heading, 0.8 for the nearest of several. A candidate has 0.4 when several
        fit equally well (the first is taken) or a page number is all there is, and 0 when nothing fits.
    citation: from a paragraph to the paragraph of the reference list that holds the entry, weight 1; from each node above the citing
        paragraph too, weight 1 / (1 + steps). Mentions that the document's list does not hold are candidates; in a document without a
        list they are left out.
    """
    listed = lists_by_document(reference_paragraphs(paragraphs))
    links = paragraph_links(paragraphs, layout)
    files = inner_files(tree, layout)
    inner: dict[str, list[tuple[str, str, str]]] = {}
    for paragraph_id, doc_id, text, target in links.iter_rows():
        # Links of a note or an entry back to its mark ("^") say what the mark says.
        if (target.startswith("#") or (doc_id, target.partition("#")[0]) in files) and any(map(str.isalnum, text)):
            inner.setdefault(doc_id, []).append((paragraph_id, text, target))
    pages = pages_by_document(tree, paragraphs, {d for d, found in inner.items() if any(is_page(target[1:]) for _, _, target in found)})
    # Marks glued to words are in no feature: all paragraphs of a document with a list are looked at.
    wanted = (pl.col("citations").list.len() > 0) | (pl.col("cross_references").list.len() > 0) | pl.col("doc_id").is_in(sorted(listed))
    mentions = features.filter(wanted).select("doc_id", "paragraph_id", "citations", "cross_references")
    mentions = mentions.join(paragraphs.select("paragraph_id", "text"), on="paragraph_id", maintain_order="left")
    by_document = {str(doc_id): rows for (doc_id,), rows in mentions.group_by("doc_id", maintain_order=True)}
    edges: list[Edge] = []
    for doc_id, places in places_by_document(tree, paragraphs, layout, by_document.keys() | inner.keys()):
        lists = ReferenceLists(listed[doc_id], places.row_of, places.parent_of) if doc_id in listed else None
        of_links, linked = _links(places, pages.get(doc_id), inner.get(doc_id, []), lists.members if lists is not None else ())
        mine = list(of_links)
        if doc_id in by_document:
            rows = by_document[doc_id]
            mine += _cross_references(places, rows.select("paragraph_id", "cross_references", "text").iter_rows(), linked)
            if lists is not None:
                mine += _citations(places, lists, list(rows.select("paragraph_id", "citations", "text").iter_rows()), linked)
        edges += [*mine, *_citations_above(places, mine)]
    return merge_edges([_adjacent(tree), edge_frame(edges)])


def alike_edges(tree: pl.DataFrame, profiles: pl.DataFrame, features: pl.DataFrame, settings: EdgeSettings) -> pl.DataFrame:
    """Edges over the whole corpus by likeness: `entity` between paragraphs, `semantic` between scopes of R_d.

    tree: doc_id, node_id, parent_id, in_R, of all scopes of R_d and the nodes above them. profiles: node_id, vector, of scopes in R_d.
    features: doc_id, paragraph_id, entities. An edge is stored once, from the smaller id to the larger.
    """
    return merge_edges([entity_edges(features, settings), semantic_edges(tree, profiles, settings)])


def linking_edges(
    documents: pl.DataFrame,
    tree: pl.DataFrame,
    paragraphs: pl.DataFrame,
    features: pl.DataFrame,
    layout: pl.DataFrame,
    references: pl.DataFrame,
    identities: Sequence[Identity],
) -> pl.DataFrame:
    """Edges over the whole corpus that a text states: links and citations between documents.

    documents: doc_id, uri, root, kb, product_version. tree: doc_id, node_id, parent_id, kind, title, preorder, anchor, boxes; paragraphs:
    doc_id, paragraph_id, text, boxes, blocks; features: doc_id, paragraph_id, citations; of documents with a reference list, with links to
    other files, and of those that such links lead to; other rows do no harm. layout: doc_id, block, anchor, links, of blocks that have
    either. references: what `reference_paragraphs` gives. identities: what `find_identities` gives.
    """
    return merge_edges(
        [
            file_links(documents, layout, tree, paragraphs),
            citation_edges_between(identities, tree, paragraphs, features, references),
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


def _cross_references(
    places: Places, mentions: Iterable[tuple[str, Sequence[dict[str, Any]], str]], linked: Mapping[str, str]
) -> list[Edge]:
    """linked: text of the links of each paragraph; a mention that one of them leads from is no candidate.

    Where most mentions of one kind and form ("chapter 7", "§ 12(b)") have no place in the document, they are of another work, and those
    that seem to have one are candidates.
    """
    texts: dict[str, str] = {}
    rows: list[tuple[str, dict[str, Any]]] = []
    for source, references, text in mentions:
        texts[source] = text
        rows += [(source, reference) for reference in references]
    inside = [(source, reference) for source, reference in rows if not names_other_work(str(reference["text"]))]
    places_of = [places.find(str(reference["kind"]), str(reference["target"])) for _, reference in inside]
    tried, lost = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for (_, reference), (found, _) in zip(inside, places_of, strict=True):
        tried[_form(reference)] += 1
        lost[_form(reference)] += not found
    edges = [unresolved(source, "cross_reference", str(r["text"])) for source, r in rows if names_other_work(str(r["text"]))]
    for (source, reference), (found, fit) in zip(inside, places_of, strict=True):
        mention, form = str(reference["text"]), _form(reference)
        edge = _to_place(places, source, found, fit, f"mentions “{mention}”") if found else unresolved(source, "cross_reference", mention)
        if edge is not None and edge.status == "confirmed":
            if tried[form] >= _FEW and lost[form] > tried[form] / 2 and reference["kind"] not in FLOAT_KINDS:
                why = f"{edge.why}, but most such mentions have no place here"
                edge = replace(edge, weight=_AMBIGUOUS, why=why, status="candidate")
            elif not _same_title(texts[source], mention, places.title_at(edge.target_id)):
                edge = replace(edge, weight=_AMBIGUOUS, why=f"{edge.why}, which gives it another title", status="candidate")
            elif len(found) > 1 and len(str(reference["target"])) == 1 and str(reference["target"]).isalpha():
                edge = replace(edge, weight=_AMBIGUOUS, why=f"{edge.why}, the nearest of {len(found)}", status="candidate")
        if edge is not None and (edge.status == "confirmed" or not _is_linked(reference, linked.get(source, ""))):
            edges.append(edge)
    return edges


def _same_title(text: str, mention: str, title: str) -> bool:
    """Whether the title that a text gives behind a mention ("Section 6 (Fees)", "Chapter 8 - Libraries") has a word of a heading's title.

    True where it gives none, or the target is no heading (title "").
    """
    at = text.find(mention)
    behind = _TITLE_BEHIND.match(text, at + len(mention)) if at >= 0 and title else None
    words = set(normal_title(behind["title"]).split()) if behind else set()
    return not words or bool(words & set(normal_title(title).split()))


def _form(reference: dict[str, Any]) -> tuple[str, str]:
    """Kind of a mention and the form of its number."""
    target = str(reference["target"])
    form = "brackets" if "(" in target else "letters" if target[:1].isalpha() else "path" if "." in target else "number"
    return str(reference["kind"]), form


def _is_linked(reference: dict[str, Any], texts: str) -> bool:
    return bool(re.search(rf"(?<![\w.]){re.escape(str(reference['target']).casefold())}(?![\w.]\d)", texts))


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


def _links(
    places: Places, pages: PagePlaces | None, links: Sequence[tuple[str, str, str]], listed: Collection[str]
) -> tuple[list[Edge], dict[str, str]]:
    """Edges of links to a place of the same document, and the text of the links of each paragraph.

    listed: paragraphs of reference lists.
    """
    edges: list[Edge] = []
    texts: dict[str, str] = {}
    for source, text, target in links:
        if is_page(target[1:]):
            found, fit = pages.find(target[1:], text) if pages is not None else (None, 0.0)
        else:
            found, fit = find_inner(places.anchors, target)
        if found is None:
            if len(target) > 1:
                edges.append(unresolved(source, "cross_reference", shown_target(target)))
            continue
        why = f"link “{text}” to {shown_target(target)}"
        texts[source] = f"{texts.get(source, '')} {text.casefold()}"
        if found in listed or source in listed:
            # An entry leads back to its mention, which leads to it.
            edges += (
                [Edge(source, found, "citation", fit, why, "confirmed" if fit > _AMBIGUOUS else "candidate")]
                if source not in listed
                else []
            )
            continue
        edge = _to_place(places, source, [places.row_of[found]], fit, why)
        if edge is not None:
            edges.append(edge)
    return edges, texts


def _citations(
    places: Places, lists: ReferenceLists, mentions: Sequence[tuple[str, Sequence[str], str]], linked: Mapping[str, str]
) -> list[Edge]:
    """linked: text of the links of each paragraph; what they lead to is not looked for in vain."""
    edges: list[Edge] = []
    cited: dict[tuple[str, str], str] = {}
    for mention in find_mentions(lists, mentions):
        for entry in mention.entries:
            cited.setdefault((mention.source_id, entry.paragraph_id), mention.text)
        names = [key.author or key.label.casefold() or str(key.number) for key in citation_keys(mention.text)]
        if not mention.entries and not any(name in linked.get(mention.source_id, "") for name in names):
            edges.append(unresolved(mention.source_id, "citation", mention.text))
    for (source, target), text in cited.items():
        edges.append(Edge(source, target, "citation", 1.0, f"cites “{text}”"))
    return edges


def _citations_above(places: Places, edges: Sequence[Edge]) -> list[Edge]:
    """Citations of paragraphs, once more from each node above them."""
    below: Counter[tuple[str, str]] = Counter()
    nearest: dict[tuple[str, str], int] = {}
    for source, target in dict.fromkeys((e.source_id, e.target_id) for e in edges if e.kind == "citation" and e.status == "confirmed"):
        for steps, scope in enumerate(places.ancestors(source), start=1):
            below[scope, target] += 1
            nearest[scope, target] = min(steps, nearest.get((scope, target), steps))
    return [
        Edge(scope, target, "citation", 1 / (1 + nearest[scope, target]), f"cited by {n} paragraph{'s' * (n > 1)} below")
        for (scope, target), n in below.items()
    ]
