"""Entities of the corpus: one row per unique name, with its mentions."""

from __future__ import annotations

import re
import unicodedata

import polars as pl

from assets_store.ids import entity_id
from assets_store.rows import empty_rows
from assets_store.schemas import ENTITIES
from docnav_pipeline.transforms.identifiers import split_acronym

_SCHEMA = empty_rows(ENTITIES).schema
# Documents that must agree on what a short form stands for before it is read that way in all others.
_AGREEING_DOCUMENTS = 2
_SPACE = re.compile(r"\s+")
_EDGE = " \t.,;:!?'\"“”‘’()[]{}<>*_"


def normal_name(name: str) -> str:
    """The form in which names are compared: NFKC, casefolded, white space as one space, no punctuation at the ends."""
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", name).casefold()).strip(_EDGE)


def build_entities(features: pl.DataFrame) -> pl.DataFrame:
    """Rows of `entities`, by entity_id. features: doc_id, paragraph_id, entities.

    Names that differ in case or white space are one entity, and so are the short and the long form of an acronym inside a
    document that explains it, and elsewhere where at least two documents explain it and all alike. name and label: those with
    the most mentions, equal ones by alphabet. mentions: by paragraph_id.
    """
    mentions = entity_mentions(features)
    if not mentions.height:
        return empty_rows(ENTITIES)
    by_key = mentions.group_by("key")
    total = by_key.agg(n_mentions=pl.col("count").sum())
    places = mentions.group_by("key", "paragraph_id").agg(pl.col("count").sum()).sort("key", "paragraph_id")
    listed = places.group_by("key").agg(mentions=pl.struct("paragraph_id", "count"))
    rows = total.join(_most(mentions, "name"), on="key").join(_most(mentions, "label"), on="key").join(listed, on="key")
    ids = pl.Series("entity_id", [entity_id(key) for key in rows["key"]], dtype=pl.String)
    return rows.with_columns(ids).select(_SCHEMA.names()).cast(_SCHEMA).sort("entity_id")


def entity_mentions(features: pl.DataFrame) -> pl.DataFrame:
    """Mentions as rows: doc_id, paragraph_id, key (compared form), name (as printed), label, count.

    One key may have several rows in one paragraph, where it is printed in several forms.
    """
    rows = (
        features.select("doc_id", "paragraph_id", "entities")
        .explode("entities")
        .drop_nulls("entities")
        .select("doc_id", "paragraph_id", *(pl.col("entities").struct.field(name) for name in ("text", "label", "source", "count")))
    )
    names = rows.select("text", "source").unique(maintain_order=True)
    keys, shorts = [], []
    for text, source in names.iter_rows():
        parts = split_acronym(text) if source == "acronym" else None
        keys.append(normal_name(parts[1] if parts else text))
        shorts.append(normal_name(parts[0]) if parts else None)
    names = names.with_columns(key=pl.Series(keys, dtype=pl.String), short=pl.Series(shorts, dtype=pl.String))
    rows = rows.join(names, on=["text", "source"], maintain_order="left")
    rows = _spell_out(rows).filter(pl.col("key") != "")
    return rows.select("doc_id", "paragraph_id", "key", name="text", label="label", count="count")


def _spell_out(rows: pl.DataFrame) -> pl.DataFrame:
    """Short forms get the key of the long form that their document explains, or that the corpus agrees on."""
    explained = rows.filter(pl.col("short").is_not_null()).select("doc_id", "short", long="key").unique(maintain_order=True)
    own = explained.unique(["doc_id", "short"], keep="first", maintain_order=True)
    agreed = (
        own.group_by("short")
        .agg(n_longs=pl.col("long").n_unique(), n_documents=pl.col("doc_id").n_unique(), anywhere=pl.col("long").min())
        .filter((pl.col("n_longs") == 1) & (pl.col("n_documents") >= _AGREEING_DOCUMENTS))
        .select("short", "anywhere")
    )
    joined = rows.join(own, left_on=["doc_id", "key"], right_on=["doc_id", "short"], how="left", maintain_order="left").join(
        agreed, left_on="key", right_on="short", how="left", maintain_order="left"
    )
    return joined.with_columns(key=pl.coalesce("long", "anywhere", "key"))


def _most(mentions: pl.DataFrame, column: str) -> pl.DataFrame:
    return (
        mentions.group_by("key", column)
        .agg(pl.col("count").sum())
        .sort("key", "count", column, descending=[False, True, False])
        .group_by("key", maintain_order=True)
        .agg(pl.col(column).first())
    )
