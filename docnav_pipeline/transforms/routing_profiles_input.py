"""What a language model is shown of each scope in R_d, and the hash of all that it rests on.

Everything here hangs on the text below the scope and its title path alone, not on other parts of the document, so that a change
elsewhere asks about no scope again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from assets_store.ids import content_hash
from assets_store.sentences import one_line, split_sentences
from assets_store.settings import ProfileSettings
from assets_store.tokens import count_tokens

# Raised when the prompt, or what is put into it, changes.
PROMPT_VERSION = "1"
# `made_by` of a profile that a later run with more to spend goes on with.
UNFINISHED = "extractive:over_budget"
_TITLE_CHARACTERS = 120
_TERMS = 8
# Tokens of one entry: as many as its share of one call, within these bounds, so that a scope fits one call where it can.
_FEWEST_TOKENS, _MOST_TOKENS, _TERM_TOKENS = 60, 400, 80
# Signs that some servers read as marks of their own: `<|im_end|>`, `</s>`, `<start_of_turn>`, `[INST]`.
_BRACKETS = str.maketrans({"<": "‹", ">": "›"})
_SQUARE_MARK = re.compile(r"\[(/?[A-Z_]{3,})\]")
UNSEEN = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]")


@dataclass(frozen=True, slots=True)
class Entry:
    """One child of a scope. texts: of a paragraph, or of a small section's paragraphs. scope: node id of a child that has a profile of
    its own, which is shown instead."""

    label: str
    n_tokens: int
    texts: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Scope:
    """One node of R_d. path: titles from the top section down to it, or the title of the document. n_tokens: of the text below.

    rank: 0 where no other scope is below, else one more than the highest of those; lower ones come first. content: hash of path,
    text and terms below and of the settings that cut them.
    """

    doc_id: str
    node_id: str
    path: tuple[str, ...]
    n_tokens: int
    rank: int
    content: str
    entries: tuple[Entry, ...]


@dataclass(slots=True)
class _Node:
    row: Mapping[str, Any]
    children: list[_Node]
    digest: str = ""
    rank: int = -1  # of the highest scope at or below; -1 for none


def scopes_of(tree: pl.DataFrame, paragraphs: pl.DataFrame, features: pl.DataFrame, settings: ProfileSettings) -> list[Scope]:
    """Scopes of whole documents that have text below them, children before parents.

    tree: doc_id, node_id, parent_id, kind, title, path, preorder, n_tokens, in_R. paragraphs: paragraph_id, kind, text. features:
    paragraph_id, keywords.
    """
    texts = {row[0]: (row[1], row[2]) for row in paragraphs.select("paragraph_id", "kind", "text").iter_rows()}
    terms = {row[0]: {entry["term"]: entry["count"] for entry in row[1]} for row in features.select("paragraph_id", "keywords").iter_rows()}
    nodes: dict[str, _Node] = {}
    rows = tree.select("doc_id", "node_id", "parent_id", "kind", "title", "path", "n_tokens", "in_R", "preorder").sort("doc_id", "preorder")
    for values in rows.iter_rows(named=True):
        nodes[values["node_id"]] = node = _Node(values, [])
        if values["parent_id"] is not None:
            nodes[values["parent_id"]].children.append(node)
    found = []
    for node in reversed(nodes.values()):  # in preorder every child stands behind its parent
        row = node.row
        ranks = [child.rank for child in node.children]
        node.rank = max(ranks, default=-1) + row["in_R"]
        if row["kind"] == "paragraph":
            kind, text = texts[row["node_id"]]
            node.digest = content_hash(kind, text, *sorted(terms.get(row["node_id"], {}).items()))
        else:
            node.digest = content_hash(row["kind"], row["title"], row["in_R"], *(child.digest for child in node.children))
        if row["in_R"] and row["n_tokens"]:
            path = tuple(row["path"]) or (row["title"],)
            content = content_hash(node.digest, *path, settings.input_tokens)
            entries = tuple(_entry(child, texts, terms) for child in node.children if child.row["n_tokens"])
            found.append(Scope(row["doc_id"], row["node_id"], path, row["n_tokens"], node.rank, content, entries))
    return found


def render(scope: Scope, profiles: Mapping[str, tuple[str, Sequence[str]]], settings: ProfileSettings) -> list[str]:
    """One line per child of a scope. profiles: summary and key concepts of the scopes below it, by node id."""
    most = entry_tokens(len(scope.entries), settings)
    return [_line(entry, profiles, most) for entry in scope.entries]


def entry_tokens(n_entries: int, settings: ProfileSettings) -> int:
    """Tokens that one of some entries may have."""
    return min(max(settings.input_tokens // max(n_entries, 1), _FEWEST_TOKENS), _MOST_TOKENS)


def pack(lines: Sequence[str], limit: int) -> list[list[str]]:
    """Lines in order in as few parts of at most `limit` tokens as filling them up one after another gives."""
    parts: list[list[str]] = []
    room = 0
    for line in lines:
        size = count_tokens(line)
        if not parts or size > room:
            parts.append([])
            room = limit
        parts[-1].append(line)
        room -= size
    return parts


def shown(text: str) -> str:
    """Text of a document as it may stand in a prompt: on one line, without marks that a server or a fence could take for its own."""
    return one_line(_SQUARE_MARK.sub(r"(\1)", UNSEEN.sub("", text).translate(_BRACKETS)))


def shortened(text: str, limit: int) -> str:
    """The beginning of a text on one line with at most `limit` tokens: whole sentences where one fits, else whole words."""
    taken: list[str] = []
    left = limit
    for sentence in split_sentences(text):
        line = one_line(sentence.text)
        size = count_tokens(line)
        if size > left:
            break
        taken.append(line)
        left -= size
    return " ".join(taken) or _words(one_line(text), limit)


def _words(text: str, limit: int) -> str:
    # Tokens of a beginning grow with its length, so halving finds the longest that fits.
    low, high = 0, min(len(text), limit * 40)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count_tokens(text[:middle]) <= limit else (low, middle - 1)
    start = text[:low]
    return start.rpartition(" ")[0] or start if low < len(text) else text


def _entry(node: _Node, texts: Mapping[str, tuple[str, str]], terms: Mapping[str, Mapping[str, int]]) -> Entry:
    row = node.row
    if row["kind"] == "paragraph":
        kind, text = texts[row["node_id"]]
        return Entry(kind, row["n_tokens"], (text,))
    label = f'section "{shown(row["title"])[:_TITLE_CHARACTERS]}"'
    below = list(_paragraphs(node))
    counts: Counter[str] = Counter()
    for name in below:
        counts.update(terms.get(name, {}))
    best = tuple(term for term, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_TERMS])
    if row["in_R"]:
        return Entry(label, row["n_tokens"], (), best, row["node_id"])
    return Entry(label, row["n_tokens"], tuple(texts[name][1] for name in below), best)


def _paragraphs(node: _Node) -> Iterator[str]:
    for child in node.children:
        if child.row["kind"] == "paragraph":
            yield child.row["node_id"]
        else:
            yield from _paragraphs(child)


def _line(entry: Entry, profiles: Mapping[str, tuple[str, Sequence[str]]], most: int) -> str:
    text, terms = "", entry.terms
    if entry.scope:
        text, concepts = profiles[entry.scope]
        text, terms = shortened(text, most), tuple(concepts)[:_TERMS] or terms
    elif entry.texts:
        # Beginnings of all paragraphs tell more than the whole of the first.
        share = max(most // len(entry.texts), _FEWEST_TOKENS // 3)
        text = shortened(" ".join(shortened(part, share) for part in entry.texts), most)
    return f"- {entry.label}: {shown(text)}{named(terms)}"


def named(terms: Sequence[str]) -> str:
    """Terms behind a line, cut where they are many."""
    return f" (terms: {shortened(shown(', '.join(terms)), _TERM_TOKENS)})" if terms else ""
