"""Small made-up documents as the tables `documents`, `layout`, `tree` and `paragraphs`, without a parser between.

Written as lines: `# Title` opens a section (one `#` per level; a number in front is its label, `{#id}` behind is its anchor), a blank
line ends a paragraph, `[text](target)` is a link. Every paragraph is a unit, whatever its length.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from assets_store.ids import content_hash, document_id, paragraph_id, section_id
from assets_store.rows import empty_rows
from assets_store.schemas import DOCUMENTS, FEATURES, LAYOUT, PARAGRAPHS, TREE
from assets_store.settings import ProfileSettings
from assets_store.tokens import count_tokens
from docnav_pipeline.transforms.embeddings import vector_column
from docnav_pipeline.transforms.profiles import in_routing_scope

DIM = 16
_HEADING = re.compile(r"(?P<marks>#+) (?P<title>.*?)(?: \{#(?P<anchor>[\w-]+)\})?")
_LABEL = re.compile(r"(?:(?:Chapter|Appendix|Part|Section) \w+|[\dA-Z]+(?:\.\d+)*(?=\s))")
_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")


@dataclass(frozen=True, slots=True)
class Corpus:
    """tree: with in_R beside its columns, as `with_scopes` gives it."""

    documents: pl.DataFrame
    layout: pl.DataFrame
    tree: pl.DataFrame
    paragraphs: pl.DataFrame

    def node(self, title: str) -> str:
        """node_id of the only heading with this title."""
        (found,) = self.tree.filter(pl.col("title") == title)["node_id"]
        return str(found)

    def paragraph(self, start: str) -> str:
        """paragraph_id of the only paragraph that begins so."""
        (found,) = self.paragraphs.filter(pl.col("text").str.starts_with(start))["paragraph_id"]
        return str(found)


def make_corpus(texts: Mapping[str, str], root: str = "manuals") -> Corpus:
    """Tables of some documents. texts: uri -> text."""
    tables: dict[str, list[dict[str, Any]]] = {"documents": [], "layout": [], "tree": [], "paragraphs": []}
    for uri, text in texts.items():
        _add_document(tables, uri, text, root)
    frames = {}
    for name, spec in (("documents", DOCUMENTS), ("layout", LAYOUT), ("tree", TREE), ("paragraphs", PARAGRAPHS)):
        schema = empty_rows(spec).schema
        wanted = [column for column in schema if not tables[name] or column in tables[name][0]]
        frames[name] = pl.DataFrame(tables[name], schema={column: schema[column] for column in wanted})
    tree = frames["tree"].with_columns(in_R=in_routing_scope(ProfileSettings()) if tables["tree"] else pl.lit(False))
    return Corpus(frames["documents"], frames["layout"], tree, frames["paragraphs"])


def _add_document(tables: dict[str, list[dict[str, Any]]], uri: str, text: str, root: str) -> None:
    doc_id = document_id("default", "", uri)
    title = uri.rpartition("/")[2].rpartition(".")[0].replace("_", " ")
    tables["documents"].append({"doc_id": doc_id, "uri": uri, "root": root, "kb": "default", "product_version": "", "title": title})
    nodes: list[dict[str, Any]] = []

    def add(kind: str, node_id: str, parent: dict[str, Any] | None, path: list[str], **more: Any) -> dict[str, Any]:
        siblings = [n for n in nodes if n["parent_id"] == (parent["node_id"] if parent else None)]
        node = {
            "doc_id": doc_id, "node_id": node_id, "kind": kind, "parent_id": parent["node_id"] if parent else None,
            "depth": parent["depth"] + 1 if parent else 0, "position": len(siblings), "preorder": len(nodes), "title": "", "label": "",
            "path": path, "page_start": None, "anchor": None, "n_tokens": 0, "height": 0, **more,
        }  # fmt: skip
        nodes.append(node)
        return node

    stack = [add("document", doc_id, None, [], title=title)]
    by_id = {doc_id: stack[0]}
    for block, part in enumerate(p.strip("\n") for p in re.split(r"\n\s*\n", text.strip("\n")) if p.strip()):
        heading = _HEADING.fullmatch(part)
        plain = _LINK.sub(lambda m: m[1], part)
        tables["layout"].append(
            {
                "doc_id": doc_id, "block": block, "type": "title" if heading else "text", "page": None,
                "text": heading["title"] if heading else plain, "anchor": heading["anchor"] if heading else None,
                "links": [{"text": t, "target": target} for t, target in _LINK.findall(part)],
            }
        )  # fmt: skip
        if heading:
            level = len(heading["marks"])
            del stack[level:]
            path = [*stack[-1]["path"], heading["title"]]
            label = _LABEL.match(heading["title"])
            found = add(
                "section", section_id(doc_id, path, sum(n["path"] == path for n in by_id.values())), stack[-1], path,
                title=heading["title"], label=label[0] if label else "", anchor=heading["anchor"],
            )  # fmt: skip
            stack.append(found)
            by_id[found["node_id"]] = found
            continue
        parent = stack[-1]
        twin = sum(p["text"] == plain and p["parent_id"] == parent["node_id"] for p in tables["paragraphs"])
        name = paragraph_id(parent["node_id"], plain, twin)
        tokens = count_tokens(plain)
        add("paragraph", name, parent, parent["path"], n_tokens=tokens)
        tables["paragraphs"].append(
            {
                "doc_id": doc_id, "paragraph_id": name, "parent_id": parent["node_id"], "kind": "text",
                "position": len(tables["paragraphs"]), "text": plain, "n_tokens": tokens, "path": parent["path"], "blocks": [block],
            }
        )  # fmt: skip
        above: str | None = parent["node_id"]
        height = 1
        while above is not None:
            by_id[above]["n_tokens"] += tokens
            by_id[above]["height"] = max(by_id[above]["height"], height)
            height, above = height + 1, by_id[above]["parent_id"]
    tables["tree"] += nodes


def make_embeddings(paragraphs: pl.DataFrame, dim: int = DIM) -> pl.DataFrame:
    """Vectors of length 1 that hang on the text alone: equal texts have equal ones."""
    rows = []
    for text in paragraphs["text"]:
        rng = np.random.default_rng(int(content_hash(text, length=8), 16))
        vector = rng.normal(size=dim)
        rows.append(vector / np.linalg.norm(vector))
    vectors = np.array(rows, np.float32).reshape(len(rows), dim)
    return paragraphs.select("doc_id", "paragraph_id").with_columns(vector=vector_column(vectors))


def make_features(entities: Mapping[str, Mapping[str, int]], doc_id: str = "doc-0") -> pl.DataFrame:
    """Rows of `features` with only entities. entities: paragraph_id -> name -> count."""
    rows = [
        {
            "doc_id": doc_id, "paragraph_id": name,
            "entities": [{"text": t, "label": "ORG", "source": "ner", "count": n} for t, n in found.items()],
            "keywords": [], "citations": [], "cross_references": [],
        }
        for name, found in entities.items()
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=empty_rows(FEATURES, without=["doc_version"]).schema)
