"""Links as rows, and the edges of links to other files."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

import polars as pl

from assets_store.ids import doc_of, file_uri, split_uri
from docnav_pipeline.transforms.document_places import anchors_by_document, find_anchor, inner_files
from docnav_pipeline.transforms.edge_rows import Edge, edge_frame, unresolved
from docnav_pipeline.transforms.page_places import is_page, pages_by_document, shown_target

_WORD = re.compile(r"[^\W_]+")
_LEADERS = r"(?:\. ?){6,}"
_NO_FRAGMENT = 0.4


def paragraph_links(paragraphs: pl.DataFrame, layout: pl.DataFrame) -> pl.DataFrame:
    """Links as rows paragraph_id, doc_id, text, target, in reading order, each once.

    paragraphs: doc_id, paragraph_id, text, blocks. layout: doc_id, block, links. Where a block was cut into several paragraphs, each of its
    links is given to the paragraph that prints its text, in the order of both; to the first where none does. Links of printed contents and
    indexes, told by their dot leaders, are left out.
    """
    links = layout.select("doc_id", "block", "links").explode("links").drop_nulls("links")
    links = links.select("doc_id", "block", *(pl.col("links").struct.field(name) for name in ("text", "target")))
    wanted = links.select("doc_id", blocks="block").unique()
    where = paragraphs.select("doc_id", "paragraph_id", words="text", blocks="blocks").with_row_index("at")
    where = where.filter(~pl.col("words").str.contains(_LEADERS)).explode("blocks")
    where = where.join(wanted, on=["doc_id", "blocks"], how="semi").sort("doc_id", "blocks", "at")
    holders = where.group_by("doc_id", "blocks", maintain_order=True).agg("paragraph_id", "words")
    rows: list[tuple[str, str, str, str]] = []
    joined = (
        links.with_row_index("at").join(holders, left_on=["doc_id", "block"], right_on=["doc_id", "blocks"]).sort("doc_id", "block", "at")
    )
    for (doc_id, _), found in joined.group_by("doc_id", "block", maintain_order=True):
        holder = _Holders(found["paragraph_id"][0].to_list(), found["words"][0].to_list())
        rows += [(holder.of(text), str(doc_id), text, target) for text, target in found.select("text", "target").iter_rows()]
    schema = {"paragraph_id": pl.String, "doc_id": pl.String, "text": pl.String, "target": pl.String}
    return pl.DataFrame(list(dict.fromkeys(rows)), schema=schema, orient="row")


class _Holders:
    """Paragraphs of one block, and how far its links have come in their text."""

    def __init__(self, names: Sequence[str], texts: Sequence[str]) -> None:
        self._names = names
        self._texts = ["".join(_WORD.findall(text.casefold())) for text in texts] if len(names) > 1 else []
        self._at, self._offset = 0, 0

    def of(self, text: str) -> str:
        """The paragraph that prints the next link."""
        wanted = "".join(_WORD.findall(text.casefold()))
        for at in range(self._at, len(self._texts)) if wanted else ():
            offset = self._texts[at].find(wanted, self._offset if at == self._at else 0)
            if offset >= 0:
                self._at, self._offset = at, offset + len(wanted)
                return self._names[at]
        return self._names[self._at]


def file_links(documents: pl.DataFrame, layout: pl.DataFrame, tree: pl.DataFrame, paragraphs: pl.DataFrame) -> pl.DataFrame:
    """Edges `cross_reference` of relative links to other files of the same root.

    documents: doc_id, uri, root, kb, product_version. layout: doc_id, block, anchor, links. tree: doc_id, node_id, kind, title, preorder,
    anchor, boxes. paragraphs: doc_id, paragraph_id, text, boxes, blocks.

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
    files = inner_files(tree, layout)
    for source, doc_id, text, target in paragraph_links(paragraphs, layout).iter_rows():
        if (doc_id, target.partition("#")[0]) in files:
            continue
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
    pages = pages_by_document(tree, paragraphs, {row[3] for row in resolved if is_page(row[4])})
    for source, text, target, other, fragment in resolved:
        why = f"link “{text}” to {shown_target(target)}"
        node_id: str | None = other
        if is_page(fragment):
            node_id = pages[other].find(fragment, text)[0] if other in pages else None
        elif fragment:
            node_id = find_anchor(anchors.get(other, {}), fragment)
        if node_id is None:
            edges.append(Edge(source, other, "cross_reference", _NO_FRAGMENT, f"{why}, which has no such place", "candidate"))
        elif node_id not in (source, doc_of(source)):
            edges.append(Edge(source, node_id, "cross_reference", 1.0, why))
    return edge_frame(edges)


def linked_files(layout: pl.DataFrame) -> tuple[set[str], set[str]]:
    """(doc_ids of documents with links that may lead to other files, names of those files). layout: doc_id, links."""
    links = layout.select("doc_id", pl.col("links").list.eval(pl.element().struct.field("target")).alias("target"))
    targets = links.explode("target").drop_nulls("target").filter(~pl.col("target").str.contains(r"^#|^[A-Za-z][A-Za-z0-9+.-]*:"))
    names = {posixpath.basename(unquote(target.partition("#")[0])) for target in targets["target"].unique()}
    return set(targets["doc_id"]), names - {""}


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
