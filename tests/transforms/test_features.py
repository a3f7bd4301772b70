"""Features of paragraphs."""

from __future__ import annotations

import time
from collections import Counter

import polars as pl
import pytest

from assets_store.models.entities import Entity, EntityRecognizer
from assets_store.schemas import FEATURES
from assets_store.settings import FeatureSettings
from docnav_pipeline.transforms.features import build_features, merge_entities
from tests.small_corpus import make_corpus

GUIDE = """
# 1 Start

Acme Corp of Berlin built the X-200. The X-200 needs an Evidence Graph (EG), as section 2 says [3].

# 2 Graph

The EG holds the words of every page, says Acme Corp.
"""


def rows_of(frame: pl.DataFrame, column: str) -> list[dict[str, int]]:
    return [{entry["text"]: entry["count"] for entry in row} for row in frame[column].to_list()]


def test_every_paragraph_gets_entities_keywords_and_mentions(recognizer: EntityRecognizer) -> None:
    paragraphs = make_corpus({"guide.md": GUIDE}).paragraphs
    languages = dict.fromkeys(paragraphs["doc_id"], "en")
    seen: list[int] = []
    rows = build_features(paragraphs, languages, recognizer, FeatureSettings(), seen.append)
    assert rows.columns == [c.name for c in FEATURES.columns if c.name != "doc_version"]
    assert rows["paragraph_id"].to_list() == paragraphs["paragraph_id"].to_list()
    first, second = rows_of(rows, "entities")
    assert first["X-200"] == 2
    assert first["Evidence Graph (EG)"] == second["Evidence Graph (EG)"] == 1
    assert "Acme Corp" in first
    assert rows["citations"].to_list() == [["[3]"], []]
    assert [r["target"] for r in rows["cross_references"][0]] == ["2"]
    assert sum(seen) == 2


def test_texts_in_another_language_are_not_read_by_an_english_recogniser(recognizer: EntityRecognizer) -> None:
    paragraphs = make_corpus({"a.md": "Angela Merkel wohnt in Berlin.", "b.md": "Angela Merkel wohnt in Berlin."}).paragraphs
    first, second = paragraphs["doc_id"]
    rows = build_features(paragraphs, {first: "de", second: None}, recognizer, FeatureSettings())
    assert rows["entities"].list.len().to_list()[0] == 0
    assert rows["entities"].list.len().to_list()[1] > 0


def test_without_a_recogniser_identifiers_stay() -> None:
    paragraphs = make_corpus({"guide.md": GUIDE}).paragraphs
    rows = build_features(paragraphs, {}, None, FeatureSettings(max_keywords=2, max_entities=1))
    assert rows_of(rows, "entities") == [{"X-200": 2}, {"Evidence Graph (EG)": 1}]
    assert rows["keywords"].list.len().max() == 2


def test_code_has_neither_citations_nor_cross_references() -> None:
    paragraphs = make_corpus({"code.md": "x = table[3] # see section 4"}).paragraphs.with_columns(kind=pl.lit("code"))
    rows = build_features(paragraphs, {}, None, FeatureSettings())
    assert rows["citations"].to_list() == [[]]
    assert rows["cross_references"].to_list() == [[]]


def test_no_paragraph_gives_no_row() -> None:
    paragraphs = make_corpus({}).paragraphs
    assert build_features(paragraphs, {}, None, FeatureSettings()).height == 0


def test_one_thing_found_twice_is_one_entity() -> None:
    text = "World Health Organization (WHO), WHO, X-200, Fig"
    found = merge_entities(
        [Entity("World Health Organization", "ORG", 1), Entity("WHO", "ORG", 2), Entity("X-200", "PRODUCT", 1), Entity("Fig", "PERSON", 1)],
        Counter({("X-200", "ID"): 1}),
        {"WHO": "World Health Organization"},
        text,
    )
    assert [(e["text"], e["label"], e["source"], e["count"]) for e in found] == [
        ("World Health Organization (WHO)", "ORG", "acronym", 2),
        ("X-200", "ID", "identifier", 1),
    ]


@pytest.mark.parametrize(
    "piece",
    ["a-", "a_", "a.b.", "[1,", "Smith, ", "(Smith 2020; ", "1.1.", "Section 1 of the Act ", "EG (Evidence ", "a@a.", "Table ", "电池"],
)
def test_hostile_text_costs_seconds_at_most(piece: str) -> None:
    paragraphs = make_corpus({"bad.md": "x"}).paragraphs.with_columns(text=pl.lit((piece * 20_000)[:50_000]))
    started = time.process_time()
    build_features(paragraphs, {}, None, FeatureSettings())
    # Patterns that look back over the whole text take 20 s and more for this length.
    assert time.process_time() - started < 8
