"""Tree and lateral edges of one snapshot, read only, as a reader with given access labels sees them."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from assets_store.errors import UnknownNode
from assets_store.ids import doc_of, shard_key, shard_of
from assets_store.names import find_documents, name_index
from assets_store.node_index import KINDS, NodeIndex, open_node_index

if TYPE_CHECKING:
    from assets_store.settings import Settings
    from assets_store.snapshot import Snapshot
    from assets_store.store import Store

LEVELS = ("community", "document", "section", "paragraph")
MEMBER = "community"
# Ids compared when a name is not found; more would make an error slower than a search.
_NEAREST_POOL = 20_000

Ranges: TypeAlias = list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the graph.

    title: of a paragraph, the title of its section; of a community, its label terms.
    path: titles from the top section down to this node, a paragraph has its section's. position: order among the siblings.
    n_tokens: tokens of source text below it. height: 0 for a paragraph. Pages from 1, None where a format has none.
    """

    node_id: str
    level: str
    title: str
    label: str
    path: tuple[str, ...]
    doc: str
    doc_id: str
    parent_id: str | None
    position: int
    n_tokens: int
    height: int
    page_start: int | None
    page_end: int | None


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Source text of one paragraph and where it stands. boxes: {"page", "bbox": [x0, y0, x1, y1] in 0..1}."""

    paragraph_id: str
    doc: str
    doc_id: str
    text: str
    n_tokens: int
    path: tuple[str, ...]
    page_start: int | None
    page_end: int | None
    boxes: list[dict[str, Any]]
    parent_id: str
    position: int
    uri: str
    product_version: str


@dataclass(frozen=True, slots=True)
class Edge:
    """A lateral edge. kind "community" joins a member with its community. target_id of a candidate may be the text of a mention."""

    source_id: str
    target_id: str
    kind: str
    weight: float
    why: str
    status: str


@dataclass(frozen=True, slots=True)
class NodeProfile:
    """Navigation cues of a node, never evidence. keywords, entities: (term, weight), heaviest first."""

    node_id: str
    keywords: tuple[tuple[str, float], ...] = ()
    entities: tuple[tuple[str, float], ...] = ()
    topic_cues: tuple[str, ...] = ()
    summary: str = ""
    key_concepts: tuple[str, ...] = ()
    subtopics: tuple[str, ...] = ()


class Graph:
    """One snapshot, read only.

    Documents that need an access label which the reader lacks do not exist for him: their nodes are unknown, and a community
    exists only when all of its members do, since its label terms and its vector come from all of them.
    """

    def __init__(self, snapshot: Snapshot, settings: Settings, labels: Collection[str] = ()) -> None:
        self.snapshot = snapshot
        self.settings = settings
        self.labels = frozenset(labels)
        self.folder = snapshot.folder("index")
        self._index: NodeIndex = open_node_index(self.folder)
        self._kind = self._index.nodes.column("kind").to_numpy(zero_copy_only=True)
        self._parent = self._index.integers("nodes", "parent")
        self._end = self._index.integers("nodes", "end")
        self._document = self._index.integers("nodes", "document")
        self._first = self._index.integers("documents", "first")
        self._doc_ids: list[str] = self._index.documents.column("doc_id").to_pylist()
        self._doc_rows = {doc_id: row for row, doc_id in enumerate(self._doc_ids)}
        self._visible = self._visible_documents()

    @classmethod
    def open(cls, store: Store | str | Path | None = None, snapshot: str | None = None, labels: Collection[str] = ()) -> Graph:
        """The graph of a snapshot of a store.

        store: a store, its folder, or None for DOCNAV_STORE and then ".docnav". snapshot: id, None = the current one.
        Raises NoStore or UnknownSnapshot.
        """
        from assets_store.store import Store

        opened = store if isinstance(store, Store) else Store.open(store or os.environ.get("DOCNAV_STORE") or ".docnav")
        return cls(opened.snapshot(snapshot), opened.settings, labels)

    # -- nodes

    def node(self, node_id: str) -> Node:
        """The node of an id. Raises UnknownNode naming the nearest ids."""
        if node_id.startswith("community/"):
            return self._community_node(self._community_row(node_id))
        return self._node(self._row(node_id))

    def parent(self, node_id: str) -> Node | None:
        """Node above; None for a document or a community."""
        if node_id.startswith("community/"):
            self._community_row(node_id)
            return None
        above = int(self._parent[self._row(node_id)])
        return None if above < 0 else self._node(above)

    def children(self, node_id: str) -> list[Node]:
        """Nodes right below in order; of a community, its members."""
        if node_id.startswith("community/"):
            return [self._node(row) for row in self._members(self._community_row(node_id))]
        return [self._node(row) for row in self._child_rows(self._row(node_id))]

    def siblings(self, node_id: str) -> list[Node]:
        """Nodes with the same parent in order, without the node; of a document, the other documents; of a community, those of its level."""
        node = self.node(node_id)
        if node.level == "community":
            level = self._community_level(self._community_row(node_id))
            found = [self._community_node(row) for row in self._visible_communities if self._community_level(row) == level]
        elif node.parent_id is None:
            found = self.documents()
        else:
            found = self.children(node.parent_id)
        return [other for other in found if other.node_id != node_id]

    def ancestors(self, node_id: str) -> list[Node]:
        """Nodes above, nearest first, ending with the document; none for a document or a community."""
        if node_id.startswith("community/"):
            self._community_row(node_id)
            return []
        return [self._node(row) for row in self._rows_above(self._row(node_id))]

    def outline(self, node_id: str, depth: int = 2) -> list[Node]:
        """Sections below a node in reading order, at most `depth` levels down; of a community, its members first."""
        if node_id.startswith("community/"):
            rows = self._members(self._community_row(node_id))
            return [node for row in rows for node in (self._node(row), *self._outline(row, depth - 1))]
        return list(self._outline(self._row(node_id), depth))

    def documents(self) -> list[Node]:
        """Documents with text that the reader may see, by id."""
        return [self._node(int(row)) for row in self.level_nodes("document") if self._visible[self._document[row]]]

    def paragraph_ids(self, scope: str | Iterable[str]) -> list[str]:
        """Paragraphs below one node or several, without repeats, document by document in reading order."""
        ids = self._index.nodes.column("node_id")
        return [ids[row].as_py() for start, end in self.node_ranges(scope) for row in range(start, end) if self._kind[row] == _PARAGRAPH]

    def paragraph(self, node_id: str) -> Paragraph:
        """Text and place of a paragraph. Raises UnknownNode for an id that is none."""
        row = self._row(node_id)
        if self._kind[row] != _PARAGRAPH:
            raise UnknownNode(
                f"node {node_id!r} is a {KINDS[self._kind[row]]}, not a paragraph; its paragraphs: paragraph_ids({node_id!r})"
            )
        unit = int(np.searchsorted(self.level_nodes("paragraph"), row))
        node = self._node(row)
        document = int(self._document[row])
        return Paragraph(
            paragraph_id=node_id,
            doc=node.doc,
            doc_id=node.doc_id,
            text=self._index.paragraphs.column("text")[unit].as_py(),
            n_tokens=node.n_tokens,
            path=node.path,
            page_start=node.page_start,
            page_end=node.page_end,
            boxes=self._index.paragraphs.column("boxes")[unit].as_py() or [],
            parent_id=node.parent_id or node.doc_id,
            position=unit - int(np.searchsorted(self.level_nodes("paragraph"), self._first[document])),
            uri=self._index.documents.column("uri")[document].as_py(),
            product_version=self._index.documents.column("product_version")[document].as_py(),
        )

    # -- lateral edges and profiles

    def neighbors(self, node_id: str, kinds: Collection[str] | None = None) -> list[Edge]:
        """Lateral edges at a node in both directions, heaviest first, and its communities or members as edges of kind "community".

        kinds: edge kinds wanted, None = all. Edges to nodes that the reader may not see are left out.
        """
        self.node(node_id)
        found = [] if kinds is not None and MEMBER in kinds and len(kinds) == 1 else self._stored_edges(node_id, kinds)
        if kinds is None or MEMBER in kinds:
            found += self._community_edges(node_id)
        return sorted(found, key=lambda edge: (-edge.weight, edge.kind, edge.source_id, edge.target_id))

    def profile(self, node_id: str) -> NodeProfile:
        """Keywords, entities, topic cues and the summary of a node where it has one. For navigation only."""
        if node_id.startswith("community/"):
            terms = self._label_terms(self._community_row(node_id))
            members = self.children(node_id)
            return NodeProfile(node_id, keywords=tuple((term, 1.0) for term in terms), topic_cues=tuple(node.title for node in members))
        self._row(node_id)
        shard = shard_key(shard_of(doc_of(node_id), self.settings.shards))
        profiles, routing = self._profiles_of(shard)
        own = profiles.filter(pl.col("node_id") == node_id).to_dicts()
        made = routing.filter(pl.col("node_id") == node_id).to_dicts()
        return NodeProfile(
            node_id,
            keywords=_weighted(own[0]["keywords"]) if own else (),
            entities=_weighted(own[0]["entities"]) if own else (),
            topic_cues=tuple(own[0]["topic_cues"] or ()) if own else (),
            summary=made[0]["summary"] if made else "",
            key_concepts=tuple(made[0]["key_concepts"]) if made else (),
            subtopics=tuple(made[0]["subtopics"]) if made else (),
        )

    # -- documents by name

    def resolve_documents(self, names: Sequence[str]) -> list[str]:
        """doc_ids of all documents that a name matches: file name, stem, relative path or doc_id; exact first, then without case.

        The file of a JSONL line names all its lines. Documents that failed match too, and have no text. Raises UnknownDocument
        naming the nearest for a name without match.
        """
        found: dict[str, None] = {}
        for name in names:
            found.update(dict.fromkeys(find_documents(self._document_names, name, f"snapshot {self.snapshot.id}")))
        return list(found)

    # -- rows, for search

    def level_nodes(self, level: str) -> NDArray[np.int64]:
        """Rows in the node order of all nodes of a level, ascending: row i of that level's indexes is node level_nodes(level)[i]."""
        return self._level_nodes[level]

    def node_ranges(self, scope: str | Iterable[str]) -> Ranges:
        """Subtrees of nodes as ascending, disjoint ranges of rows in the node order. Raises UnknownNode."""
        rows: list[int] = []
        ranges: Ranges = []
        for node_id in [scope] if isinstance(scope, str) else scope:
            if node_id.startswith("community/"):
                rows += self._members(self._community_row(node_id))
            elif (document := self._doc_rows.get(node_id)) is not None and self._visible[document]:
                # A document that failed has no rows and no node, and is a scope without text.
                ranges.append((int(self._first[document]), self._document_end(document)))
            else:
                rows.append(self._row(node_id))
        ranges += [(row, int(self._end[row])) for row in rows]
        return _merge(ranges)

    def level_ranges(self, level: str, scope: str | Iterable[str] | None = None) -> Ranges | None:
        """The part of a level's index rows that a search may return; None means all of them.

        level: "document", "section" or "paragraph". scope: node ids whose subtrees are meant, None = all that the reader may see.
        """
        if scope is None:
            if self._visible.all():
                return None
            shown = np.flatnonzero(self._visible)
            node_ranges = _merge([(int(self._first[row]), self._document_end(int(row))) for row in shown])
        else:
            node_ranges = self.node_ranges(scope)
        rows = self.level_nodes(level)
        ends = np.searchsorted(rows, np.array(node_ranges, dtype=np.int64).reshape(-1, 2))
        return _merge([(int(start), int(end)) for start, end in ends])

    def community_rows(self, scope: str | Iterable[str] | None = None) -> list[int] | None:
        """Index rows of the communities that a search may return, None = all: with a scope, those that are in it or have a member in it."""
        if scope is None:
            everything = len(self._visible_communities) == self._index.communities.num_rows
            return None if everything else self._visible_communities
        named = {scope} if isinstance(scope, str) else set(scope)
        ranges = self.node_ranges(named)
        return [
            row
            for row in self._visible_communities
            if self._community_ids[row] in named or any(start <= member < end for member in self._members(row) for start, end in ranges)
        ]

    def node_id_at(self, level: str, row: int) -> str:
        """Id of the node of an index row of a level."""
        if level == "community":
            return self._community_ids[row]
        return str(self._index.nodes.column("node_id")[int(self.level_nodes(level)[row])].as_py())

    # -- inside

    def _visible_documents(self) -> NDArray[np.bool_]:
        needed = self._index.documents.column("access_labels")
        counts = pc.list_value_length(needed).fill_null(0).to_numpy(zero_copy_only=False)
        visible: NDArray[np.bool_] = counts == 0
        for row in np.flatnonzero(counts):
            visible[row] = not self.labels.isdisjoint(needed[int(row)].as_py())
        return visible

    def _document_end(self, document: int) -> int:
        return int(self._index.integers("documents", "end")[document])

    def _row(self, node_id: str) -> int:
        document = self._doc_rows.get(doc_of(node_id))
        if document is not None and self._visible[document]:
            first = int(self._first[document])
            ids = self._index.nodes.column("node_id").slice(first, self._document_end(document) - first)
            # The document comes first, so the common case needs no scan.
            offset = 0 if len(ids) and node_id == doc_of(node_id) else pc.index(ids, pa.scalar(node_id, ids.type)).as_py()
            if len(ids) and offset >= 0:
                return first + int(offset)
            pool: Iterable[str] = ids.slice(0, _NEAREST_POOL).to_pylist()
        else:
            pool = (doc_id for row, doc_id in enumerate(self._doc_ids[:_NEAREST_POOL]) if self._visible[row])
        raise self._unknown(node_id, pool)

    def _unknown(self, node_id: str, pool: Iterable[str]) -> UnknownNode:
        near = get_close_matches(node_id, list(pool), n=2, cutoff=0.4)
        hint = f" (nearest: {', '.join(map(repr, near))})" if near else ""
        return UnknownNode(f"no node {node_id!r} in snapshot {self.snapshot.id}{hint}. Was it made from an older snapshot?")

    def _text(self, column: str, row: int) -> str:
        return str(self._index.nodes.column(column)[row].as_py() or "")

    def _rows_above(self, row: int) -> Iterator[int]:
        above = int(self._parent[row])
        while above >= 0:
            yield above
            above = int(self._parent[above])

    def _child_rows(self, row: int) -> Iterator[int]:
        child, end = row + 1, int(self._end[row])
        while child < end:
            yield child
            child = int(self._end[child])

    def _outline(self, row: int, depth: int) -> Iterator[Node]:
        if depth <= 0:
            return
        for child in self._child_rows(row):
            if self._kind[child] == _SECTION:
                yield self._node(child)
                yield from self._outline(child, depth - 1)

    def _node(self, row: int) -> Node:
        kind = int(self._kind[row])
        lineage = [row, *self._rows_above(row)]
        sections = [self._text("title", at) for at in reversed(lineage) if self._kind[at] == _SECTION]
        document = int(self._document[row])
        nodes = self._index.nodes
        title_row = lineage[1] if kind == _PARAGRAPH and len(lineage) > 1 else row
        return Node(
            node_id=self._text("node_id", row),
            level=KINDS[kind],
            title=self._text("title", title_row),
            label=self._text("label", row),
            path=tuple(sections),
            doc=self._index.documents.column("doc")[document].as_py(),
            doc_id=self._doc_ids[document],
            parent_id=self._text("node_id", lineage[1]) if len(lineage) > 1 else None,
            position=nodes.column("position")[row].as_py(),
            n_tokens=nodes.column("n_tokens")[row].as_py(),
            height=nodes.column("height")[row].as_py(),
            page_start=nodes.column("page_start")[row].as_py(),
            page_end=nodes.column("page_end")[row].as_py(),
        )

    @cached_property
    def _level_nodes(self) -> dict[str, NDArray[np.int64]]:
        return {kind: np.flatnonzero(self._kind == code) for code, kind in enumerate(KINDS)}

    @cached_property
    def _document_names(self) -> dict[str, list[str]]:
        docs, uris = (self._index.documents.column(name).to_pylist() for name in ("doc", "uri"))
        return name_index((self._doc_ids[row], docs[row], uris[row]) for row in range(len(docs)) if self._visible[row])

    # -- communities

    @cached_property
    def _community_ids(self) -> list[str]:
        ids: list[str] = self._index.communities.column("community_id").to_pylist()
        return ids

    @cached_property
    def _visible_communities(self) -> list[int]:
        shown = self._visible[self._document]
        return [row for row in range(self._index.communities.num_rows) if all(shown[self._members(row)])]

    def _members(self, row: int) -> list[int]:
        rows: list[int] = self._index.communities.column("members")[row].as_py()
        return rows

    def _label_terms(self, row: int) -> list[str]:
        terms: list[str] = self._index.communities.column("label_terms")[row].as_py() or []
        return terms

    def _community_level(self, row: int) -> int:
        return int(self._index.communities.column("level")[row].as_py())

    def _community_row(self, node_id: str) -> int:
        try:
            row = self._community_ids.index(node_id)
        except ValueError:
            row = -1
        if row not in self._visible_communities:
            raise self._unknown(node_id, [self._community_ids[other] for other in self._visible_communities[:_NEAREST_POOL]])
        return row

    def _community_node(self, row: int) -> Node:
        heights = [self._index.nodes.column("height")[member].as_py() for member in self._members(row)]
        return Node(
            node_id=self._community_ids[row],
            level="community",
            title=", ".join(self._label_terms(row)),
            label="",
            path=(),
            doc="",
            doc_id="",
            parent_id=None,
            position=row,
            n_tokens=self._index.communities.column("n_tokens")[row].as_py(),
            height=1 + max(heights, default=0),
            page_start=None,
            page_end=None,
        )

    def _community_edges(self, node_id: str) -> list[Edge]:
        if node_id.startswith("community/"):
            members = [self._text("node_id", row) for row in self._members(self._community_row(node_id))]
            return [Edge(node_id, member, MEMBER, 1.0, "member of the community", "confirmed") for member in members]
        row = self._row(node_id)
        return [
            Edge(node_id, self._community_ids[at], MEMBER, 1.0, f"community of {', '.join(self._label_terms(at)[:5])}", "confirmed")
            for at in self._visible_communities
            if row in self._members(at)
        ]

    # -- tables that are read when first asked for

    @cached_property
    def _edges(self) -> pl.DataFrame:
        return self.snapshot.read("lateral_edges")

    def _stored_edges(self, node_id: str, kinds: Collection[str] | None) -> list[Edge]:
        rows = self._edges.filter((pl.col("source_id") == node_id) | (pl.col("target_id") == node_id))
        if kinds is not None:
            rows = rows.filter(pl.col("kind").is_in(list(kinds)))
        return [Edge(**row) for row in rows.to_dicts() if self._may_see(row["source_id"]) and self._may_see(row["target_id"])]

    def _may_see(self, target: str) -> bool:
        document = self._doc_rows.get(doc_of(target))
        return document is None or bool(self._visible[document])

    @cached_property
    def _profiles_of(self) -> Any:
        # Per graph and bounded: a run looks at few shards, a server at all of them over time.
        @lru_cache(maxsize=4)
        def read(shard: str) -> tuple[pl.DataFrame, pl.DataFrame]:
            profiles = self.snapshot.read("profiles", columns=["node_id", "keywords", "entities", "topic_cues"], parts=[shard])
            routing = self.snapshot.read("routing_profiles", columns=["node_id", "summary", "key_concepts", "subtopics"], parts=[shard])
            return profiles, routing

        return read


_SECTION, _PARAGRAPH = KINDS.index("section"), KINDS.index("paragraph")


def _weighted(values: list[dict[str, Any]] | None) -> tuple[tuple[str, float], ...]:
    return tuple((value["term"], float(value["weight"])) for value in values or ())


def _merge(ranges: Ranges) -> Ranges:
    """Ascending, disjoint, not empty ranges that cover the same rows."""
    merged: Ranges = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif end > start:
            merged.append((start, end))
    return merged
