"""A process that reads a store until it is told to stop, and checks that each answer belongs to one snapshot whole.

Every edition of the corpus has a document `contents.md` that tells the other documents and which edition of each there is; it is
the yardstick of everything else that is read from the same snapshot.
"""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path

from assets_store.errors import UnknownSnapshot
from assets_store.ids import doc_of
from assets_store.snapshot import SnapshotLog
from assets_store.store import Store
from docnav_agent import Graph
from docnav_agent.search import Search

TEXT = "The document {name} of edition {edition} tells of wells."
_ENTRY = re.compile(r"(\w+)=(\d+)")
_HELD_S = 2.0


def contents(editions: dict[str, int]) -> str:
    """Text of contents.md. editions: name of each other document -> its edition."""
    return "# Contents\n\nThis edition holds " + " ".join(f"{name}={edition}" for name, edition in sorted(editions.items())) + " .\n"


def check(graph: Graph) -> None:
    """Everything that is asked of one graph fits its contents.md. Reads indexes and tables, some of them for the first time."""
    by_name = {node.doc: node for node in graph.documents()}
    (listed,) = [graph.paragraph(name).text for name in graph.paragraph_ids(by_name["contents.md"].node_id)]
    expected = {f"{name}.md": TEXT.format(name=name, edition=edition) for name, edition in _ENTRY.findall(listed)}
    assert by_name.keys() - {"contents.md"} == expected.keys(), (sorted(by_name), listed)
    for name, text in expected.items():
        assert [graph.paragraph(unit).text for unit in graph.paragraph_ids(by_name[name].node_id)] == [text], (name, listed)
    search = Search(graph)
    found = [graph.paragraph(hit.node_id) for hit in search.locate("edition of wells", k=50)]
    assert all(unit.doc == "contents.md" or unit.text == expected[unit.doc] for unit in found)
    assert {unit.doc for unit in found} == by_name.keys()
    assert len(search.locate("wells", level="document", k=50)) == len(by_name)
    texts = dict(graph.snapshot.read("paragraphs", ["doc_id", "text"]).iter_rows())
    assert sorted(texts.values()) == sorted([listed, *expected.values()])
    vectors = graph.snapshot.read("embeddings", ["doc_id"])["doc_id"].to_list()
    assert sorted(vectors) == sorted(texts)
    for node in by_name.values():
        assert graph.profile(node.node_id).node_id == node.node_id
        for edge in graph.neighbors(node.node_id, ["adjacent", "semantic", "entity"]):
            assert {doc_of(edge.source_id), doc_of(edge.target_id)} <= texts.keys()


def read_until(location: str, stop: Path, pause_s: float) -> dict[str, int]:
    """Read until a file appears; what was read: graphs, snapshots among them, and how often an id was gone before it was opened."""
    store = Store.open(location)
    held, since = Graph.open(location), time.monotonic()
    seen, graphs, gone = {held.snapshot.id}, 0, 0
    while not stop.exists():
        time.sleep(pause_s)
        graph = Graph.open(location)
        check(graph)
        seen.add(graph.snapshot.id)
        graphs += 1
        try:
            check(Graph.open(location, SnapshotLog(store.files).ids()[0]))
        except UnknownSnapshot:
            gone += 1
        if time.monotonic() - since > _HELD_S:  # nothing of it was read before: all of it must still be there
            check(held)
            held, since = Graph.open(location), time.monotonic()
    check(held)
    return {"graphs": graphs, "snapshots": len(seen), "gone": gone}


if __name__ == "__main__":
    print(json.dumps(read_until(sys.argv[1], Path(sys.argv[2]), float(sys.argv[3]))))
