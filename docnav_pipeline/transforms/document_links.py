"""Edges between documents: links to other files, and entries of reference lists that name another document."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

import polars as pl

from assets_store.ids import doc_of, file_uri, split_uri
from docnav_pipeline.transforms.citations import is_reference_title
from docnav_pipeline.transforms.document_places import anchors_by_document, find_anchor
from docnav_pipeline.transforms.edge_rows import Edge, edge_frame, unresolved

_WORD = re.compile(r"\w+")
# Titles below this are too common to be recognised in running text ("Annual report").
_MIN_TITLE_WORDS, _MIN_TITLE_CHARACTERS = 4, 24
_KEY_WORDS = 4
_NO_FRAGMENT = 0.4


def paragraph_links(paragraphs: pl.DataFrame, layout: pl.DataFrame) -> pl.DataFrame:
    """Links as rows paragraph_id, doc_id, text, target, in reading order, each once."""
    links = layout.select("doc_id", "block", "links").explode("links").drop_nulls("links")
    links = links.select("doc_id", "block", *(pl.col("links").struct.field(name) for name in ("text", "target")))
    where = paragraphs.select("doc_id", "paragraph_id", "blocks").explode("blocks").drop_nulls("blocks")
    return (
        links.join(where, left_on=["doc_id", "block"], right_on=["doc_id", "blocks"])
        .sort("doc_id", "block", "paragraph_id", maintain_order=True)
        .select("paragraph_id", "doc_id", "text", "target")
        .unique(maintain_order=True)
    )


def reference_paragraphs(paragraphs: pl.DataFrame) -> pl.DataFrame:
    """Rows of the paragraphs that stand under a heading which names a reference list. paragraphs: path and any other columns."""
    titles = paragraphs["path"].explode().drop_nulls().unique()
    lists = [title for title in titles if is_reference_title(title)]
    return paragraphs.filter(pl.col("path").list.eval(pl.element().is_in(lists)).list.any())


def file_links(documents: pl.DataFrame, layout: pl.DataFrame, tree: pl.DataFrame, paragraphs: pl.DataFrame) -> pl.DataFrame:
    """Edges `cross_reference` of relative links to other files of the same root.

    documents: doc_id, uri, root, kb, product_version. layout: doc_id, block, anchor, links. tree: doc_id, node_id, preorder, anchor.
    paragraphs: doc_id, paragraph_id, blocks.

    A link leads to the node that carries its fragment, or to the document where it has none, weight 1. A link to a document without
    that fragment leads to the document as a candidate of weight 0.4, one to a file that is no document is a candidate of weight 0. Links
    to web and mail addresses are left out.
    """
    identity = {row[0]: row for row in documents.select("doc_id", "uri", "root", "kb", "product_version").iter_rows()}
    by_place: dict[tuple[str, str], list[str]] = defaultdict(list)
    for doc_id in sorted(identity):
        by_place[identity[doc_id][2], identity[doc_id][1]].append(doc_id)
    edges: list[Edge] = []
    resolved: list[tuple[str, str, str, str, str]] = []
    for source, doc_id, text, target in paragraph_links(paragraphs, layout).iter_rows():
        uri, fragment = _linked_uri(identity[doc_id][1], target) if doc_id in identity else ("", "")
        if not uri:
            continue
        root = identity[doc_id][2]
        found = by_place.get((root, uri)) or by_place.get((root, f"{uri}#{fragment}")) or []
        if not found:
            edges.append(unresolved(source, "cross_reference", target))
            continue
        # The same file may be kept for several knowledge bases and versions: a link stays within its own.
        mine = [other for other in found if identity[other][3:] == identity[doc_id][3:]]
        other = (mine or found)[0]
        resolved.append((source, text, target, other, fragment if identity[other][1] == uri else ""))
    linked = pl.col("doc_id").is_in(sorted({row[3] for row in resolved}))
    anchors = anchors_by_document(tree.filter(linked), paragraphs.filter(linked), layout.filter(linked))
    for source, text, target, other, fragment in resolved:
        why = f"link “{text}” to {target}"
        node_id = find_anchor(anchors.get(other, {}), fragment) if fragment else other
        if node_id is None:
            edges.append(Edge(source, other, "cross_reference", _NO_FRAGMENT, f"{why}, which has no such place", "candidate"))
        elif node_id not in (source, doc_of(source)):
            edges.append(Edge(source, node_id, "cross_reference", 1.0, why))
    return edge_frame(edges)


def _linked_uri(uri: str, target: str) -> tuple[str, str]:
    """(uri, fragment) of the file that a relative link in the document `uri` means; ("", "") for any other link."""
    try:
        parts = urlsplit(target.strip())
    except ValueError:
        return "", ""
    if parts.scheme or parts.netloc or not parts.path:
        return "", ""
    folder = posixpath.dirname(split_uri(uri)[0])
    path = unquote(parts.path)
    joined = posixpath.normpath(path.lstrip("/") if path.startswith("/") else posixpath.join(folder, path))
    return ("", "") if joined.startswith("..") else (file_uri(PurePosixPath(joined)), parts.fragment)


def cited_titles(tree: pl.DataFrame, references: pl.DataFrame) -> pl.DataFrame:
    """Edges `citation` from a paragraph of a reference list to each document whose title it holds, weight 1, and from its own document to
    that one, weight 0.5. Titles of fewer than four words are not looked for.

    tree: node_id, kind, title. references: doc_id, paragraph_id, text.
    """
    titles = _titles_by_start(tree.filter(pl.col("kind") == "document"))
    edges: list[Edge] = []
    for doc_id, paragraph_id, text in references.select("doc_id", "paragraph_id", "text").iter_rows() if titles else ():
        words = _WORD.findall(text.casefold())
        for i in range(len(words) - _KEY_WORDS + 1):
            for title, other, printed in titles.get(tuple(words[i : i + _KEY_WORDS]), ()):
                if other != doc_id and words[i : i + len(title)] == title:
                    edges.append(Edge(paragraph_id, other, "citation", 1.0, f"names “{printed}”"))
                    edges.append(Edge(doc_id, other, "citation", 0.5, f"its reference list names “{printed}”"))
    return edge_frame(edges)


def _titles_by_start(nodes: pl.DataFrame) -> Mapping[tuple[str, ...], list[tuple[list[str], str, str]]]:
    """First four words -> (all words, doc_id, title as printed) of titles that are long enough."""
    found: dict[tuple[str, ...], list[tuple[list[str], str, str]]] = defaultdict(list)
    for doc_id, title in nodes.select("node_id", "title").sort("node_id").iter_rows():
        words = _WORD.findall(title.casefold())
        if len(words) >= _MIN_TITLE_WORDS and sum(map(len, words)) >= _MIN_TITLE_CHARACTERS:
            found[tuple(words[:_KEY_WORDS])].append((words, doc_id, " ".join(title.split())))
    return found
