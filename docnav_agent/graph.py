"""Tree and lateral edges of one snapshot, read only, as a reader with given access labels sees them."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from assets_store.edge_index import EdgeIndex
from assets_store.errors import UnknownNode
from assets_store.ids import doc_of, shard_key, shard_of
from assets_store.names import find_documents, name_index
from assets_store.node_index import KINDS, open_node_index
from docnav_agent.nodes import Edge, Node, NodeProfile, Paragraph
from docnav_agent.rows import NodeRows

if TYPE_CHECKING:
    from assets_store.settings import Settings
    from assets_store.snapshot import Snapshot
    from assets_store.store import Store

MEMBER = "community"


class Graph:
    """One snapshot, read only.

    Documents that need an access label which the reader lacks do not exist for him: their nodes are unknown, and a community
    exists only when all of its members do, since its label terms and its vector come from all of them.
    """

    def __init__(self, snapshot: Snapshot, settings: Settings, labels: Collection[str] = ()) -> None:
        self.snapshot = snapshot
        self.settings = settings
        self.folder = snapshot.folder("index")
        self._index = open_node_index(self.folder)
        self.rows = NodeRows(self._index, labels, snapshot.id)
        # Looking a column up by name costs more than reading a value of it.
        self._columns = {name: self._index.nodes.column(name) for name in ("node_id", "title", "label", "page_start", "page_end")}
        self._numbers = {name: self._index.integers("nodes", name) for name in ("position", "n_tokens", "height")}
        self._names = self._index.documents.column("doc")

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
            return self._community_node(self.rows.community_row(node_id))
        return self._node(self.rows.row(node_id))

    def parent(self, node_id: str) -> Node | None:
        """Node above; None for a document or a community."""
        if node_id.startswith("community/"):
            self.rows.community_row(node_id)
            return None
        above = int(self.rows.parent[self.rows.row(node_id)])
        return None if above < 0 else self._node(above)

    def children(self, node_id: str) -> list[Node]:
        """Nodes right below in order; of a community, its members."""
        if node_id.startswith("community/"):
            return [self._node(row) for row in self.rows.members(self.rows.community_row(node_id))]
        return [self._node(row) for row in self.rows.child_rows(self.rows.row(node_id))]

    def siblings(self, node_id: str) -> list[Node]:
        """Nodes with the same parent in order, without the node; of a document, the other documents; of a community, those of its level."""
        node = self.node(node_id)
        if node.level == "community":
            level = self.rows.community_level(self.rows.community_row(node_id))
            found = [self._community_node(row) for row in self.rows.visible_communities if self.rows.community_level(row) == level]
        elif node.parent_id is None:
            found = self.documents()
        else:
            found = self.children(node.parent_id)
        return [other for other in found if other.node_id != node_id]

    def ancestors(self, node_id: str) -> list[Node]:
        """Nodes above, nearest first, ending with the document; none for a document or a community."""
        if node_id.startswith("community/"):
            self.rows.community_row(node_id)
            return []
        return [self._node(row) for row in self.rows.rows_above(self.rows.row(node_id))]

    def ancestor_ids(self, node_id: str) -> list[str]:
        """Ids of `ancestors`, without looking at more of them."""
        if node_id.startswith("community/"):
            self.rows.community_row(node_id)
            return []
        return [self._text("node_id", row) for row in self.rows.rows_above(self.rows.row(node_id))]

    def outline(self, node_id: str, depth: int = 2) -> list[Node]:
        """Sections below a node in reading order, at most `depth` levels down; of a community, its members first."""
        if node_id.startswith("community/"):
            rows = self.rows.members(self.rows.community_row(node_id))
            return [node for row in rows for node in (self._node(row), *self._outline(row, depth - 1))]
        return list(self._outline(self.rows.row(node_id), depth))

    def documents(self) -> list[Node]:
        """Documents with text that the reader may see, by id."""
        return [self._node(int(row)) for row in self.rows.level_nodes("document") if self.rows.visible[self.rows.document[row]]]

    def paragraph_ids(self, scope: str | Iterable[str]) -> list[str]:
        """Paragraphs below one node or several, without repeats, document by document in reading order."""
        ids = self._columns["node_id"]
        return [
            ids[row].as_py()
            for start, end in self.rows.node_ranges(scope)
            for row in range(start, end)
            if self.rows.kind[row] == _PARAGRAPH
        ]

    def paragraph(self, node_id: str) -> Paragraph:
        """Text and place of a paragraph. Raises UnknownNode for an id that is none."""
        row = self.rows.row(node_id)
        self._check_paragraph(node_id, row)
        unit = int(np.searchsorted(self.rows.level_nodes("paragraph"), row))
        node = self._node(row)
        document = int(self.rows.document[row])
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
            position=unit - int(np.searchsorted(self.rows.level_nodes("paragraph"), self.rows.first[document])),
            uri=self._index.documents.column("uri")[document].as_py(),
            product_version=self._index.documents.column("product_version")[document].as_py(),
        )

    def pieces(self, node_id: str) -> tuple[list[str], list[str]]:
        """Paragraphs before and behind a piece of a table that hold other rows of it.

        Nearest first; both empty for a whole table, and for running text, which says something in parts too. Raises UnknownNode for an
        id that is no paragraph.
        """
        row = self.rows.row(node_id)
        self._check_paragraph(node_id, row)
        units = self.rows.level_nodes("paragraph")
        unit = int(np.searchsorted(units, row))
        found: tuple[list[str], list[str]] = ([], [])
        for side, step in zip(found, (-1, 1), strict=True):
            at = unit
            while 0 <= at + step < len(units) and self.rows.document[units[at + step]] == self.rows.document[row]:
                lower, upper = sorted((at, at + step))
                both = (self._paragraph_kinds[lower].as_py(), self._paragraph_kinds[upper].as_py())
                if both != ("table", "table") or self._blocks[1][lower] < 0 or self._blocks[1][lower] != self._blocks[0][upper]:
                    break
                at += step
                side.append(self._text("node_id", int(units[at])))
        return found

    # -- lateral edges and profiles

    def neighbors(self, node_id: str, kinds: Collection[str] | None = None) -> list[Edge]:
        """Lateral edges at a node in both directions, heaviest first, and its communities or members as edges of kind "community".

        kinds: edge kinds wanted, None = all. Edges to nodes that the reader may not see are left out.
        """
        self.node(node_id)
        found = [] if node_id.startswith("community/") else self._stored_edges(node_id, kinds)
        if kinds is None or MEMBER in kinds:
            found += self._community_edges(node_id)
        return sorted(found, key=lambda edge: (-edge.weight, edge.kind, edge.source_id, edge.target_id))

    def profile(self, node_id: str) -> NodeProfile:
        """Keywords, entities, topic cues and the summary of a node where it has one. For navigation only."""
        if node_id.startswith("community/"):
            terms = self.rows.label_terms(self.rows.community_row(node_id))
            members = self.children(node_id)
            return NodeProfile(node_id, keywords=tuple((term, 1.0) for term in terms), topic_cues=tuple(node.title for node in members))
        self.rows.row(node_id)
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

    # -- inside

    @cached_property
    def _paragraph_kinds(self) -> Any:
        return self._index.paragraphs.column("kind")

    @cached_property
    def _blocks(self) -> tuple[Any, Any]:
        """First and last layout block of each paragraph, by its place among all of them."""
        first, last = (self._index.integers("paragraphs", f"{end}_block") for end in ("first", "last"))
        return first, last

    def _check_paragraph(self, node_id: str, row: int) -> None:
        if self.rows.kind[row] != _PARAGRAPH:
            raise UnknownNode(
                f"node {node_id!r} is a {KINDS[self.rows.kind[row]]}, not a paragraph; its paragraphs: paragraph_ids({node_id!r})"
            )

    def _text(self, column: str, row: int) -> str:
        return str(self._columns[column][row].as_py() or "")

    def _outline(self, row: int, depth: int) -> Iterator[Node]:
        if depth <= 0:
            return
        for child in self.rows.child_rows(row):
            if self.rows.kind[child] == _SECTION:
                yield self._node(child)
                yield from self._outline(child, depth - 1)

    def _node(self, row: int) -> Node:
        kind = int(self.rows.kind[row])
        lineage = [row, *self.rows.rows_above(row)]
        sections = [self._text("title", at) for at in reversed(lineage) if self.rows.kind[at] == _SECTION]
        document = int(self.rows.document[row])
        title_row = lineage[1] if kind == _PARAGRAPH and len(lineage) > 1 else row
        return Node(
            node_id=self._text("node_id", row),
            level=KINDS[kind],
            title=self._text("title", title_row),
            label=self._text("label", row),
            path=tuple(sections) if kind != _DOCUMENT else tuple(self._index.documents.column("folders")[document].as_py()),
            doc=self._names[document].as_py(),
            doc_id=self.rows.doc_ids[document],
            parent_id=self._text("node_id", lineage[1]) if len(lineage) > 1 else None,
            position=int(self._numbers["position"][row]),
            n_tokens=int(self._numbers["n_tokens"][row]),
            height=int(self._numbers["height"][row]),
            page_start=self._columns["page_start"][row].as_py(),
            page_end=self._columns["page_end"][row].as_py(),
        )

    @cached_property
    def _document_names(self) -> dict[str, list[str]]:
        docs, uris = (self._index.documents.column(name).to_pylist() for name in ("doc", "uri"))
        return name_index((self.rows.doc_ids[row], docs[row], uris[row]) for row in range(len(docs)) if self.rows.visible[row])

    def _community_node(self, row: int) -> Node:
        heights = [int(self._numbers["height"][member]) for member in self.rows.members(row)]
        return Node(
            node_id=self.rows.community_ids[row],
            level="community",
            title=", ".join(self.rows.label_terms(row)),
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
            members = [self._text("node_id", row) for row in self.rows.members(self.rows.community_row(node_id))]
            return [Edge(node_id, member, MEMBER, 1.0, "member of the community", "confirmed") for member in members]
        row = self.rows.row(node_id)
        return [
            Edge(node_id, self.rows.community_ids[at], MEMBER, 1.0, f"community of {', '.join(self.rows.label_terms(at)[:5])}", "confirmed")
            for at in self.rows.visible_communities
            if row in self.rows.members(at)
        ]

    # -- edges and tables that are read when first asked for

    @cached_property
    def _edges(self) -> EdgeIndex:
        return EdgeIndex.open(self.folder)

    def _stored_edges(self, node_id: str, kinds: Collection[str] | None) -> list[Edge]:
        found = []
        for edge in self._edges.at(self.rows.row(node_id)):
            if kinds is not None and edge.kind not in kinds:
                continue
            ends = [row for row in (edge.source, edge.target) if row >= 0]
            if all(self.rows.visible[self.rows.document[row]] for row in ends):
                target = self._text("node_id", edge.target) if edge.target >= 0 else edge.mention or ""
                found.append(Edge(self._text("node_id", edge.source), target, edge.kind, edge.weight, edge.why, edge.status))
        return found

    @cached_property
    def _profiles_of(self) -> Any:
        # Per graph and bounded: a run looks at few shards, a server at all of them over time.
        @lru_cache(maxsize=4)
        def read(shard: str) -> tuple[pl.DataFrame, pl.DataFrame]:
            profiles = self.snapshot.read("profiles", columns=["node_id", "keywords", "entities", "topic_cues"], parts=[shard])
            routing = self.snapshot.read("routing_profiles", columns=["node_id", "summary", "key_concepts", "subtopics"], parts=[shard])
            return profiles, routing

        return read


_DOCUMENT, _SECTION, _PARAGRAPH = (KINDS.index(kind) for kind in ("document", "section", "paragraph"))


def _weighted(values: list[dict[str, Any]] | None) -> tuple[tuple[str, float], ...]:
    return tuple((value["term"], float(value["weight"])) for value in values or ())
