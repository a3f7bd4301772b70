"""Entities of a corpus and which stand together."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from assets_store.ids import entity_id
from assets_store.schemas import ENTITIES, ENTITY_EDGES
from docnav_pipeline.transforms.entities import build_entities, entity_mentions, normal_name
from docnav_pipeline.transforms.entity_edges import build_entity_edges
from tests.small_corpus import make_features

NAMES = st.dictionaries(st.sampled_from(["Ada", "ADA", "Boole", "boole ", "Crane", "Delta"]), st.integers(1, 3), max_size=5)
PARAGRAPHS = st.lists(NAMES, max_size=6).map(lambda rows: {f"doc/p-{n}": row for n, row in enumerate(rows)})


def with_acronyms(paragraphs: dict[str, dict[str, int]], doc_id: str) -> pl.DataFrame:
    """Features in which names with brackets come from explained acronyms."""
    features = make_features(paragraphs, doc_id)
    rows = features.to_dicts()
    for row in rows:
        for entity in row["entities"]:
            entity["source"] = "acronym" if "(" in entity["text"] else "ner"
    return pl.DataFrame(rows, schema=features.schema)


@settings(max_examples=50)
@given(PARAGRAPHS)
def test_spellings_of_one_name_are_one_entity_with_all_its_mentions(paragraphs: dict[str, dict[str, int]]) -> None:
    expected: dict[str, Counter[str]] = {}
    for paragraph, row in paragraphs.items():
        for name, count in row.items():
            expected.setdefault(entity_id(normal_name(name)), Counter())[paragraph] += count
    found = build_entities(make_features(paragraphs))
    assert found.columns == [c.name for c in ENTITIES.columns]
    assert found["entity_id"].to_list() == sorted(expected)
    for name, n, mentions in found.select("entity_id", "n_mentions", "mentions").iter_rows():
        assert {m["paragraph_id"]: m["count"] for m in mentions} == expected[name]
        assert n == expected[name].total()


@settings(max_examples=50)
@given(PARAGRAPHS)
def test_an_edge_counts_the_paragraphs_where_both_stand(paragraphs: dict[str, dict[str, int]]) -> None:
    expected: Counter[tuple[str, str]] = Counter()
    for row in paragraphs.values():
        expected.update(combinations(sorted({entity_id(normal_name(name)) for name in row}), 2))
    edges = build_entity_edges(build_entities(make_features(paragraphs)))
    assert edges.columns == [c.name for c in ENTITY_EDGES.columns]
    assert {(a, b): w for a, b, w in edges.iter_rows()} == dict(expected)
    assert edges.equals(edges.sort("source_id", "target_id"))


def test_a_paragraph_with_very_many_entities_links_the_most_mentioned() -> None:
    paragraphs = {"doc/p-1": {f"Name {n}": n for n in range(1, 9)}, "doc/p-2": {"Name 8": 1, "Name 7": 1}}
    entities = build_entities(make_features(paragraphs))
    edges = build_entity_edges(entities, max_per_paragraph=3)
    top = sorted(entity_id(f"name {n}") for n in (6, 7, 8))
    both = tuple(sorted(entity_id(f"name {n}") for n in (7, 8)))
    assert {(a, b): w for a, b, w in edges.iter_rows()} == {pair: 2.0 if pair == both else 1.0 for pair in combinations(top, 2)}


def test_a_short_form_is_its_long_form_where_the_document_explains_it() -> None:
    a = with_acronyms({"a/p-1": {"Evidence Graph (EG)": 1}, "a/p-2": {"EG": 2}, "a/p-3": {"evidence graph": 1}}, "a")
    b = with_acronyms({"b/p-1": {"EG": 4}}, "b")
    found = build_entities(pl.concat([a, b]))
    assert dict(found.select("entity_id", "n_mentions").iter_rows()) == {entity_id("evidence graph"): 4, entity_id("eg"): 4}


def test_elsewhere_a_short_form_is_read_so_only_when_documents_agree() -> None:
    a = with_acronyms({"a/p-1": {"World Health Organization (WHO)": 1}}, "a")
    b = with_acronyms({"b/p-1": {"World health organization (WHO)": 1}}, "b")
    c = with_acronyms({"c/p-1": {"WHO": 5}}, "c")
    d = with_acronyms({"d/p-1": {"Wheel House Office (WHO)": 1}}, "d")
    assert entity_mentions(pl.concat([a, b, c]))["key"].unique().to_list() == ["world health organization"]
    assert set(entity_mentions(pl.concat([a, c]))["key"]) == {"world health organization", "who"}
    assert set(entity_mentions(pl.concat([a, b, c, d]))["key"]) == {"world health organization", "wheel house office", "who"}


def test_nothing_named_gives_no_entities() -> None:
    assert build_entities(make_features({})).height == 0
    assert build_entities(make_features({"doc/p-1": {}, "doc/p-2": {"...": 1}})).height == 0
    assert build_entity_edges(build_entities(make_features({}))).height == 0
    assert build_entity_edges(build_entities(make_features({"doc/p-1": {"Ada": 1}}))).height == 0
