"""Summaries of directory nodes (documents and sections) and content nodes (paragraphs), made of their own sentences: no model is called."""

from __future__ import annotations

import polars as pl

from assets_store.rows import empty_rows
from assets_store.schemas import SUMMARIES
from assets_store.settings import ProfileSettings
from docnav_pipeline.transforms.routing_profiles import build_routing_profiles, summarise

_SCHEMA = empty_rows(SUMMARIES, without=["doc_version"]).schema
# A paragraph is short already.
_CONTENT_SENTENCES = 1


def build_summaries(tree: pl.DataFrame, paragraphs: pl.DataFrame, profiles: pl.DataFrame, settings: ProfileSettings) -> pl.DataFrame:
    """Rows of `summaries` (without doc_version), one per tree node, in the order of the tree rows.

    tree: doc_id, node_id, parent_id, kind, title, position, preorder of whole documents. paragraphs: paragraph_id, kind, text.
    profiles: node_id, vector, keywords, entities, topic_cues of all nodes.

    A directory node is summarised as `routing_profiles` summarises the scopes of R_d, a content node by the sentence of its text that
    holds most of its terms.
    """
    directories = build_routing_profiles(tree.with_columns(in_R=pl.col("kind") != "paragraph"), paragraphs, profiles, settings)
    texts = paragraphs.select("paragraph_id", "text").join(
        profiles.select("node_id", "keywords"), left_on="paragraph_id", right_on="node_id", maintain_order="left"
    )
    contents = [
        (paragraph_id, summarise([text], {entry["term"]: float(entry["weight"]) for entry in keywords}, _CONTENT_SENTENCES))
        for paragraph_id, text, keywords in texts.iter_rows()
    ]
    made = [
        directories.select("node_id", "summary"),
        pl.DataFrame(contents, schema={"node_id": pl.String, "summary": pl.String}, orient="row"),
    ]
    kinds = pl.when(pl.col("kind") == "paragraph").then(pl.lit("content")).otherwise(pl.lit("directory"))
    rows = tree.select("doc_id", "node_id", kind=kinds).join(pl.concat(made), on="node_id", how="left", maintain_order="left")
    constant = {name: pl.lit(value) for name, value in (("made_by", "extractive"), ("model", ""), ("prompt_version", ""))}
    return rows.with_columns(**constant).select(_SCHEMA.names()).cast(_SCHEMA)
