"""What communities are made of: documents, or major sections of long documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from assets_store.settings import CommunitySettings
from docnav_pipeline.transforms.node_rows import NodeRows, Rows

# A section with more than this share of its document is opened: a book in one part has its chapters as major sections.
_DOMINANT = 0.5


@dataclass(frozen=True, slots=True)
class Units:
    """unit: `document` or `section`. why: what decided. rows: tree rows of the units, in order of node id.

    of: int64 [n_tree_rows], position in `rows` of the unit that a tree node lies in, -1 for a node that lies in none.
    """

    unit: str
    why: str
    rows: Rows
    of: Rows


def choose_units(tree: pl.DataFrame, nodes: NodeRows, settings: CommunitySettings) -> Units:
    """The units of a corpus. tree: node_id, kind, n_tokens, position.

    `auto` takes sections where the median document is longer than `long_document_tokens`, or where there is but one document; the
    major sections are the document's child sections, opened while one of them holds more than half of the document. A document
    without sections is a unit itself. Nodes without text are no units.
    """
    documents = np.flatnonzero((tree["kind"] == "document").to_numpy())
    unit, why = _choose(tree, documents, settings)
    rows = documents if unit == "document" else _major_sections(tree, nodes, documents)
    tokens = tree["n_tokens"].to_numpy()
    rows = rows[tokens[rows] > 0]
    rows = rows[np.argsort(tree["node_id"].gather(rows).to_numpy().astype(str), kind="stable")] if len(rows) else rows
    of = np.full(len(nodes.ids), -1, np.int64)
    of[rows] = np.arange(len(rows))
    for depth in range(1, int(nodes.depth.max(initial=0)) + 1):
        here = np.flatnonzero((nodes.depth == depth) & (of < 0))
        of[here] = of[nodes.parent[here]]
    return Units(unit, why, rows, of)


def _choose(tree: pl.DataFrame, documents: Rows, settings: CommunitySettings) -> tuple[str, str]:
    if settings.unit != "auto":
        return settings.unit, "set by communities.unit"
    if len(documents) == 1:
        return "section", "the corpus is one document"
    median = float(np.median(tree["n_tokens"].to_numpy()[documents])) if len(documents) else 0.0
    long = median > settings.long_document_tokens
    than = f"{'longer' if long else 'not longer'} than communities.long_document_tokens = {settings.long_document_tokens}"
    return ("section" if long else "document"), f"the median document has {median:.0f} tokens, {than}"


def _major_sections(tree: pl.DataFrame, nodes: NodeRows, documents: Rows) -> Rows:
    is_section = (tree["kind"] == "section").to_numpy()
    tokens = tree["n_tokens"].to_numpy()
    sections = np.flatnonzero(is_section)
    children: dict[int, list[int]] = {}
    for row, parent in zip(sections.tolist(), nodes.parent[sections].tolist(), strict=True):
        children.setdefault(parent, []).append(row)
    found: list[int] = []
    for document in documents.tolist():
        queue = children.get(document, [])
        if not queue:
            found.append(document)
        while queue:
            row = queue.pop()
            below = children.get(row, [])
            if len(below) > 1 and tokens[row] > _DOMINANT * tokens[document]:
                queue.extend(below)
            else:
                found.append(row)
    return np.array(found, np.int64)
