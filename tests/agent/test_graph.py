"""The graph of a snapshot: moves along the hierarchy, names of documents, and what a reader may not see."""

from __future__ import annotations

from pathlib import Path

import pytest

from assets_store.errors import NoStore, UnknownDocument, UnknownNode
from assets_store.ids import community_id
from docnav_agent.graph import Graph
from tests.factories import MadeDocument, make_store

PUMP = MadeDocument(
    "manuals/pump.md",
    "Read this first.\n\n# 1 Start\n\nThe green key starts it.\n\n## 1.1 Noise\n\nAir makes noise.\n\nOpen the valve.\n\n"
    "# 2 Care\n\nOil it.",
    title="Pump manual",
    pages=(1, 1, 2, 2, 3),
)
CAR = MadeDocument("car.md", "# Start\n\nTurn the key.\n\n# Brake\n\nPress the pedal.")
SECRET = MadeDocument("secret.md", "# Codes\n\nThe code is seven.", labels=("staff", "board"))
LOCKED = MadeDocument("locked.pdf", "", status="encrypted")
LINE = MadeDocument("notes.jsonl#paper-1.2", "# Method\n\nWe count words.")
DOCUMENTS = [PUMP, CAR, SECRET, LOCKED, LINE]
COMMUNITIES = [[PUMP.doc_id, CAR.doc_id], [SECRET.doc_id, LINE.doc_id]]


# A table cut in four behind text that was cut too, and another document whose first block has the number of its last.
CUT = MadeDocument(
    "cut.md",
    "Before.\n\nBefore too.\n\n| 1 |\n\n| 2 |\n\n| 3 |\n\n| 4 |\n\nBehind.",
    blocks=((0,), (0,), (1, 2), (2,), (2,), (2,), (3,)),
)
NEXT = MadeDocument("next.md", "First.\n\nSecond.", blocks=((3,), (4,)))


def test_pieces_of_a_table_are_its_neighbours_with_other_rows_and_text_has_none(tmp_path: Path) -> None:
    graph = Graph.open(make_store(tmp_path / "store", [CUT, NEXT]))
    before, more, *rows, behind = graph.paragraph_ids(CUT.doc_id)
    assert graph.pieces(rows[1]) == ([rows[0]], [rows[2], rows[3]])
    assert graph.pieces(rows[3]) == ([rows[2], rows[1], rows[0]], [])
    for whole in (before, more, behind, *graph.paragraph_ids(NEXT.doc_id)):
        assert graph.pieces(whole) == ([], [])
    with pytest.raises(UnknownNode, match="not a paragraph"):
        graph.pieces(CUT.doc_id)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("graph") / "store"
    public, other = _paragraph_of(CAR, path / "draft"), SECRET.doc_id
    edges = [
        {"source_id": PUMP.doc_id, "target_id": CAR.doc_id, "kind": "semantic", "weight": 0.6},
        {"source_id": PUMP.doc_id, "target_id": public, "kind": "citation", "weight": 1.0},
        {"source_id": PUMP.doc_id, "target_id": other, "kind": "semantic", "weight": 0.9},
        {"source_id": PUMP.doc_id, "target_id": "[12]", "kind": "citation", "weight": 0.2, "status": "candidate"},
    ]
    make_store(path / "final", DOCUMENTS, edges, COMMUNITIES)
    return path / "final"


def _paragraph_of(document: MadeDocument, folder: Path) -> str:
    return Graph.open(make_store(folder, [document])).paragraph_ids(document.doc_id)[0]


@pytest.fixture(scope="module")
def graph(folder: Path) -> Graph:
    return Graph.open(folder)


def _section(graph: Graph, title: str) -> str:
    return next(node.node_id for document in graph.documents() for node in graph.outline(document.node_id, 9) if node.title == title)


def test_outline_lists_sections_in_reading_order_down_to_a_depth(graph: Graph) -> None:
    assert [node.title for node in graph.outline(PUMP.doc_id, 1)] == ["1 Start", "2 Care"]
    assert [node.title for node in graph.outline(PUMP.doc_id, 2)] == ["1 Start", "1.1 Noise", "2 Care"]
    assert graph.outline(PUMP.doc_id, 0) == []


def test_moves_up_down_and_sideways_agree(graph: Graph) -> None:
    noise = _section(graph, "1.1 Noise")
    up = graph.parent(noise)
    assert up is not None
    assert up.title == "1 Start"
    assert noise in [child.node_id for child in graph.children(up.node_id)]
    assert [node.title for node in graph.ancestors(noise)] == ["1 Start", "Pump manual"]
    assert [node.title for node in graph.siblings(_section(graph, "2 Care")) if node.level == "section"] == ["1 Start"]
    assert graph.parent(PUMP.doc_id) is None


def test_every_child_names_its_parent_and_its_place(graph: Graph) -> None:
    for document in graph.documents():
        for node in [document, *graph.outline(document.node_id, 9)]:
            children = graph.children(node.node_id)
            assert [child.parent_id for child in children] == [node.node_id] * len(children)
            assert [child.position for child in children] == list(range(len(children)))


def test_a_node_carries_label_path_pages_and_size(graph: Graph) -> None:
    node = graph.node(_section(graph, "1.1 Noise"))
    assert (node.level, node.label, node.path, node.doc) == ("section", "1.1", ("1 Start", "1.1 Noise"), "pump.md")
    assert (node.page_start, node.page_end, node.height) == (2, 2, 1)
    assert node.n_tokens == sum(graph.paragraph(below).n_tokens for below in graph.paragraph_ids(node.node_id))


def test_a_paragraph_has_its_text_place_and_boxes(graph: Graph) -> None:
    ids = graph.paragraph_ids(PUMP.doc_id)
    paragraphs = [graph.paragraph(node_id) for node_id in ids]
    assert [paragraph.text for paragraph in paragraphs] == [
        "Read this first.",
        "The green key starts it.",
        "Air makes noise.",
        "Open the valve.",
        "Oil it.",
    ]
    assert [paragraph.position for paragraph in paragraphs] == [0, 1, 2, 3, 4]
    assert paragraphs[0].path == ()
    assert paragraphs[0].parent_id == PUMP.doc_id
    third = paragraphs[2]
    assert (third.path, third.page_start, third.uri) == (("1 Start", "1.1 Noise"), 2, "manuals/pump.md")
    assert third.boxes[0]["page"] == 2
    assert third.boxes[0]["bbox"] == pytest.approx([0.1, 0.1, 0.9, 0.2])
    assert graph.node(ids[2]).title == "1.1 Noise"


def test_paragraphs_of_overlapping_scopes_come_once_and_in_order(graph: Graph) -> None:
    whole = graph.paragraph_ids(PUMP.doc_id)
    assert graph.paragraph_ids([whole[3], _section(graph, "1.1 Noise"), PUMP.doc_id]) == whole


def test_a_section_is_no_paragraph(graph: Graph) -> None:
    with pytest.raises(UnknownNode, match="is a section, not a paragraph"):
        graph.paragraph(_section(graph, "2 Care"))


def test_an_unknown_node_names_the_nearest(graph: Graph) -> None:
    known = graph.paragraph_ids(CAR.doc_id)[0]
    with pytest.raises(UnknownNode, match=f"nearest: '{known}'"):
        graph.node(known[:-1] + "x")
    with pytest.raises(UnknownNode, match=CAR.doc_id):
        graph.node(CAR.doc_id + "x")
    for strange in ("", "/", "community/none", "a/b/c"):
        with pytest.raises(UnknownNode):
            graph.node(strange)


def test_neighbors_go_both_ways_heaviest_first(graph: Graph) -> None:
    edges = graph.neighbors(PUMP.doc_id, ["semantic", "citation"])
    assert [(edge.kind, edge.weight) for edge in edges] == [
        ("citation", 1.0),
        ("semantic", pytest.approx(0.6)),
        ("citation", pytest.approx(0.2)),
    ]
    assert [edge.source_id for edge in graph.neighbors(CAR.doc_id, ["semantic"])] == [PUMP.doc_id]
    assert edges[-1].status == "candidate"


def test_communities_have_members_and_members_communities(graph: Graph) -> None:
    community = community_id(COMMUNITIES[0][0], 0)
    node = graph.node(community)
    assert node.level == "community"
    assert node.title
    assert [member.node_id for member in graph.children(community)] == sorted(COMMUNITIES[0])
    assert [edge.target_id for edge in graph.neighbors(PUMP.doc_id, ["community"])] == [community]
    assert {edge.target_id for edge in graph.neighbors(community)} == set(COMMUNITIES[0])
    assert graph.paragraph_ids(community) == [*graph.paragraph_ids(CAR.doc_id), *graph.paragraph_ids(PUMP.doc_id)]
    assert graph.parent(community) is None
    assert graph.ancestors(community) == []


def test_profiles_are_navigation_cues_of_their_node(graph: Graph) -> None:
    profile = graph.profile(PUMP.doc_id)
    assert profile.topic_cues == ("1 Start", "2 Care")
    assert profile.summary
    assert "nois" in dict(graph.profile(_section(graph, "1.1 Noise")).keywords)
    assert graph.profile(community_id(COMMUNITIES[0][0], 0)).keywords


@pytest.mark.parametrize("name", ["pump.md", "pump", "manuals/pump.md", PUMP.doc_id, "PUMP"])
def test_a_document_is_found_by_file_name_stem_path_and_id(graph: Graph, name: str) -> None:
    assert graph.resolve_documents([name]) == [PUMP.doc_id]


def test_names_that_match_several_documents_give_all_of_them(tmp_path: Path) -> None:
    twins = [MadeDocument("a/guide.md", "One."), MadeDocument("b/guide.md", "Two."), MadeDocument("b/other.md", "Three.")]
    graph = Graph.open(make_store(tmp_path / "s", twins))
    assert set(graph.resolve_documents(["guide"])) == {twins[0].doc_id, twins[1].doc_id}
    assert graph.resolve_documents(["b/guide.md", "guide.md"])[0] == twins[1].doc_id


def test_the_id_of_a_line_is_its_name_as_a_whole(graph: Graph) -> None:
    assert graph.resolve_documents(["paper-1.2"]) == [LINE.doc_id]
    with pytest.raises(UnknownDocument, match=r"nearest: 'paper-1\.2'"):
        graph.resolve_documents(["paper-1"])


def test_a_failed_document_can_be_named_and_has_no_text(graph: Graph) -> None:
    assert graph.resolve_documents(["locked.pdf"]) == [LOCKED.doc_id]
    assert graph.paragraph_ids([LOCKED.doc_id]) == []
    assert LOCKED.doc_id not in [node.node_id for node in graph.documents()]


def test_documents_without_the_readers_label_do_not_exist_for_him(folder: Path, graph: Graph) -> None:
    staff = Graph.open(folder, labels=["staff"])
    inside = [SECRET.doc_id, *staff.paragraph_ids(SECRET.doc_id), community_id(COMMUNITIES[1][0], 0)]
    for node_id in inside:
        assert staff.node(node_id)
        for use in (
            graph.node,
            graph.children,
            graph.siblings,
            graph.ancestors,
            graph.outline,
            graph.profile,
            graph.neighbors,
            graph.parent,
        ):
            with pytest.raises(UnknownNode) as complaint:
                use(node_id)
            assert complaint.value.args[0].count(SECRET.doc_id) <= node_id.count(SECRET.doc_id)
        with pytest.raises(UnknownNode):
            graph.paragraph_ids(node_id)
    with pytest.raises(UnknownDocument) as unknown:
        graph.resolve_documents(["secret.txt"])
    assert "secret.md" not in str(unknown.value)
    assert SECRET.doc_id not in [node.node_id for node in graph.documents()]
    seen = [edge.target_id for edge in graph.neighbors(PUMP.doc_id)]
    assert SECRET.doc_id not in seen
    assert SECRET.doc_id in [edge.target_id for edge in staff.neighbors(PUMP.doc_id)]


def test_one_of_several_labels_is_enough(folder: Path) -> None:
    assert Graph.open(folder, labels=["board", "guests"]).node(SECRET.doc_id)


def test_a_folder_without_store_is_an_error_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(NoStore):
        Graph.open(tmp_path / "nothing")
