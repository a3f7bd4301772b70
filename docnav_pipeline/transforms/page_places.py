"""Places on pages: which node a link to a page, or to a point on it, means."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from urllib.parse import parse_qsl

import polars as pl

from docnav_pipeline.transforms.document_places import normal_title

_PAGE = re.compile(r"page=(\d{1,7})(?:&|$)")
# A destination is set a little above its line, often at the foot of the line before: it means what begins this far below it.
_DROP = 0.008
# From a destination this much of the page is looked at, downwards.
_REACH = 0.35
_PAGE_NUMBER = re.compile(r"\s\d{1,4}$")
_MIN_TITLE = 6
# A destination states the left edge of its column, or one up to this much further to the right; what it means may be set in further.
_LEFT, _INDENT = 0.12, 0.3


class PagePlaces:
    """Nodes of one document by page and box. Nodes are added in reading order."""

    def __init__(self) -> None:
        self._pages: dict[int, list[tuple[float, float, float, float, str, bool]]] = defaultdict(list)
        self._titles: dict[int, dict[str, str]] = defaultdict(dict)

    def add(self, page: int, box: tuple[float, float, float, float], node_id: str, title: str) -> None:
        """title: of a heading, "" for a paragraph."""
        self._pages[page].append((*box, node_id, bool(title)))
        if title:
            self._titles[page].setdefault(normal_title(title), node_id)

    def find(self, fragment: str, text: str) -> tuple[str | None, float]:
        """(node_id, how sure, 0..1) of "page=5&left=0.1&top=0.3"; (None, 0) for no such page. text: of the link.

        A heading on the page that is titled like the link; else the node whose box holds the point, or that begins next below it in its
        column. Without a point it is the first on the page, 0.4.
        """
        match = _PAGE.match(fragment)
        boxes = self._pages.get(int(match[1]), []) if match else []
        if not boxes:
            return None, 0.0
        if match and (titled := self._titled(int(match[1]), text)) is not None:
            return titled, 1.0
        values = dict(parse_qsl(fragment))
        left, top = _share(values.get("left")), _share(values.get("top"))
        if top is None:
            return boxes[0][4], 0.4
        at = top + _DROP
        below = [box for box in boxes if box[3] > at and box[1] <= at + _REACH]
        below = [box for box in below if left is None or left - _LEFT <= box[0] <= left + _INDENT] or below
        if not below:
            return boxes[0][4], 0.4
        # A number printed apart from its note stands beside it: the wider one is meant.
        best = min(below, key=lambda box: (round(max(box[1], at), 2), not box[5], box[0] - box[2]))
        return best[4], 1.0

    def _titled(self, page: int, text: str) -> str | None:
        """The only heading of a page whose title is the text of a link, or the end of it: "Business 3" -> "Item 1. Business"."""
        wanted = normal_title(_PAGE_NUMBER.sub("", text))
        if (found := self._titles.get(page, {}).get(wanted)) is not None or len(wanted) < _MIN_TITLE:
            return found
        ends = [node_id for title, node_id in self._titles.get(page, {}).items() if title.endswith(f" {wanted}")]
        return ends[0] if len(ends) == 1 else None


def is_page(fragment: str) -> bool:
    """Whether a fragment, without its "#", names a page."""
    return bool(_PAGE.match(fragment))


def shown_target(target: str) -> str:
    """A link target as people read it: "#page=5&top=0.3" -> "page 5"."""
    head, _, fragment = target.partition("#")
    match = _PAGE.match(fragment)
    return f"{head} page {match[1]}".strip() if match else target


def pages_by_document(tree: pl.DataFrame, paragraphs: pl.DataFrame, wanted: set[str]) -> Mapping[str, PagePlaces]:
    """Places of the wanted documents. tree: doc_id, node_id, kind, title, preorder, boxes. paragraphs: doc_id, paragraph_id, boxes."""
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
    is_heading = pl.col("kind") == "section"
    rows = nodes.select(
        "doc_id",
        "node_id",
        pl.when(is_heading).then("title").otherwise(pl.lit("")).alias("title"),
        pl.when(is_heading).then("boxes").otherwise("text_boxes").alias("boxes"),
    )
    for doc_id, node_id, title, places in rows.iter_rows():
        pages = found.setdefault(doc_id, PagePlaces())
        for place in places or ():
            if place["bbox"] is not None and len(place["bbox"]) == 4:
                pages.add(place["page"], tuple(place["bbox"]), node_id, title)
    return found


def _share(value: str | None) -> float | None:
    try:
        number = float(value) if value is not None else None
    except ValueError:
        return None
    return number if number is not None and 0 <= number <= 1 else None
