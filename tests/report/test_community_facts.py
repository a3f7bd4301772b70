"""Communities of a report: which level is shown, and the edges between its groups."""

from __future__ import annotations

from pathlib import Path

from assets_store.ids import document_id
from assets_store.rows import Provenance
from assets_store.schemas import COMMUNITIES
from assets_store.store import CORPUS_PART, Store
from docnav_pipeline.report.community_facts import CommunityFacts, Group, Link, community_facts
from docnav_pipeline.report.community_picture import ring_order
from docnav_pipeline.report.graph_arrays import GraphArrays
from tests.factories import MadeDocument, make_store, make_tables

NAMES = [f"d{n:02d}.md" for n in range(30)]
IDS = [document_id("default", "", name) for name in NAMES]
DOCUMENTS = [MadeDocument(name, f"# Part\n\nText of {name}.") for name in NAMES]


def _paragraph(number: int) -> str:
    tree = make_tables([DOCUMENTS[number]])["tree"]
    return str(tree.filter(kind="paragraph")["node_id"][0])


def test_edges_between_nodes_of_two_communities_are_summed(tmp_path: Path) -> None:
    edges = [
        {"source_id": _paragraph(0), "target_id": _paragraph(2), "kind": "entity", "weight": 0.5},
        {"source_id": _paragraph(1), "target_id": IDS[2], "kind": "semantic", "weight": 0.25},
        {"source_id": _paragraph(0), "target_id": _paragraph(1), "kind": "entity", "weight": 0.7},
        {"source_id": _paragraph(0), "target_id": _paragraph(3), "kind": "adjacent", "weight": 1.0},
        {"source_id": _paragraph(0), "target_id": "section 9", "kind": "cross_reference", "weight": 0.0, "status": "candidate"},
    ]
    snapshot = make_store(tmp_path / "store", DOCUMENTS[:4], edges, [IDS[:2], IDS[2:4]]).snapshot()
    facts = community_facts(snapshot, GraphArrays.of(snapshot))
    assert [group.members for group in facts.groups] == [2, 2]
    assert facts.links == [Link(0, 1, 2, 0.75)]
    assert facts.unit == "document"


def test_the_finest_level_that_fits_is_shown_and_takes_what_stands_only_below_it(tmp_path: Path) -> None:
    store = make_store(tmp_path / "store", DOCUMENTS, [], [[one] for one in IDS])
    fine = store.read("communities")
    # Two of each on level 1 but the last, which is what it was on level 0 and so is not repeated.
    rows = fine.to_dicts()
    for at in range(0, 28, 2):
        rows += [
            {**fine.to_dicts()[at], "node_id": IDS[at + i], "level": 1, "size": 2, "community_id": f"community/pair{at:02d}"}
            for i in (0, 1)
        ]
    _write(store, rows)
    snapshot = store.snapshot()
    facts = community_facts(snapshot, GraphArrays.of(snapshot))
    assert [(level.level, level.communities, level.single) for level in facts.levels] == [(0, 30, 30), (1, 14, 0)]
    assert facts.shown == 1
    assert (len(facts.groups), facts.left_out) == (16, 0)
    assert sum(group.members for group in facts.groups) == 30


def test_of_too_many_communities_the_largest_are_shown(tmp_path: Path) -> None:
    snapshot = make_store(tmp_path / "store", DOCUMENTS, [], [IDS[:3], *([one] for one in IDS[3:])]).snapshot()
    facts = community_facts(snapshot, GraphArrays.of(snapshot))
    assert (len(facts.groups), facts.left_out) == (24, 4)
    assert facts.groups[0].members == 3


def test_the_ring_puts_linked_groups_side_by_side() -> None:
    groups = [Group(f"community/{n}", 1, []) for n in range(6)]
    links = [Link(0, 3, 1, 5.0), Link(1, 4, 1, 5.0), Link(2, 5, 1, 5.0)]
    order = ring_order(CommunityFacts("document", [], 0, groups, links, 0))
    assert sorted(order) == list(range(6))
    assert all(abs(order.index(link.first) - order.index(link.second)) == 1 for link in links)


def _write(store: Store, rows: list[dict[str, object]]) -> None:
    import polars as pl

    store.write(COMMUNITIES, CORPUS_PART, pl.DataFrame(rows, schema=store.read("communities").schema), Provenance())
    store.commit("made", {"encoder": "x"}, {"paragraphs": 0})
