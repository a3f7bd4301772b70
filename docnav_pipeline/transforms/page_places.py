"""Places on pages: which node a link to a page, or to a point on it, means."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from urllib.parse import parse_qsl

import polars as pl

_PAGE = re.compile(r"page=(\d{1,7})(?:&|$)")
# A destination is set a little above its line, often at the foot of the line before: it means what begins this far below it.
_DROP = 0.008
# From a destination this much of the page is looked at, downwards.
_REACH = 0.35
_MARGIN = 0.03


class PagePlaces:
    """Nodes of one document by page and box. rows: (page, x0, y0, x1, y1, node_id, is heading), in reading order."""

    def __init__(self) -> None:
        self._pages: dict[int, list[tuple[float, float, float, float, str, bool]]] = defaultdict(list)

    def add(self, page: int, box: tuple[float, float, float, float], node_id: str, is_heading: bool) -> None:
        self._pages[page].append((*box, node_id, is_heading))

    def find(self, fragment: str) -> tuple[str | None, float]:
        """(node_id, how sure, 0..1) of "page=5&left=0.1&top=0.3"; (None, 0) for no such page.

        The node whose box holds the point, or that begins next below it in its column. Without a point it is the first on the page, 0.8.
        """
        match = _PAGE.match(fragment)
        boxes = self._pages.get(int(match[1]), []) if match else []
        if not boxes:
            return None, 0.0
        values = dict(parse_qsl(fragment))
        left, top = _share(values.get("left")), _share(values.get("top"))
        if top is None:
            return boxes[0][4], 0.8
        column = [box for box in boxes if left is None or box[0] - _MARGIN <= left <= box[2] + _MARGIN] or boxes
        at = top + _DROP
        below = [box for box in column if box[3] > at and box[1] <= at + _REACH]
        if not below:
            return boxes[0][4], 0.8
        best = min(below, key=lambda box: (max(box[1], at), not box[5], box[3] - box[1]))
        return best[4], 1.0


def is_page(fragment: str) -> bool:
    """Whether a fragment, without its "#", names a page."""
    return bool(_PAGE.match(fragment))


def shown_target(target: str) -> str:
    """A link target as people read it: "#page=5&top=0.3" -> "page 5"."""
    head, _, fragment = target.partition("#")
    match = _PAGE.match(fragment)
    return f"{head} page {match[1]}".strip() if match else target


def pages_by_document(tree: pl.DataFrame, paragraphs: pl.DataFrame, wanted: set[str]) -> Mapping[str, PagePlaces]:
    """Places of the wanted documents. tree: doc_id, node_id, kind, preorder, boxes. paragraphs: doc_id, paragraph_id, boxes."""
    found: dict[str, PagePlaces] = {}
    if not wanted:
        return found
    mine = pl.col("doc_id").is_in(sorted(wanted))
    boxes = paragraphs.filter(mine).select(node_id="paragraph_id", text_boxes="boxes")
    nodes = (
        tree.filter(mine & (pl.col("kind") != "document"))
        .sort("doc_id", "preorder")
        .join(boxes, on="node_id", how="left", maintain_order="left")
    )
    rows = nodes.select(
        "doc_id", "node_id", "kind", pl.when(pl.col("kind") == "section").then("boxes").otherwise("text_boxes").alias("boxes")
    )
    for doc_id, node_id, kind, places in rows.iter_rows():
        pages = found.setdefault(doc_id, PagePlaces())
        for place in places or ():
            if place["bbox"] is not None and len(place["bbox"]) == 4:
                pages.add(place["page"], tuple(place["bbox"]), node_id, kind == "section")
    return found


def _share(value: str | None) -> float | None:
    try:
        number = float(value) if value is not None else None
    except ValueError:
        return None
    return number if number is not None and 0 <= number <= 1 else None
