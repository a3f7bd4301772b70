"""Actions: what they refuse, how they are read from JSON, when two are the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docnav_agent.actions import MAX_FETCHED_NODES, MAX_HITS, BadAction, Expand, Fetch, Locate, Navigate, parse_action, signature
from docnav_agent.nodes import EDGE_KINDS

ids = st.text(min_size=1, max_size=40)
actions = st.one_of(
    st.builds(
        Locate,
        query=st.text(min_size=1, max_size=80).filter(lambda text: bool(text.strip())),
        level=st.sampled_from(["community", "document", "section", "paragraph"]),
        scope=st.lists(ids, max_size=4).map(tuple),
        k=st.integers(1, MAX_HITS),
    ),
    st.builds(Navigate, node_id=ids, direction=st.sampled_from(["up", "down", "siblings", "outline"])),
    st.builds(
        Expand,
        node_ids=st.lists(ids, min_size=1, max_size=4).map(tuple),
        kinds=st.lists(st.sampled_from(EDGE_KINDS), max_size=3).map(tuple),
    ),
    st.builds(Fetch, node_ids=st.lists(ids, min_size=1, max_size=4).map(tuple)),
)


@given(actions)
def test_an_action_survives_its_json_form(action: Locate | Navigate | Expand | Fetch) -> None:
    assert parse_action(action.model_dump(mode="json")) == action


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        ({}, "kind"),
        ({"kind": "answer", "text": "42"}, "locate"),
        ({"kind": "locate", "query": "   "}, "query"),
        ({"kind": "locate", "query": "x", "level": "page"}, "level"),
        ({"kind": "locate", "query": "x", "k": MAX_HITS + 1}, "k"),
        ({"kind": "navigate", "node_id": "a", "direction": "left"}, "direction"),
        ({"kind": "expand", "node_ids": ["a"], "kinds": ["nope"]}, "cross_reference"),
        ({"kind": "fetch", "node_ids": []}, "node_ids"),
        ({"kind": "fetch", "node_ids": ["x"] * (MAX_FETCHED_NODES + 1)}, "node_ids"),
        ({"kind": "fetch", "node_ids": ["x"], "labels": ["secret"]}, "labels"),
    ],
)
def test_bad_arguments_are_named(data: dict[str, object], fault: str) -> None:
    with pytest.raises(BadAction, match=fault):
        parse_action(data)


def test_order_of_ids_and_spelling_of_a_query_make_no_other_action() -> None:
    assert signature(Fetch(node_ids=("a", "b"))) == signature(Fetch(node_ids=("b", "a")))
    assert signature(Locate(query="Notice  Period")) == signature(Locate(query="notice period"))
    assert signature(Locate(query="notice period", k=5)) != signature(Locate(query="notice period"))
