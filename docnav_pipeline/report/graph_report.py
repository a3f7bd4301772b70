"""The graph report of one snapshot: facts, and the HTML page that shows them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from assets_store.snapshot import Snapshot
from docnav_pipeline.report.community_facts import CommunityFacts, community_facts
from docnav_pipeline.report.document_tree import DocumentTree, document_tree, find_tree, largest_tree
from docnav_pipeline.report.graph_arrays import GraphArrays
from docnav_pipeline.report.graph_facts import GraphFacts, graph_facts


@dataclass(frozen=True, slots=True)
class GraphReport:
    """tree: the document that is drawn; None where the snapshot holds no text."""

    facts: GraphFacts
    communities: CommunityFacts
    tree: DocumentTree | None

    def headline(self) -> dict[str, int | float]:
        """The numbers to look at first; a share of nothing is left out."""
        facts = self.facts
        found: dict[str, int | float | None] = {
            "documents": sum(facts.documents.values()),
            "sections": facts.nodes["section"],
            "paragraphs": facts.nodes["paragraph"],
            "confirmed edges": sum(edge.confirmed for edge in facts.edges),
            "candidate edges": sum(edge.candidates for edge in facts.edges),
            "broken references": sum(edge.unresolved for edge in facts.edges),
            "communities": sum(level.communities for level in self.communities.levels),
            "entities": facts.entities.n,
            "share of scopes in R_d": facts.in_R_share,
            "share of orphan paragraphs": facts.orphan_share,
            "share of references unresolved": facts.unresolved_share,
        }
        return {name: value if isinstance(value, int) else round(value, 4) for name, value in found.items() if value is not None}

    def as_json(self) -> dict[str, Any]:
        """Everything, without pictures. `tree`: the document that a page would draw."""
        edges = [{**asdict(edge), "unresolved_share": edge.unresolved_share} for edge in self.facts.edges]
        tree = None if self.tree is None else {"doc_id": self.tree.doc_id, "doc": self.tree.doc, "nodes": len(self.tree.nodes)}
        return {"headline": self.headline(), **asdict(self.facts), "edges": edges, "communities": asdict(self.communities), "tree": tree}


def graph_report(snapshot: Snapshot, document: str | None = None) -> GraphReport:
    """The report of a snapshot. document: name of the one whose tree is drawn, the one with the most sections by default.

    Raises UnknownDocument where no document with text has that name.
    """
    graph = GraphArrays.of(snapshot)
    doc_id = find_tree(snapshot, document) if document is not None else largest_tree(graph)
    tree = document_tree(snapshot, graph, doc_id) if doc_id is not None else None
    return GraphReport(graph_facts(snapshot, graph), community_facts(snapshot, graph), tree)
