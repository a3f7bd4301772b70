"""Extractive summaries of directory and content nodes."""

from __future__ import annotations

import polars as pl

from assets_store.schemas import SUMMARIES
from assets_store.settings import FeatureSettings, ProfileSettings
from docnav_pipeline.transforms.features import build_features
from docnav_pipeline.transforms.profiles import build_profiles
from docnav_pipeline.transforms.routing_profiles import build_routing_profiles
from docnav_pipeline.transforms.summaries import build_summaries
from tests.small_corpus import Corpus, make_corpus, make_embeddings

GUIDE = """
# Battery

The battery charges in two hours when the charger of the phone is used. It gets warm.

## Storing

A battery that is stored for months should hold half of its charge. Keep the battery dry.

# Empty
"""


def made(corpus: Corpus) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Summaries and profiles of a corpus."""
    features = build_features(corpus.paragraphs, {}, None, FeatureSettings())
    profiles = build_profiles(corpus.tree, features, make_embeddings(corpus.paragraphs), ProfileSettings())
    return build_summaries(corpus.tree, corpus.paragraphs, profiles, ProfileSettings()), profiles


def test_every_node_has_one_in_sentences_of_its_text() -> None:
    corpus = make_corpus({"guide.md": GUIDE})
    rows, _ = made(corpus)
    assert rows["node_id"].to_list() == corpus.tree["node_id"].to_list()
    assert rows.columns == [c.name for c in SUMMARIES.columns if c.name != "doc_version"]
    kinds = dict(corpus.tree.select("node_id", "kind").iter_rows())
    texts = " ".join(corpus.paragraphs["text"])
    for row in rows.to_dicts():
        assert row["kind"] == ("content" if kinds[row["node_id"]] == "paragraph" else "directory")
        assert (row["made_by"], row["model"], row["prompt_version"]) == ("extractive", "", "")
        assert all(sentence in texts for sentence in row["summary"].split(". "))
        assert bool(row["summary"]) == (row["node_id"] != corpus.node("Empty"))
    contents = rows.filter(kind="content")["summary"].to_list()
    assert contents[0] == "The battery charges in two hours when the charger of the phone is used."


def test_a_scope_of_r_d_is_summarised_as_its_routing_profile_does() -> None:
    corpus = make_corpus({"guide.md": GUIDE})
    rows, profiles = made(corpus)
    routing = build_routing_profiles(corpus.tree, corpus.paragraphs, profiles, ProfileSettings())
    both = routing.join(rows, on="node_id", suffix="_here")
    assert both.height == routing.height > 0
    assert both["summary"].to_list() == both["summary_here"].to_list()


def test_no_tree_has_no_rows() -> None:
    assert made(make_corpus({}))[0].height == 0
