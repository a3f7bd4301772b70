"""Facts of a graph report, against counting by hand on random graphs."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from assets_store.schemas import EDGE_KINDS
from docnav_pipeline.report.graph_arrays import GraphArrays
from docnav_pipeline.report.graph_facts import MENTIONED, Bin, bins, graph_facts
from tests.factories import make_store, make_tables

DOCUMENTS = {
    f"{name}.md": f"# {name} one\n\nFirst {name}.\n\nSecond {name}.\n\n## Inner\n\nThird {name}.\n\n# {name} two\n\nFourth {name}."
    for name in ("ash", "birch", "cedar", "elm")
}


@pytest.fixture(params=range(4))
def edges(request: pytest.FixtureRequest) -> list[dict[str, object]]:
    """Random edges between random nodes, some of them candidates and some unresolved."""
    chance = random.Random(request.param)
    nodes = sorted(_kinds())
    paragraphs = [node for node in nodes if "/p-" in node]
    found: dict[tuple[str, str, str], dict[str, object]] = {}
    for n in range(chance.choice([3, 30, 90])):
        kind = chance.choice(EDGE_KINDS)
        source, target = chance.sample(nodes, 2)
        status = "candidate" if kind in MENTIONED and chance.random() < 0.5 else "confirmed"
        weight = round(chance.uniform(0.1, 1), 2)
        if status == "candidate" and chance.random() < 0.6:
            source, target, weight = chance.choice(paragraphs), f"section {n}", 0.0
        row = {"source_id": source, "target_id": target, "kind": kind, "weight": weight, "status": status}
        found[source, target, kind] = row
    return list(found.values())


def _kinds() -> dict[str, str]:
    from tests.factories import MadeDocument

    tree = make_tables([MadeDocument(name, text) for name, text in DOCUMENTS.items()])["tree"]
    return dict(tree.select("node_id", "kind").iter_rows())


def test_degrees_orphans_and_broken_references_are_as_counted_by_hand(tmp_path: Path, edges: list[dict[str, object]]) -> None:
    snapshot = make_store(tmp_path / "store", DOCUMENTS, edges).snapshot()
    graph = GraphArrays.of(snapshot)
    facts = graph_facts(snapshot, graph)
    kinds = _kinds()
    ends: dict[str, Counter[str]] = {kind: Counter() for kind in EDGE_KINDS}
    for edge in edges:
        if edge["status"] == "confirmed":
            ends[str(edge["kind"])].update([str(edge["source_id"]), str(edge["target_id"])])
    for found in facts.edges:
        mine = [edge for edge in edges if edge["kind"] == found.kind]
        assert found.confirmed == sum(edge["status"] == "confirmed" for edge in mine)
        assert found.unresolved == sum(edge["status"] == "candidate" and edge["weight"] == 0 for edge in mine)
        assert found.confirmed + found.candidates + found.unresolved == len(mine)
        assert found.nodes == len(ends[found.kind])
        assert found.most == max(ends[found.kind].values(), default=0)
        assert sum(b.n for b in found.degrees) == len(ends[found.kind])
        for b in found.degrees:
            assert b.n == sum(b.low <= n <= b.high for n in ends[found.kind].values())
        assert found.mentions == sum("/p-" in str(edge["source_id"]) for edge in mine) * (found.kind in MENTIONED)
    touched = {node for counts in ends.values() for node in counts}
    but_adjacent = {node for kind, counts in ends.items() if kind != "adjacent" for node in counts}
    for row in facts.orphans:
        nodes = {node for node, kind in kinds.items() if kind == row.kind}
        assert (row.n, row.without_any, row.without_but_adjacent) == (len(nodes), len(nodes - touched), len(nodes - but_adjacent))
    broken = Counter(str(edge["source_id"]).split("/")[0] for edge in edges if edge["weight"] == 0.0)
    assert sorted(row.broken for row in facts.broken) == sorted(broken.values())
    assert facts.broken_documents == len(broken)
    if facts.hubs:
        totals = Counter({node: sum(ends[kind][node] for kind in EDGE_KINDS if kind != "adjacent") for node in but_adjacent})
        assert facts.hubs[0].degree == max(totals.values())
        assert [hub.degree for hub in facts.hubs] == sorted(totals.values(), reverse=True)[: len(facts.hubs)]


def test_samples_are_edges_of_the_table_with_their_reason(tmp_path: Path, edges: list[dict[str, object]]) -> None:
    snapshot = make_store(tmp_path / "store", DOCUMENTS, edges).snapshot()
    facts = graph_facts(snapshot, GraphArrays.of(snapshot))
    assert set(facts.samples) == {edge["kind"] for edge in edges}
    known = {(edge["source_id"], edge["kind"], edge["status"]) for edge in edges}
    for kind, samples in facts.samples.items():
        assert samples
        for sample in samples:
            assert (sample.source.node_id, kind, sample.status) in known
            assert sample.why == "made up"
            assert (sample.target is None) == (sample.weight == 0)
            assert sample.source.doc.endswith(".md")


def test_equal_snapshots_give_equal_facts(tmp_path: Path, edges: list[dict[str, object]]) -> None:
    found = []
    for name in ("a", "b"):
        snapshot = make_store(tmp_path / name, DOCUMENTS, edges).snapshot()
        snapshot.manifest["created"] = "then"
        found.append(graph_facts(snapshot, GraphArrays.of(snapshot)))
    assert found[0] == found[1]


def test_bins_double_and_keep_the_empty_ones_between() -> None:
    import numpy as np

    assert bins(np.array([0, 3, 4, 17, 17, 0])) == [Bin(3, 4, 2), Bin(5, 8, 0), Bin(9, 16, 0), Bin(17, 32, 2)]
    assert bins(np.array([0, 0])) == []
