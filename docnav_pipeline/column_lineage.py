"""Which columns a column is made from, for the lineage that the Dagster UI draws; ids that are handed on are left out."""

from __future__ import annotations

from collections.abc import Mapping

import dagster as dg

# Table -> column -> columns, as `table.column`, that decide its values.
SOURCES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "tree": {
        "title": ("layout.text", "documents.title"),
        "label": ("layout.text",),
        "evidence": ("layout.text", "layout.level", "layout.size_pt", "layout.weight", "layout.type"),
        "boxes": ("layout.page", "layout.bbox"),
        "anchor": ("layout.anchor",),
        "page_start": ("layout.page",),
        "page_end": ("layout.page",),
    },
    "paragraphs": {
        "text": ("layout.text", "layout.type", "layout.continues_previous"),
        "boxes": ("layout.page", "layout.bbox"),
        "blocks": ("layout.block",),
        "page_start": ("layout.page",),
        "page_end": ("layout.page",),
    },
    "parse_quality": {
        "evidence": ("layout.text", "layout.level"),
        "n_pages": ("documents.n_pages",),
        "pages_without_text": ("documents.pages_without_text",),
    },
    "features": {
        "entities": ("paragraphs.text", "documents.language"),
        "keywords": ("paragraphs.text", "documents.language"),
        "citations": ("paragraphs.text",),
        "cross_references": ("paragraphs.text",),
    },
    "embeddings": {"vector": ("paragraphs.path", "paragraphs.text"), "text_hash": ("paragraphs.path", "paragraphs.text")},
    "profiles": {
        "vector": ("embeddings.vector", "tree.parent_id"),
        "keywords": ("features.keywords", "tree.parent_id"),
        "entities": ("features.entities", "tree.parent_id"),
        "topic_cues": ("tree.title", "features.keywords"),
        "path": ("tree.path",),
        "in_R": ("tree.kind", "tree.height", "tree.n_tokens"),
    },
    "routing_profiles": {
        "node_id": ("profiles.in_R",),
        "summary": ("paragraphs.text", "profiles.vector", "profiles.keywords"),
        "key_concepts": ("profiles.keywords", "profiles.entities"),
        "subtopics": ("profiles.topic_cues",),
    },
    "summaries": {"summary": ("paragraphs.text", "profiles.vector", "profiles.keywords"), "kind": ("tree.kind",)},
    "lateral_edges": {
        "source_id": ("tree.node_id",),
        "target_id": ("tree.node_id", "features.cross_references", "features.citations", "layout.links"),
        "weight": ("features.entities", "profiles.vector"),
        "why": ("paragraphs.text",),
    },
    "communities": {
        "node_id": ("tree.node_id",),
        "community_id": ("lateral_edges.weight", "profiles.vector"),
        "label_terms": ("profiles.keywords",),
    },
    "entities": {
        "name": ("features.entities",),
        "label": ("features.entities",),
        "mentions": ("features.entities", "features.paragraph_id"),
    },
    "entity_edges": {"source_id": ("entities.entity_id",), "target_id": ("entities.entity_id",), "weight": ("entities.mentions",)},
}


def column_lineage(table: str) -> dg.TableColumnLineage | None:
    """Lineage of the columns of a table; None where it comes from files alone."""
    if table not in SOURCES:
        return None
    pairs = {column: [source.split(".") for source in sources] for column, sources in SOURCES[table].items()}
    return dg.TableColumnLineage({column: [dg.TableColumnDep(*source) for source in sources] for column, sources in pairs.items()})
