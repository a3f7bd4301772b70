"""The environment: what each action brings, which targets it refuses, and that cards carry no source text."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from assets_store.errors import UnknownNode
from docnav_agent.actions import Expand, Fetch, Locate, Navigate
from docnav_agent.environment import Environment, NodeCard
from docnav_agent.search import Search
from tests.factories import MadeDocument, make_search

MANUAL = MadeDocument(
    "pump.md",
    "# Cleaning\n\nRinse the pump with water every week.\n\nDry the lid.\n\n# Safety\n\nSwitch the pump off before you open the lid.",
    title="Pump X-200",
    pages=(3, 3, 4),
)
LEASE = MadeDocument("lease.md", "# Notice\n\nThe notice period is 30 days.", labels=("legal",))


@pytest.fixture
def search(tmp_path: Path) -> Search:
    return make_search(tmp_path / "store", [MANUAL, LEASE], labels=["legal"])


@pytest.fixture
def environment(search: Search) -> Environment:
    return Environment(search.graph, search)


def test_locate_shows_cards_and_no_evidence(environment: Environment) -> None:
    seen = environment.perform(Locate(query="rinse the pump", k=3))
    assert seen.status == "ok"
    assert seen.evidence == ()
    assert seen.cards[0].path == ("Cleaning",)
    assert seen.cards[0].page_start == 3
    assert seen.cards[0].ancestors[-1] == MANUAL.doc_id


def test_a_card_has_no_field_for_source_text() -> None:
    assert {field.name for field in fields(NodeCard)}.isdisjoint({"text", "snippet", "summary", "keywords", "boxes"})


def test_fetch_of_a_section_brings_its_paragraphs_in_order(environment: Environment) -> None:
    section = environment.perform(Locate(query="cleaning", level="section", k=1)).cards[0]
    seen = environment.perform(Fetch(node_ids=(section.node_id,)))
    assert [item.text for item in seen.evidence] == ["Rinse the pump with water every week.", "Dry the lid."]
    assert [item.evidence_id for item in seen.evidence] == ["E01", "E02"]
    assert seen.evidence[0].boxes[0].page == 3
    assert seen.cards == ()


def test_fetch_brings_nothing_twice_and_keeps_to_its_limit(environment: Environment) -> None:
    document = environment.perform(Locate(query="pump", level="document", k=1)).cards[0]
    first = environment.perform(Fetch(node_ids=(document.node_id,)), tokens_left=12)
    assert [item.text for item in first.evidence] == ["Rinse the pump with water every week.", "Dry the lid."]
    again = environment.perform(Fetch(node_ids=(document.node_id,)), fetched=first.evidence)
    assert [item.evidence_id for item in again.evidence] == ["E03"]
    everything = environment.perform(Fetch(node_ids=(document.node_id,)), fetched=(*first.evidence, *again.evidence))
    assert everything.status == "repeated"


def test_a_piece_of_a_cut_table_brings_those_around_it_in_reading_order_as_far_as_they_fit(tmp_path: Path) -> None:
    rows = [f"| row {n} of the pump table |" for n in range(1, 5)]
    search = make_search(tmp_path / "cut", [MadeDocument("cut.md", "\n\n".join(rows), blocks=((0,),) * 4)])
    environment = Environment(search.graph, search)
    ids = search.graph.paragraph_ids(search.graph.documents()[0].node_id)
    environment.show(ids)
    first = environment.perform(Fetch(node_ids=(ids[2],)))
    assert [item.text for item in first.evidence] == rows[1:]
    rest = environment.perform(Fetch(node_ids=(ids[0],)), fetched=first.evidence)
    assert [item.text for item in rest.evidence] == rows[:1]
    assert "before" not in rest.message
    short = environment.perform(Fetch(node_ids=(ids[0],)), tokens_left=first.evidence[0].n_tokens)
    assert [item.text for item in short.evidence] == rows[:1]


def test_the_first_item_of_a_run_comes_whatever_its_length(environment: Environment) -> None:
    document = environment.perform(Locate(query="pump", level="document", k=1)).cards[0]
    seen = environment.perform(Fetch(node_ids=(document.node_id,)), tokens_left=1)
    assert len(seen.evidence) == 1
    later = environment.perform(Fetch(node_ids=(document.node_id,)), fetched=seen.evidence, tokens_left=1)
    assert later.status == "over_budget"


@pytest.mark.parametrize(
    "action",
    [
        Fetch(node_ids=("pump/p-000000000000",)),
        Navigate(node_id="pump/p-000000000000", direction="up"),
        Expand(node_ids=("pump/p-000000000000",)),
        Locate(query="x", scope=("pump/p-000000000000",)),
    ],
)
def test_a_target_that_was_not_shown_is_refused_with_the_nearest_ids(
    environment: Environment, action: Fetch | Navigate | Expand | Locate
) -> None:
    shown = environment.perform(Locate(query="pump")).cards
    seen = environment.perform(action)
    assert seen.status == "unknown_target"
    assert any(card.node_id in seen.message for card in shown)
    assert seen.evidence == ()


def test_an_id_that_exists_but_was_not_shown_is_refused_too(search: Search) -> None:
    node_id = search.graph.paragraph_ids(MANUAL.doc_id)[0]
    assert Environment(search.graph, search).perform(Fetch(node_ids=(node_id,))).status == "unknown_target"


def test_a_run_limited_to_documents_sees_no_other(search: Search) -> None:
    environment = Environment(search.graph, search, [MANUAL.doc_id])
    seen = environment.perform(Locate(query="notice period of the lease", k=50))
    assert {card.doc for card in seen.cards} == {"pump.md"}
    environment.show([LEASE.doc_id])
    assert environment.perform(Fetch(node_ids=(LEASE.doc_id,))).evidence == ()


def test_a_reader_without_the_label_does_not_see_the_document(tmp_path: Path) -> None:
    search = make_search(tmp_path / "store", [MANUAL, LEASE])
    environment = Environment(search.graph, search)
    assert all(card.doc == "pump.md" for card in environment.perform(Locate(query="notice period", k=50)).cards)
    with pytest.raises(UnknownNode):
        environment.show([LEASE.doc_id])


def test_navigate_moves_up_down_and_sideways(environment: Environment) -> None:
    section = environment.perform(Locate(query="cleaning", level="section", k=1)).cards[0]
    down = environment.perform(Navigate(node_id=section.node_id, direction="down")).cards
    assert [card.level for card in down] == ["paragraph", "paragraph"]
    assert environment.perform(Navigate(node_id=down[0].node_id, direction="up")).cards[0].node_id == section.node_id
    assert environment.perform(Navigate(node_id=section.node_id, direction="siblings")).cards[0].title == "Safety"
    root = environment.perform(Navigate(node_id=section.node_id, direction="up")).cards[0]
    assert root.node_id == MANUAL.doc_id
    assert environment.perform(Navigate(node_id=root.node_id, direction="up")).status == "empty"


def test_expand_follows_confirmed_edges_only(tmp_path: Path) -> None:
    search = make_search(tmp_path / "plain", [MANUAL])
    first, second, third = search.graph.paragraph_ids(MANUAL.doc_id)
    edges = [
        {"source_id": first, "target_id": third, "kind": "cross_reference", "why": "see section Safety"},
        {"source_id": first, "target_id": second, "kind": "cross_reference", "status": "candidate"},
    ]
    search = make_search(tmp_path / "edged", [MANUAL], edges)
    environment = Environment(search.graph, search)
    environment.show([first])
    seen = environment.perform(Expand(node_ids=(first,), kinds=("cross_reference",)))
    assert [(card.node_id, card.via, card.why) for card in seen.cards] == [(third, "cross_reference", "see section Safety")]
    assert environment.perform(Expand(node_ids=(first,), kinds=("citation",))).status == "empty"
