"""What the graph hands out: nodes, paragraphs, lateral edges and profiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

LEVELS = ("community", "document", "section", "paragraph")
EdgeKind = Literal["adjacent", "citation", "cross_reference", "title_mention", "entity", "semantic", "community"]
EDGE_KINDS: tuple[EdgeKind, ...] = get_args(EdgeKind)


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the graph.

    title: of a paragraph, the title of its section; of a community, its label terms.
    path: titles from the top section down to this node, a paragraph has its section's, a document
    those of its folders. position: order among the siblings.
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
