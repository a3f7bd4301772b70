"""Fusion of rankings."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docnav_agent.fusion import fuse_rankings

rankings = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)


def test_scores_are_reciprocal_ranks_summed() -> None:
    fused = fuse_rankings({"x": ["a", "b"], "y": ["b", "c"]}, 60, {"x": 1.0, "y": 1.0})
    assert [node_id for node_id, _ in fused] == ["b", "a", "c"]
    assert dict(fused) == pytest.approx({"a": 1 / 61, "b": 1 / 62 + 1 / 61, "c": 1 / 62})


@settings(max_examples=60, deadline=None)
@given(rankings, rankings, st.integers(1, 100))
def test_every_id_comes_once_and_scores_fall(first: list[str], second: list[str], k: int) -> None:
    fused = fuse_rankings({"x": first, "y": second}, k, {"x": 1.0, "y": 1.0})
    assert sorted(node_id for node_id, _ in fused) == sorted(set(first) | set(second))
    assert [score for _, score in fused] == sorted((score for _, score in fused), reverse=True)
    assert fused == fuse_rankings({"y": second, "x": first}, k, {"x": 1.0, "y": 1.0})


@settings(max_examples=60, deadline=None)
@given(rankings)
def test_a_ranking_alone_keeps_its_order(ranking: list[str]) -> None:
    assert [node_id for node_id, _ in fuse_rankings({"x": ranking}, 60, {"x": 1.0})] == ranking


def test_equal_scores_are_ordered_by_id_and_weights_decide_between_rankings() -> None:
    assert [node_id for node_id, _ in fuse_rankings({"x": ["b"], "y": ["a"]}, 60, {"x": 1.0, "y": 1.0})] == ["a", "b"]
    assert [node_id for node_id, _ in fuse_rankings({"x": ["b"], "y": ["a"]}, 60, {"x": 2.0, "y": 1.0})] == ["b", "a"]
