"""Rows of a snapshot's nodes as one reader may see them: subtrees, levels, scopes and communities."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches
from functools import cached_property
from typing import TypeAlias

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from assets_store.errors import UnknownNode
from assets_store.ids import doc_of
from assets_store.node_index import KINDS, NodeIndex

# Ids compared when a name is not found; more would make an error slower than a search.
_NEAREST_POOL = 20_000

Ranges: TypeAlias = list[tuple[int, int]]


class NodeRows:
    """Node rows of an index, without the documents that need a label which the reader lacks.

    A row is a position in nodes.arrow. kind: int8 [n_nodes]; parent, end, document: int32 [n_nodes]; visible: bool [n_documents].
    """

    def __init__(self, index: NodeIndex, labels: Collection[str], snapshot_id: str) -> None:
        self.index = index
        self.labels = frozenset(labels)
        self.snapshot_id = snapshot_id
        # Looking a column up by name costs more than reading a value of it.
        self._node_ids = index.nodes.column("node_id")
        self.kind = index.integers("nodes", "kind")
        self.parent = index.integers("nodes", "parent")
        self.end = index.integers("nodes", "end")
        self.document = index.integers("nodes", "document")
        self.first = index.integers("documents", "first")
        self._document_end = index.integers("documents", "end")
        self.doc_ids: list[str] = index.documents.column("doc_id").to_pylist()
        self._doc_rows = {doc_id: row for row, doc_id in enumerate(self.doc_ids)}
        self.visible = self._visible_documents()

    def row(self, node_id: str) -> int:
        """Row of a document, section or paragraph. Raises UnknownNode naming the nearest ids."""
        document = self._doc_rows.get(doc_of(node_id))
        if document is not None and self.visible[document]:
            first, end = int(self.first[document]), int(self._document_end[document])
            row = self.index.row_of(node_id, first, end)
            if row is not None:
                return row
            pool: Iterable[str] = self._node_ids.slice(first, min(end - first, _NEAREST_POOL)).to_pylist()
        else:
            pool = (doc_id for row, doc_id in enumerate(self.doc_ids[:_NEAREST_POOL]) if self.visible[row])
        raise self._unknown(node_id, pool)

    def rows_above(self, row: int) -> Iterator[int]:
        """Rows above, nearest first, ending with the document's."""
        above = int(self.parent[row])
        while above >= 0:
            yield above
            above = int(self.parent[above])

    def child_rows(self, row: int) -> Iterator[int]:
        """Rows right below, in order."""
        child, end = row + 1, int(self.end[row])
        while child < end:
            yield child
            child = int(self.end[child])

    def level_nodes(self, level: str) -> NDArray[np.int64]:
        """Rows in the node order of all nodes of a level, ascending: row i of that level's indexes is node level_nodes(level)[i]."""
        return self._level_nodes[level]

    def node_ranges(self, scope: str | Iterable[str]) -> Ranges:
        """Subtrees of nodes as ascending, disjoint ranges of rows in the node order. Raises UnknownNode."""
        rows: list[int] = []
        ranges: Ranges = []
        for node_id in [scope] if isinstance(scope, str) else scope:
            if node_id.startswith("community/"):
                rows += self.members(self.community_row(node_id))
            elif (document := self._doc_rows.get(node_id)) is not None and self.visible[document]:
                # A document that failed has no rows and no node, and is a scope without text.
                ranges.append((int(self.first[document]), int(self._document_end[document])))
            else:
                rows.append(self.row(node_id))
        ranges += [(row, int(self.end[row])) for row in rows]
        return _merge(ranges)

    def level_ranges(self, level: str, scope: str | Iterable[str] | None = None) -> Ranges | None:
        """The part of a level's index rows that a search may return; None means all of them.

        level: "document", "section" or "paragraph". scope: node ids whose subtrees are meant, None = all that the reader may see.
        """
        if scope is None:
            if self.visible.all():
                return None
            shown = np.flatnonzero(self.visible)
            node_ranges = _merge([(int(self.first[row]), int(self._document_end[row])) for row in shown])
        else:
            node_ranges = self.node_ranges(scope)
        rows = self.level_nodes(level)
        ends = np.searchsorted(rows, np.array(node_ranges, dtype=np.int64).reshape(-1, 2))
        return _merge([(int(start), int(end)) for start, end in ends])

    def community_rows(self, scope: str | Iterable[str] | None = None) -> list[int] | None:
        """Index rows of the communities that a search may return, None = all: with a scope, those that are in it or have a member in it."""
        if scope is None:
            everything = len(self.visible_communities) == self.index.communities.num_rows
            return None if everything else self.visible_communities
        named = {scope} if isinstance(scope, str) else set(scope)
        ranges = self.node_ranges(named)
        return [
            row
            for row in self.visible_communities
            if self.community_ids[row] in named or any(start <= member < end for member in self.members(row) for start, end in ranges)
        ]

    def node_id_at(self, level: str, row: int) -> str:
        """Id of the node of an index row of a level."""
        if level == "community":
            return self.community_ids[row]
        return str(self._node_ids[int(self.level_nodes(level)[row])].as_py())

    @cached_property
    def community_ids(self) -> list[str]:
        """Ids of all communities, by row."""
        ids: list[str] = self.index.communities.column("community_id").to_pylist()
        return ids

    @cached_property
    def visible_communities(self) -> list[int]:
        """Rows of the communities of which the reader may see every member."""
        shown = self.visible[self.document]
        return [row for row in range(self.index.communities.num_rows) if all(shown[self.members(row)])]

    def members(self, row: int) -> list[int]:
        """Node rows of the members of a community."""
        rows: list[int] = self.index.communities.column("members")[row].as_py()
        return rows

    def label_terms(self, row: int) -> list[str]:
        """Distinctive terms of a community."""
        terms: list[str] = self.index.communities.column("label_terms")[row].as_py() or []
        return terms

    def community_level(self, row: int) -> int:
        """Level of a community, 0 for the finest partition."""
        return int(self.index.communities.column("level")[row].as_py())

    def community_row(self, node_id: str) -> int:
        """Row of a community. Raises UnknownNode."""
        try:
            row = self.community_ids.index(node_id)
        except ValueError:
            row = -1
        if row not in self.visible_communities:
            raise self._unknown(node_id, [self.community_ids[other] for other in self.visible_communities[:_NEAREST_POOL]])
        return row

    @cached_property
    def _level_nodes(self) -> dict[str, NDArray[np.int64]]:
        return {kind: np.flatnonzero(self.kind == code) for code, kind in enumerate(KINDS)}

    def _visible_documents(self) -> NDArray[np.bool_]:
        needed = self.index.documents.column("access_labels")
        visible = np.ones(len(needed), dtype=np.bool_)
        for row in pc.indices_nonzero(pc.list_value_length(needed)).tolist():
            visible[row] = self.labels.intersection(needed[row].as_py()) != set()
        return visible

    def _unknown(self, node_id: str, pool: Iterable[str]) -> UnknownNode:
        near = get_close_matches(node_id, list(pool), n=2, cutoff=0.4)
        hint = f" (nearest: {', '.join(map(repr, near))})" if near else ""
        return UnknownNode(f"no node {node_id!r} in snapshot {self.snapshot_id}{hint}. Was it made from an older snapshot?")


def _merge(ranges: Ranges) -> Ranges:
    """Ascending, disjoint, not empty ranges that cover the same rows."""
    merged: Ranges = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif end > start:
            merged.append((start, end))
    return merged
