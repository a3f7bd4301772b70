"""LOCATE: levels, scopes, modes, ties, and what a search refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from assets_store.errors import ModelError, SettingsError, UnknownNode
from assets_store.ids import community_id
from docnav_agent.graph import Graph
from docnav_agent.nodes import LEVELS
from docnav_agent.search import MODES, Search
from tests.factories import HashingEncoder, MadeDocument, make_search, make_store

PUMP = MadeDocument(
    "pump.md", "# Start\n\nThe green key starts the pump X-200.\n\n# Noise\n\nAir in the line makes noise.\n\nOpen the valve."
)
CAR = MadeDocument("car.md", "# Start\n\nTurn the key to start.\n\n# Brake\n\nPress the pedal.")
WAGEN = MadeDocument("wagen.md", "# Bremsen\n\nDie Bremsbeläge werden geprüft.", language="de")
SECRET = MadeDocument("secret.md", "# Noise\n\nThe noise of the green key is secret.", labels=("staff",))
LOCKED = MadeDocument("locked.pdf", "", status="encrypted")
DOCUMENTS = [PUMP, CAR, WAGEN, SECRET, LOCKED]
COMMUNITIES = [[PUMP.doc_id, CAR.doc_id], [WAGEN.doc_id, SECRET.doc_id]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("search") / "store"
    make_store(folder, DOCUMENTS, communities=COMMUNITIES)
    return folder


@pytest.fixture(scope="module")
def search(folder: Path) -> Search:
    return Search(Graph.open(folder), HashingEncoder())


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("mode", MODES)
def test_hits_are_nodes_of_the_level_best_first(search: Search, level: str, mode: str) -> None:
    hits = search.locate("green key of the pump", level, mode=mode)
    assert hits
    assert {search.graph.node(hit.node_id).level for hit in hits} == {level}
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert hits == search.locate("green key of the pump", level, mode=mode)


def test_the_paragraph_with_the_words_of_the_query_comes_first(search: Search) -> None:
    for mode in MODES:
        assert "green key" in search.graph.paragraph(search.locate("the green key", mode=mode)[0].node_id).text


def test_ranks_say_where_a_hit_stood_in_each_ranking(search: Search) -> None:
    lexical = [hit.node_id for hit in search.locate("noise in the line", mode="bm25", k=50)]
    dense = [hit.node_id for hit in search.locate("noise in the line", mode="dense", k=50)]
    for hit in search.locate("noise in the line", k=50):
        assert hit.ranks.get("bm25") == (lexical.index(hit.node_id) + 1 if hit.node_id in lexical else None)
        assert hit.ranks.get("dense") == (dense.index(hit.node_id) + 1 if hit.node_id in dense else None)


def test_a_query_is_analysed_in_every_language_of_the_corpus(search: Search) -> None:
    assert search.graph.paragraph(search.locate("Bremsbelag", mode="bm25")[0].node_id).doc == "wagen.md"
    assert search.graph.paragraph(search.locate("starting pumps", mode="bm25")[0].node_id).doc == "pump.md"


@pytest.mark.parametrize("mode", MODES)
def test_a_scope_limits_a_search_to_its_subtrees(search: Search, mode: str) -> None:
    section = search.graph.outline(PUMP.doc_id)[1].node_id
    assert {hit.node_id for hit in search.locate("key", scope=[section], mode=mode, k=50)} <= set(search.graph.paragraph_ids(section))
    community = community_id(COMMUNITIES[0][0], 0)
    inside = {search.graph.paragraph(hit.node_id).doc for hit in search.locate("key noise", scope=[community], mode=mode, k=50)}
    assert inside <= {"pump.md", "car.md"}
    assert [hit.node_id for hit in search.locate("start", "document", scope=[CAR.doc_id], mode=mode)] == [CAR.doc_id]


def test_a_scope_without_text_finds_nothing_and_an_unknown_one_is_an_error(search: Search) -> None:
    assert search.locate("key", scope=[]) == []
    assert search.locate("key", scope=[LOCKED.doc_id]) == []
    assert search.locate("key", k=0) == []
    with pytest.raises(UnknownNode):
        search.locate("key", scope=["nothing-0000000000"])


def test_a_community_is_found_in_the_scope_of_a_member(search: Search) -> None:
    community = community_id(COMMUNITIES[0][0], 0)
    assert [hit.node_id for hit in search.locate("key", "community", scope=[CAR.doc_id])] == [community]
    assert search.locate("key", "community", scope=[WAGEN.doc_id]) == []


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("mode", MODES)
def test_no_level_or_mode_shows_a_reader_what_he_may_not_see(folder: Path, level: str, mode: str) -> None:
    query, hidden = "secret noise of the green key", {SECRET.doc_id, community_id(COMMUNITIES[1][0], 0)}
    public = {hit.node_id for hit in Search(Graph.open(folder), HashingEncoder()).locate(query, level, mode=mode, k=50)}
    staff = {hit.node_id for hit in Search(Graph.open(folder, labels=["staff"]), HashingEncoder()).locate(query, level, mode=mode, k=50)}
    assert {node_id for node_id in staff if node_id.partition("/")[0] in hidden or node_id in hidden}
    assert not {node_id for node_id in public if node_id.partition("/")[0] in hidden or node_id in hidden}


def test_equal_texts_are_ordered_by_id(tmp_path: Path) -> None:
    search = make_search(tmp_path / "s", {f"copy-{number}.md": "The same words here." for number in range(6)})
    for mode in ("bm25", "dense"):
        ids = [hit.node_id for hit in search.locate("same words", "paragraph", mode=mode, k=10)]
        scores = {hit.score for hit in search.locate("same words", "paragraph", mode=mode, k=10)}
        assert len(scores) == 1 or mode == "bm25"
        assert len(ids) == 6
        assert [hit.node_id for hit in search.locate("same words", "paragraph", mode=mode, k=3)] == ids[:3]


@pytest.mark.parametrize("query", ["", "   ", "the of and", "?!", "\x00", "a" * 10_000, "机器"])
def test_a_query_without_known_words_is_no_error(search: Search, query: str) -> None:
    assert search.locate(query, mode="bm25") == []
    assert isinstance(search.locate(query), list)


def test_unknown_levels_and_modes_list_those_that_exist(search: Search) -> None:
    with pytest.raises(SettingsError, match="unknown level 'chapter'; expected one of: community, document, section, paragraph"):
        search.locate("key", "chapter")
    with pytest.raises(SettingsError, match="unknown search mode 'vector'; expected one of: hybrid"):
        search.locate("key", mode="vector")


def test_vectors_of_another_model_are_refused(folder: Path) -> None:
    encoder = HashingEncoder()
    encoder.model_id = "other@2"
    search = Search(Graph.open(folder), encoder)
    with pytest.raises(ModelError, match=r"'hashing@test'.*'other@2'.*embeddings\.model"):
        search.locate("key")
    assert search.locate("key", mode="bm25")


def test_a_store_without_documents_can_be_searched(tmp_path: Path) -> None:
    search = make_search(tmp_path / "s", {})
    for level in LEVELS:
        assert search.locate("key", level, mode="rrf") == []
