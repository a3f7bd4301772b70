"""The places of one document that its text can mention: labelled headings, titles, captions, pages and anchors."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote

import polars as pl

from docnav_pipeline.transforms.references import FLOAT_KINDS, find_captions, label_keys

# Headings with a word in front that make it the way of the document.
_WORDED = 2
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_NOT_TITLE = re.compile(r"[\W_]+")
# Which units a mention may mean by its word, best first; "" is a label without a word ("4.2").
_MEANS: Mapping[str, tuple[str, ...]] = {
    "section": ("section", ""),
    "chapter": ("chapter", ""),
    "appendix": ("appendix", ""),
    "article": ("article", ""),
    "clause": ("clause", "section", "article", ""),
    "part": ("part",),
    "item": ("item",),
    "note": ("note",),
    "schedule": ("schedule",),
}


@dataclass(slots=True)
class Places:
    """node_ids, parents: of the document's nodes in reading order; a position is an index into them, row_of its inverse.

    labels: (unit, number) -> positions of headings. floats: (kind, number) -> positions of paragraphs with that caption.
    titles: compared title -> positions. anchors: fragment -> node_id. pages: page -> position of the first heading, or paragraph, there.
    worded: unit -> headings whose label has its word ("Chapter 3"). headings: node_id -> title.
    """

    node_ids: Sequence[str]
    parents: Sequence[str | None]
    labels: dict[tuple[str, str], list[int]] = field(default_factory=lambda: defaultdict(list))
    floats: dict[tuple[str, str], list[int]] = field(default_factory=lambda: defaultdict(list))
    titles: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    anchors: dict[str, str] = field(default_factory=dict)
    pages: dict[int, int] = field(default_factory=dict)
    row_of: dict[str, int] = field(default_factory=dict)
    worded: Counter[str] = field(default_factory=Counter)
    headings: dict[str, str] = field(default_factory=dict)

    def title_at(self, node_id: str) -> str:
        """Title of a heading, "" for a paragraph."""
        return self.headings.get(node_id, "")

    @property
    def parent_of(self) -> dict[str, str | None]:
        """node_id -> node_id of the parent."""
        return dict(zip(self.node_ids, self.parents, strict=True))

    def ancestors(self, node_id: str) -> list[str]:
        """Nodes above a node of this document, nearest first."""
        found: list[str] = []
        above = self.parents[self.row_of[node_id]]
        while above is not None:
            found.append(above)
            above = self.parents[self.row_of[above]]
        return found

    def find(self, kind: str, target: str) -> tuple[list[int], float]:
        """Positions that a mention may mean, and how well they fit, 0..1; ([], 0) for none."""
        if kind == "title":
            return self.titles.get(normal_title(target), []), 1.0
        if kind == "page":
            at = self.pages.get(int(target)) if target.isdigit() else None
            # Printed page numbers need not be those of the file.
            return ([at], 0.4) if at is not None else ([], 0.0)
        if kind in FLOAT_KINDS:
            if whole := self.floats.get((kind, target)):
                return whole, 1.0
            # "Figure 3A" is a part of figure 3.
            return self.floats.get((kind, target.rstrip(_LETTERS)), []), 0.9
        for number, fit in _numbers(target):
            for unit in _MEANS.get(kind, (kind, "")):
                if (unit or self._bare_fits(kind, number)) and (found := self.labels.get((unit, number))):
                    return found, fit
        return [], 0.0

    def _bare_fits(self, kind: str, number: str) -> bool:
        """Whether a label without a word may be meant: not where the document writes the word in front of such labels."""
        if "." not in number and self.worded[kind] >= _WORDED:
            return False
        if kind == "appendix":
            return number[:1].isalpha()
        return kind != "chapter" or number.isdigit()

    def nearest(self, source: str, found: Sequence[int]) -> list[int]:
        """Those of some positions that share most of their ancestors with the source."""
        above = self.ancestors(source)
        depth = {node_id: len(above) - i for i, node_id in enumerate(above)}

        def shared(position: int) -> int:
            return max((depth[a] for a in (self.node_ids[position], *self.ancestors(self.node_ids[position])) if a in depth), default=0)

        scores = [shared(position) for position in found]
        return [position for position, score in zip(found, scores, strict=True) if score == max(scores)]


def normal_title(title: str) -> str:
    """A title as titles are compared: casefolded words, without the number in front."""
    words = _NOT_TITLE.sub(" ", title.casefold()).split()
    while len(words) > 1 and words[0].isdigit():
        words = words[1:]
    return " ".join(words)


def places_by_document(
    tree: pl.DataFrame, paragraphs: pl.DataFrame, layout: pl.DataFrame, wanted: Collection[str]
) -> Iterator[tuple[str, Places]]:
    """Places of the wanted documents, by doc_id.

    tree: doc_id, node_id, parent_id, kind, title, label, page_start, preorder, anchor. paragraphs: doc_id, paragraph_id, text, blocks.
    layout: doc_id, block, anchor.
    """
    mine = pl.col("doc_id").is_in(sorted(wanted))
    nodes = tree.filter(mine).sort("doc_id", "preorder")
    texts = dict(paragraphs.filter(mine).select("paragraph_id", "text").iter_rows())
    anchors = anchors_by_document(nodes, paragraphs.filter(mine), layout.filter(mine))
    columns = ["node_id", "kind", "title", "label", "page_start"]
    for (doc_id,), rows in nodes.group_by("doc_id", maintain_order=True):
        places = Places(rows["node_id"].to_list(), rows["parent_id"].to_list())
        places.row_of.update({node_id: i for i, node_id in enumerate(places.node_ids)})
        first_on_page: dict[int, int] = {}
        chains: dict[str, tuple[str, ...]] = {}
        for i, (node_id, kind, title, label, page) in enumerate(rows.select(columns).iter_rows()):
            if kind == "paragraph":
                _add_captions(places, i, texts.get(node_id, ""))
                if page is not None:
                    first_on_page.setdefault(page, i)
                continue
            keys = label_keys(label) if label else []
            for key in keys:
                places.labels[key].append(i)
            places.worded.update({unit for unit, _ in keys if unit})
            chain = _chain(chains.get(places.parents[i] or "", ()), keys)
            chains[node_id] = chain
            # "IV.B.1" is printed as "IV", "B" and "1" one below the other.
            if len(chain) > 1 and keys and not chain[0].isdigit():
                places.labels["", ".".join(chain)].append(i)
            if kind == "section":
                places.headings[node_id] = title
                if normal_title(title):
                    places.titles[normal_title(title)].append(i)
                if page is not None:
                    places.pages.setdefault(page, i)
        for page, i in first_on_page.items():
            places.pages.setdefault(page, i)
        places.anchors.update(anchors.get(str(doc_id), {}))
        _keep_captions(places)
        yield str(doc_id), places


def anchors_by_document(tree: pl.DataFrame, paragraphs: pl.DataFrame, layout: pl.DataFrame) -> dict[str, dict[str, str]]:
    """doc_id -> fragment -> node_id: headings first, then paragraphs that hold a block with an anchor; the first of a document counts.

    tree: doc_id, node_id, preorder, anchor. paragraphs: doc_id, paragraph_id, blocks. layout: doc_id, block, anchor.
    """
    headings = tree.drop_nulls("anchor").sort("doc_id", "preorder").select("doc_id", "anchor", "node_id")
    anchors = layout.select("doc_id", "block", "anchor").drop_nulls("anchor")
    where = paragraphs.select("doc_id", "paragraph_id", "blocks").explode("blocks").drop_nulls("blocks")
    inside = anchors.join(where, left_on=["doc_id", "block"], right_on=["doc_id", "blocks"]).sort("doc_id", "block", "paragraph_id")
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for frame in (headings, inside.select("doc_id", "anchor", "paragraph_id")):
        for doc_id, anchor, node_id in frame.iter_rows():
            found[doc_id].setdefault(anchor, node_id)
    return found


def find_anchor(anchors: Mapping[str, str], fragment: str) -> str | None:
    """node_id of a fragment as a link writes it, percent-encoded or not; None where no anchor is that."""
    return anchors.get(unquote(fragment), anchors.get(fragment))


def find_inner(anchors: Mapping[str, str], target: str) -> tuple[str | None, float]:
    """(node_id, how sure) of a link inside a document: "#fragment", or "file#fragment" in one made of files; (None, 0) for no place.

    Of a file without the fragment it is the beginning: 1 where the link names no fragment, else 0.4.
    """
    file, _, fragment = target.partition("#")
    found = find_anchor(anchors, fragment) if not file else find_anchor(anchors, target)
    if found is not None:
        return found, 1.0
    start = next((node_id for anchor, node_id in anchors.items() if anchor.partition("#")[0] == file), None) if file else None
    return (start, 0.4 if fragment else 1.0) if start is not None else (None, 0.0)


def inner_files(tree: pl.DataFrame, layout: pl.DataFrame) -> set[tuple[str, str]]:
    """(doc_id, file) of the files that a document is made of, as its anchors name them: those of an EPUB, none of other formats.

    tree: doc_id, anchor. layout: doc_id, block, anchor.
    """
    anchors = pl.concat([tree.select("doc_id", "anchor"), layout.select("doc_id", "anchor")]).drop_nulls()
    inside = anchors.filter(pl.col("anchor").str.contains("#", literal=True))
    return set(inside.select("doc_id", pl.col("anchor").str.splitn("#", 2).struct.field("field_0")).unique().iter_rows())


def _chain(above: tuple[str, ...], keys: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Labels from the top down to a heading with these keys; those above where it has none, () where its label is a path itself."""
    if not keys:
        return above
    number = keys[0][1]
    return () if "." in number or "-" in number or len(above) > 8 else (*above, number)


def _add_captions(places: Places, position: int, text: str) -> None:
    for kind, number, sure in find_captions(text):
        places.floats[kind, number].append(position if sure else ~position)


def _keep_captions(places: Places) -> None:
    """Where a number has sure captions, lines that only look like one are dropped. (`~position` marks the latter.)"""
    for key, found in places.floats.items():
        sure = [position for position in found if position >= 0]
        places.floats[key] = list(dict.fromkeys(sure or [~position for position in found]))


def _numbers(target: str) -> Iterator[tuple[str, float]]:
    """The number itself, then without what stands in brackets: "12(b)" may be part of the heading "12", and "IV.E" of "IV"."""
    yield target, 1.0
    head = target
    while head.endswith(")"):
        head = head.rpartition("(")[0]
        # "VIII(d)" is the way of laws, and their "VIII" seldom the one printed here.
        yield head, 0.9 if head[:1].isdigit() else 0.4
    # "IV.E" stands inside "IV", where its own heading was not found.
    if head[:1].isalpha() and "." in head:
        yield head.rpartition(".")[0], 0.7
