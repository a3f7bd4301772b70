"""The walk of a run over the document tree, as rows and marks to draw: what each step was shown, fetched, and what the answer cites.

Everything comes from the artifacts; nodes that a run was never shown are not in them and are not drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MAX_ROWS = 120

ROW_HEIGHT = 22
INDENT = 16
STEP_WIDTH = 34
TREE_WIDTH = 460
MAX_TITLE = 64
# Sorts behind titles; never drawn.
_LAST = "\x7f"


@dataclass(frozen=True, slots=True)
class Mark:
    """A step at a node. kind: `shown`, `target` or `fetched`; x, y: pixels."""

    kind: str
    step: int
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the tree. depth: 0 for a document; kind: `document`, `section`, `paragraph` or `community`.

    key: the node id, or the titles down to a node that was never shown itself.
    """

    key: str
    title: str
    kind: str
    depth: int
    x: int
    y: int
    cited: bool


@dataclass(frozen=True, slots=True)
class WalkMap:
    """rows: from top to bottom, sections by title, paragraphs in order.

    path: points of the line through the targets of all steps. left_out: nodes that were only shown.
    """

    rows: tuple[Row, ...]
    marks: tuple[Mark, ...]
    path: str
    steps: tuple[tuple[int, int], ...]
    width: int
    height: int
    left_out: int


def walk_map(steps: Sequence[Mapping[str, Any]], evidence: Mapping[str, Mapping[str, Any]], cited: Sequence[str]) -> WalkMap:
    """The map of a run. steps, evidence: artifacts; cited: evidence ids of the answer. Values of wrong types are left out."""
    places: dict[tuple[str, ...], tuple[str, str]] = {}
    at: dict[str, tuple[str, ...]] = {}
    for card in (card for step in steps for card in cards_of(step)):
        _place(card, at, places)
    cited_nodes = {str(evidence[name].get("node_id")) for name in cited if name in evidence}
    for item in evidence.values():
        _place({**item, "level": "paragraph", "path": item.get("section"), "title": ""}, at, places)
    touched = _touched(steps, evidence)
    wanted = {at[node_id] for per_step in touched for node_id, kind in per_step.items() if kind != "shown" and node_id in at}
    shown = [at[node_id] for per_step in touched for node_id in per_step if node_id in at]
    for key in dict.fromkeys(shown):
        if len(wanted) >= MAX_ROWS:
            break
        wanted.add(key)
    left_out = len(set(shown) - wanted)
    keys = sorted({key[:depth] for key in wanted for depth in range(1, len(key) + 1)})
    ids = {key: node_id for node_id, key in at.items()}
    rows = tuple(
        Row(
            ids.get(key) or " > ".join(key),
            places.get(key, (key[-1].lstrip(_LAST), "section" if len(key) > 1 else "document"))[0][:MAX_TITLE],
            places.get(key, ("", "section" if len(key) > 1 else "document"))[1],
            len(key) - 1,
            8 + INDENT * (len(key) - 1),
            ROW_HEIGHT * (number + 2),
            ids.get(key, "") in cited_nodes,
        )
        for number, key in enumerate(keys)
    )
    lines = {key: row.y for key, row in zip(keys, rows, strict=True)}
    marks = tuple(
        Mark(kind, number, _column(number), lines[at[node_id]] - 5)
        for number, per_step in enumerate(touched, start=1)
        for node_id, kind in per_step.items()
        if node_id in at and at[node_id] in lines
    )
    points = [(mark.x, mark.y) for mark in marks if mark.kind != "shown"]
    return WalkMap(
        rows,
        marks,
        " ".join(f"{x},{y}" for x, y in points),
        tuple((number, _column(number)) for number in range(1, len(steps) + 1)),
        TREE_WIDTH + STEP_WIDTH * (len(steps) + 1),
        ROW_HEIGHT * (len(rows) + 3),
        left_out,
    )


def cards_of(step: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Cards that a step was shown."""
    seen = step.get("observation")
    nodes = seen.get("nodes") if isinstance(seen, dict) else None
    return [card for card in nodes if isinstance(card, dict)] if isinstance(nodes, list) else []


def targets_of(step: Mapping[str, Any]) -> list[str]:
    """Node ids that the action of a step names."""
    action = step.get("action")
    if not isinstance(action, dict):
        return []
    many = [value for name in ("node_ids", "scope") if isinstance(action.get(name), list) for value in action[name]]
    return [value for value in (*many, action.get("node_id")) if isinstance(value, str)]


def _touched(steps: Sequence[Mapping[str, Any]], evidence: Mapping[str, Mapping[str, Any]]) -> list[dict[str, str]]:
    """Per step: node id → the strongest thing that the step did with it."""
    found = []
    for step in steps:
        per_step = {str(card.get("node_id")): "shown" for card in cards_of(step)}
        per_step |= dict.fromkeys(targets_of(step), "target")
        made = step.get("evidence_made")
        names = [name for name in made if name in evidence] if isinstance(made, list) else []
        per_step |= {str(evidence[name].get("node_id")): "fetched" for name in names}
        found.append(per_step)
    return found


def _place(node: Mapping[str, Any], at: dict[str, tuple[str, ...]], places: dict[tuple[str, ...], tuple[str, str]]) -> None:
    """Where a node stands in the drawing: document, sections, and for a paragraph its id at the end."""
    node_id, path = str(node.get("node_id")), node.get("path")
    if node_id in at:
        return
    level = str(node.get("level"))
    titles = [str(title) for title in path] if isinstance(path, list) else []
    if level == "community":
        key: tuple[str, ...] = (f"{_LAST}communities", node_id)
        title = str(node.get("title") or node_id)
    elif level == "document":
        key, title = (str(node.get("doc")),), str(node.get("doc"))
    elif level == "section":
        key, title = (str(node.get("doc")), *titles), titles[-1] if titles else str(node.get("title"))
    else:
        # Behind the sections of the same parent, in reading order where it is known.
        position = node.get("position")
        place = f"{position:06d}" if isinstance(position, int) else ""
        key = (str(node.get("doc")), *titles, f"{_LAST}{place}{node_id}")
        page = node.get("page_start")
        title = f"paragraph {node_id.rpartition('/')[2]}" + (f", p. {page}" if isinstance(page, int) else "")
        level = "paragraph"
    at[node_id] = key
    places.setdefault(key, (title, level))


def _column(step: int) -> int:
    return TREE_WIDTH + STEP_WIDTH * step - STEP_WIDTH // 2
