"""Fusion of rankings, by ranks alone and with how well each node matched."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docnav_agent.fusion import MATCH_WEIGHTS, fuse_matches, fuse_rankings

rankings = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)


def test_scores_are_reciprocal_ranks_summed() -> None:
    fused = fuse_rankings({"x": ["a", "b"], "y": ["b", "c"]}, 60)
    assert [node_id for node_id, _ in fused] == ["b", "a", "c"]
    assert dict(fused) == pytest.approx({"a": 1 / 61, "b": 1 / 62 + 1 / 61, "c": 1 / 62})


@settings(max_examples=60, deadline=None)
@given(rankings, rankings, st.integers(1, 100))
def test_every_id_comes_once_and_scores_fall(first: list[str], second: list[str], k: int) -> None:
    fused = fuse_rankings({"x": first, "y": second}, k)
    assert sorted(node_id for node_id, _ in fused) == sorted(set(first) | set(second))
    assert [score for _, score in fused] == sorted((score for _, score in fused), reverse=True)
    assert all(0 < score <= 2 / (k + 1) for _, score in fused)
    assert fused == fuse_rankings({"y": second, "x": first}, k)


@settings(max_examples=60, deadline=None)
@given(rankings)
def test_a_ranking_alone_keeps_its_order(ranking: list[str]) -> None:
    assert [node_id for node_id, _ in fuse_rankings({"x": ranking})] == ranking


def test_equal_scores_are_ordered_by_id() -> None:
    assert [node_id for node_id, _ in fuse_rankings({"x": ["b"], "y": ["a"]})] == ["a", "b"]


@settings(max_examples=60, deadline=None)
@given(rankings, rankings)
def test_without_any_match_the_ranks_decide(first: list[str], second: list[str]) -> None:
    assert fuse_matches({"bm25": first, "dense": second}, {"bm25": {}, "dense": {}}) == fuse_rankings({"bm25": first, "dense": second})


def test_a_ranking_that_hardly_matches_does_not_outvote_one_that_matches_fully() -> None:
    both = {"bm25": ["weak", "other"], "dense": ["strong", "weak", "other"]}
    assert fuse_rankings(both)[0][0] == "weak"
    matches = {"bm25": {"weak": 0.1, "other": 0.05}, "dense": {"strong": 0.8, "weak": 0.3, "other": 0.2}}
    assert fuse_matches(both, matches)[0][0] == "strong"


def test_a_match_counts_for_an_id_that_the_ranking_itself_lacks() -> None:
    fused = dict(fuse_matches({"bm25": ["a"], "dense": ["b"]}, {"bm25": {"a": 0.5, "b": 0.4}, "dense": {"b": 0.6}}))
    assert fused["b"] == pytest.approx(1 / 61 + MATCH_WEIGHTS["bm25"] * 0.4 + MATCH_WEIGHTS["dense"] * 0.6)
