"""Edges `title_mention`: a paragraph names the title of another document, or of another section of its own document."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import polars as pl

from assets_store.title_names import WORD, title_name
from docnav_pipeline.transforms.edge_rows import MAX_MENTION, Edge, edge_frame
from docnav_pipeline.transforms.node_rows import NodeRows
from docnav_pipeline.transforms.similarity_edges import MAX_PARAGRAPHS_PER_ENTITY, MIN_PARAGRAPHS_PER_ENTITY

MAX_TITLE_WORDS = 12
_MIN_CHARACTERS = 3
# A title that more nodes share says nothing about which of them is meant.
_MAX_SHARED = 4
# What stands between the words of a title in running text; anything else ends it.
_GAP = re.compile(r"[\s,:;/&+–—'’\"“”‘*_`-]{1,4}")
# A full stop ends a title, except behind a short word: "Dr. No", "Vol. 2".
_ABBREVIATION = re.compile(r"\.\s?")
_SHORT_WORD = 3
_SENTENCE_END = re.compile(r"(?:[.!?:;|•]|^)[\s\"“”'’)\]*_-]*$")

_SCHEMA = {"source_id": pl.String, "name": pl.String, "text": pl.String, "target_id": pl.String}


@dataclass(frozen=True, slots=True)
class TitleMention:
    """A title in a text. start, end: its span; targets: the nodes that have the title."""

    start: int
    end: int
    name: str
    targets: tuple[str, ...]


class TitlePhrases:
    """Titles looked up in running text by whole words; work grows with the text, not with the number of titles.

    titles: (node_id, title). A distinction in brackets is no part of the name. Left out are titles of one word shorter than 3 characters,
    of more than 12 words, and titles that more than 4 nodes share.
    """

    def __init__(self, titles: Iterable[tuple[str, str]]) -> None:
        shared: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for node_id, title in titles:
            name = title_name(title)
            words = tuple(word.casefold() for word in WORD.findall(name))
            if words and len(words) <= MAX_TITLE_WORDS and (len(words) > 1 or len(name) >= _MIN_CHARACTERS) and not name.isdigit():
                shared[words].append(node_id)
        self._targets = {words: tuple(sorted(set(nodes))) for words, nodes in shared.items() if len(set(nodes)) <= _MAX_SHARED}
        lengths: dict[str, set[int]] = defaultdict(set)
        for words in self._targets:
            lengths[words[0]].add(len(words))
        self._lengths = {word: sorted(found, reverse=True) for word, found in lengths.items()}

    def find(self, text: str) -> Iterator[TitleMention]:
        """Titles in a text in reading order, the longest at each place, none inside another.

        A mention begins with a capital or a digit, in scripts that have capitals. A title of one word is no mention at the beginning of a
        sentence, where any word has a capital, unless it has a second capital or a digit.
        """
        words = list(WORD.finditer(text))
        at = 0
        while at < len(words):
            first = words[at][0]
            # Most words end here, so that the cost of a text is little more than that of splitting it.
            lengths = None if first[0].islower() else self._lengths.get(first.casefold())
            found = self._at(text, words, at, lengths) if lengths is not None else None
            if found is None:
                at += 1
                continue
            n, targets = found
            start, end = words[at].start(), words[at + n - 1].end()
            yield TitleMention(start, end, " ".join(w[0].casefold() for w in words[at : at + n]), targets)
            at += n

    def _at(self, text: str, words: list[re.Match[str]], at: int, lengths: list[int]) -> tuple[int, tuple[str, ...]] | None:
        for n in lengths:
            here = words[at : at + n]
            targets = self._targets.get(tuple(word[0].casefold() for word in here))
            if len(here) < n or targets is None or not _in_one_piece(text, here):
                continue
            first = here[0]
            is_plain_word = n == 1 and first[0][1:].islower()
            if not is_plain_word or not _SENTENCE_END.search(text, max(0, first.start() - 8), first.start()):
                return n, targets
        return None


def _in_one_piece(text: str, words: list[re.Match[str]]) -> bool:
    return all(
        _GAP.fullmatch(text, before.end(), after.start())
        or (len(before[0]) <= _SHORT_WORD and _ABBREVIATION.fullmatch(text, before.end(), after.start()))
        for before, after in pairwise(words)
    )


def find_title_mentions(paragraphs: pl.DataFrame, phrases: TitlePhrases) -> pl.DataFrame:
    """Mentions as rows source_id, name, text (as printed), target_id; each title once a paragraph. paragraphs: paragraph_id, text."""
    rows: dict[tuple[str, str, str], str] = {}
    for paragraph_id, text in paragraphs.select("paragraph_id", "text").iter_rows():
        for mention in phrases.find(text):
            for target in mention.targets:
                rows.setdefault((paragraph_id, mention.name, target), text[mention.start : mention.end])
    return pl.DataFrame([(source, name, text, target) for (source, name, target), text in rows.items()], schema=_SCHEMA, orient="row")


def title_edges(mentions: pl.DataFrame, n_paragraphs: int, max_share: float, what: str) -> pl.DataFrame:
    """Edges from mentions. mentions: rows of `find_title_mentions` over n_paragraphs. what: `document` or `section`.

    The weight is one over the number of nodes that share the title. A title named in more than max(5, max_share x n) paragraphs, or in more
    than 500, links nothing, as an entity would not.
    """
    most = min(max(MIN_PARAGRAPHS_PER_ENTITY, max_share * n_paragraphs), MAX_PARAGRAPHS_PER_ENTITY)
    spread = mentions.group_by("name").agg(df=pl.col("source_id").n_unique(), n=pl.col("target_id").n_unique())
    kept = mentions.join(spread.filter(pl.col("df") <= most), on="name", maintain_order="left")
    return edge_frame(
        [
            Edge(source, target, "title_mention", 1 / n, f"names “{text[:MAX_MENTION]}”, the title of a {what}")
            for source, text, target, n in kept.select("source_id", "text", "target_id", "n").iter_rows()
        ]
    )


def section_title_edges(tree: pl.DataFrame, paragraphs: pl.DataFrame, max_share: float) -> pl.DataFrame:
    """Edges to sections whose titles other paragraphs of the same document name.

    tree: doc_id, node_id, parent_id, kind, title, preorder. paragraphs: doc_id, paragraph_id, text. Only titles of two words and more: one
    word that begins with a capital is seldom a title. A paragraph below the section is none of the others.
    """
    found = [edge_frame([])]
    sections = tree.filter((pl.col("kind") == "section") & pl.col("title").str.contains(r"\w\W+\w"))
    texts = {str(doc_id): rows for (doc_id,), rows in paragraphs.group_by("doc_id", maintain_order=True)}
    for (doc_id,), rows in sections.group_by("doc_id", maintain_order=True):
        mine = texts.get(str(doc_id))
        if mine is not None:
            phrases = TitlePhrases(rows.select("node_id", "title").iter_rows())
            found.append(title_edges(find_title_mentions(mine, phrases), mine.height, max_share, "section"))
    edges = pl.concat(found)
    return _not_above(edges, tree) if edges.height else edges


def _not_above(edges: pl.DataFrame, tree: pl.DataFrame) -> pl.DataFrame:
    """The edges without those to a section that the source lies in."""
    nodes = NodeRows.of(tree)
    sources = tree.with_row_index("row").join(edges.select(node_id="source_id").unique(), on="node_id", how="semi")
    lower, upper = nodes.pairs_with_ancestors(sources["row"].cast(pl.Int64).to_numpy(), with_self=False)
    above = pl.DataFrame({"source_id": nodes.ids.gather(lower), "target_id": nodes.ids.gather(upper)})
    return edges.join(above, on=["source_id", "target_id"], how="anti", maintain_order="left")
