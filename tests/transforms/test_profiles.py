"""Profiles: pooling against a plain recursion, and terms gathered from below."""

from __future__ import annotations

import math
from collections import Counter, defaultdict

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets_store.rows import empty_rows
from assets_store.schemas import PROFILES
from assets_store.settings import FeatureSettings, ProfileSettings
from docnav_pipeline.transforms.features import build_features
from docnav_pipeline.transforms.node_rows import NodeRows
from docnav_pipeline.transforms.profiles import build_profiles, in_routing_scope
from tests.small_corpus import Corpus, make_corpus, make_embeddings

WORDS = ["pump", "valve", "tank", "wheel", "sensor", "relay"]
LINES = st.one_of(
    st.integers(1, 4).map(lambda n: "#" * n + f" Part {n}"), st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
)
DOCUMENTS = st.lists(st.lists(LINES, max_size=8).map("\n\n".join), min_size=1, max_size=3)


def profiles_of(corpus: Corpus, wanted: ProfileSettings | None = None) -> pl.DataFrame:
    features = build_features(corpus.paragraphs, {}, None, FeatureSettings())
    return build_profiles(corpus.tree, features, make_embeddings(corpus.paragraphs), wanted or ProfileSettings())


def brute_pool(corpus: Corpus, pooling: str) -> dict[str, list[float]]:
    vectors = dict(make_embeddings(corpus.paragraphs).select("paragraph_id", "vector").iter_rows())
    children = defaultdict(list)
    for node_id, parent in corpus.tree.select("node_id", "parent_id").iter_rows():
        children[parent].append(node_id)

    def pool(node_id: str) -> list[float]:
        if node_id in vectors:
            return list(vectors[node_id])
        below = [v for child in children[node_id] if (v := pool(child))]
        if not below:
            return []
        joined = [(max if pooling == "max" else sum)(column) for column in zip(*below, strict=True)]
        length = math.sqrt(sum(x * x for x in joined))
        return [x / length for x in joined]

    return {node_id: pool(node_id) for node_id in corpus.tree["node_id"]}


@settings(max_examples=40)
@given(DOCUMENTS, st.sampled_from(["max", "mean"]))
def test_vectors_are_pooled_bottom_up(texts: list[str], pooling: str) -> None:
    corpus = make_corpus({f"doc_{n}.md": text for n, text in enumerate(texts)})
    rows = profiles_of(corpus, ProfileSettings(pooling=pooling))
    assert rows["node_id"].to_list() == corpus.tree["node_id"].to_list()
    for node_id, expected in brute_pool(corpus, pooling).items():
        found = rows.filter(pl.col("node_id") == node_id)["vector"][0].to_list()
        np.testing.assert_allclose(found, expected, atol=1e-5)


@settings(max_examples=40)
@given(DOCUMENTS)
def test_the_weight_of_a_term_is_its_sum_over_the_paragraphs_below(texts: list[str]) -> None:
    corpus = make_corpus({f"doc_{n}.md": text for n, text in enumerate(texts)})
    rows = profiles_of(corpus)
    features = build_features(corpus.paragraphs, {}, None, FeatureSettings())
    counts = {p: {k["term"]: k["count"] for k in terms} for p, terms in features.select("paragraph_id", "keywords").iter_rows()}
    parents = dict(corpus.tree.select("node_id", "parent_id").iter_rows())
    doc_of = dict(corpus.paragraphs.select("paragraph_id", "doc_id").iter_rows())
    size, spread = Counter(doc_of.values()), Counter((doc_of[p], term) for p, terms in counts.items() for term in terms)
    sums: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for paragraph, terms in counts.items():
        above: str | None = paragraph
        while above is not None:
            for term, n in terms.items():
                doc_id = doc_of[paragraph]
                sums[above][term] += (1 + math.log(n)) * math.log(1 + size[doc_id] / spread[doc_id, term])
            above = parents[above]
    for node_id, terms in rows.select("node_id", "keywords").iter_rows():
        most = max(sums[node_id].values(), default=1.0)
        expected = {term: weight / most for term, weight in sums[node_id].items()}
        assert {t["term"]: t["weight"] for t in terms} == pytest.approx(expected, abs=2e-4)
        order = [(-t["weight"], t["term"]) for t in terms]
        assert order == sorted(order)


def test_terms_are_trimmed_and_cues_are_titles_or_terms() -> None:
    corpus = make_corpus({"guide.md": "# One\n\npump valve tank wheel\n\n# Two\n\n## Deep\n\nsensor relay"})
    rows = profiles_of(corpus, ProfileSettings(max_terms=2))
    assert rows["keywords"].list.len().max() == 2
    cues = dict(rows.select("node_id", "topic_cues").iter_rows())
    assert cues[corpus.documents["doc_id"][0]] == ["One", "Two"]
    assert cues[corpus.node("Two")] == ["Deep"]
    assert cues[corpus.node("Deep")] == ["relay", "sensor"]
    assert dict(rows.select("node_id", "path").iter_rows())[corpus.node("Deep")] == ["Two", "Deep"]


def test_a_section_without_text_has_an_empty_profile() -> None:
    corpus = make_corpus({"guide.md": "# Empty\n\n# Full\n\npump"})
    row = profiles_of(corpus).filter(pl.col("node_id") == corpus.node("Empty")).row(0, named=True)
    assert (row["vector"], row["keywords"], row["entities"], row["topic_cues"]) == ([], [], [], [])


def test_two_runs_give_equal_rows_and_no_tree_gives_none() -> None:
    corpus = make_corpus({"guide.md": "# One\n\npump valve tank\n\n# Two\n\npump wheel", "other.md": "valve"})
    assert profiles_of(corpus).equals(profiles_of(corpus))
    nothing = profiles_of(make_corpus({}))
    assert nothing.height == 0
    assert nothing.schema == empty_rows(PROFILES, without=["doc_version"]).schema


def test_a_paragraph_without_a_vector_is_named() -> None:
    corpus = make_corpus({"guide.md": "pump\n\nvalve"})
    features = build_features(corpus.paragraphs, {}, None, FeatureSettings())
    with pytest.raises(ValueError, match=corpus.paragraph("valve")):
        build_profiles(corpus.tree, features, make_embeddings(corpus.paragraphs).head(1), ProfileSettings())


def test_a_tree_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="has a parent 'x' that is no row"):
        NodeRows.of(pl.DataFrame({"node_id": ["a"], "parent_id": ["x"]}))
    with pytest.raises(ValueError, match="'a' is there twice"):
        NodeRows.of(pl.DataFrame({"node_id": ["a", "a"], "parent_id": [None, None]}))
    with pytest.raises(ValueError, match="above themselves"):
        NodeRows.of(pl.DataFrame({"node_id": ["a", "b"], "parent_id": ["b", "a"]}))


@pytest.mark.parametrize(
    ("kind", "height", "tokens", "expected"),
    [("document", 0, 0, True), ("section", 1, 59, False), ("section", 1, 60, True), ("section", 2, 1, True), ("paragraph", 0, 59, False)],
)
def test_the_rule_for_routing_scopes(kind: str, height: int, tokens: int, expected: bool) -> None:
    node = pl.DataFrame({"kind": [kind], "height": [height], "n_tokens": [tokens]})
    assert node.select(in_routing_scope(ProfileSettings(tau_h=2, tau_l=60))).item() is expected


def test_the_scopes_of_a_corpus_follow_the_thresholds() -> None:
    corpus = make_corpus({"guide.md": "# One\n\npump valve tank\n\n# Two\n\n## Deep\n\npump wheel"})
    counts = [profiles_of(corpus, ProfileSettings(tau_h=tau_h))["in_R"].sum() for tau_h in (1, 2, 3, 4)]
    assert counts == [4, 2, 1, 1]
    assert profiles_of(corpus, ProfileSettings(tau_h=4, tau_l=1))["in_R"].all()
