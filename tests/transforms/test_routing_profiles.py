"""Extractive routing profiles of the scopes in R_d."""

from __future__ import annotations

import polars as pl

from assets_store.schemas import ROUTING_PROFILES
from assets_store.settings import FeatureSettings, ProfileSettings
from docnav_pipeline.transforms.features import build_features
from docnav_pipeline.transforms.profiles import build_profiles
from docnav_pipeline.transforms.routing_profiles import build_routing_profiles, summarise
from tests.small_corpus import Corpus, make_corpus, make_embeddings

GUIDE = """
# Battery

## Charging

The battery charges in two hours when the charger of the phone is used. It gets warm.

## Storing

A battery that is stored for months should hold half of its charge. Keep the battery dry.

# Screen

The screen is cleaned with a soft cloth, never with water or alcohol on it.
"""


def routing(corpus: Corpus, settings: ProfileSettings | None = None) -> pl.DataFrame:
    settings = settings or ProfileSettings()
    features = build_features(corpus.paragraphs, {}, None, FeatureSettings())
    profiles = build_profiles(corpus.tree, features, make_embeddings(corpus.paragraphs), settings)
    return build_routing_profiles(corpus.tree, corpus.paragraphs, profiles, settings)


def test_only_scopes_of_r_d_get_one_and_sentences_are_word_for_word() -> None:
    corpus = make_corpus({"guide.md": GUIDE})
    rows = routing(corpus)
    assert rows["node_id"].to_list() == [corpus.documents["doc_id"][0], corpus.node("Battery")]
    assert rows.columns == [c.name for c in ROUTING_PROFILES.columns if c.name != "doc_version"]
    whole, battery = rows.to_dicts()
    assert battery["summary"].startswith("The battery charges in two hours when the charger of the phone is used.")
    assert battery["subtopics"] == ["Charging", "Storing"]
    assert whole["subtopics"] == ["Battery", "Screen"]
    assert whole["key_concepts"][0] == "battery"
    assert {(row["made_by"], row["model"], row["prompt_tokens"]) for row in rows.to_dicts()} == {("extractive", "", 0)}
    joined = " ".join(corpus.paragraphs["text"])
    assert all(sentence in joined for sentence in battery["summary"].split(". "))


def test_a_scope_without_text_has_an_empty_summary_and_no_tree_no_row() -> None:
    (row,) = routing(make_corpus({"empty.md": "# Nothing"})).to_dicts()
    assert (row["summary"], row["key_concepts"], row["subtopics"]) == ("", [], ["Nothing"])
    assert routing(make_corpus({})).height == 0


def test_tables_stand_in_only_where_there_is_no_prose() -> None:
    corpus = make_corpus(
        {"guide.md": "Part | Price | Weight of the battery\n\nThe battery is sold in three sizes at the same price everywhere."}
    )
    kinds = pl.Series(["table", "text"])
    mixed = Corpus(corpus.documents, corpus.layout, corpus.tree, corpus.paragraphs.with_columns(kind=kinds))
    assert routing(mixed)["summary"][0] == "The battery is sold in three sizes at the same price everywhere."
    alone = make_corpus({"guide.md": "Part | Price | Weight of the battery"})
    assert routing(alone)["summary"][0].startswith("Part | Price")


def test_a_summary_prefers_heavy_terms_and_does_not_repeat_itself() -> None:
    heavy = "The turbine drives the pump that feeds the boiler of the plant."
    plain = "Nothing of interest is said in this sentence of the document."
    assert summarise([plain, heavy, heavy], {"turbine": 1.0, "pump": 0.8, "boiler": 0.5}, 1) == heavy
    assert summarise([plain, heavy, heavy], {"turbine": 1.0, "pump": 0.8}, 3) == f"{plain} {heavy}"
    assert summarise([], {}, 3) == ""


def test_chinese_sentences_are_taken_too() -> None:
    text = "这款手机的电池寿命很长，可以使用两天时间。屏幕应该用软布来清洁，不要使用酒精。"
    assert summarise([text], {"电池寿命": 1.0}, 1) == "这款手机的电池寿命很长，可以使用两天时间。"
