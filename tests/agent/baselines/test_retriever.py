"""Retrieve-then-read systems: whole paragraphs, best first, within documents, labels and budget."""

from __future__ import annotations

from pathlib import Path

import pytest

from assets_store.errors import UnknownDocument
from docnav_agent.budget import EVIDENCE_LIMIT, Budget
from docnav_agent.search import Search
from docnav_agent.systems import Question, system
from tests.factories import MadeDocument, make_search

MANY = MadeDocument("many.md", "\n\n".join(f"Pump number {number} has a valve." for number in range(120)))
OTHER = MadeDocument("other.md", "# Pumps\n\nA pump without any valve.", pages=(4,))
SECRET = MadeDocument("secret.md", "The secret pump valve.", labels=("staff",))
SYSTEMS = ["bm25", "dense", "hybrid"]


@pytest.fixture(scope="module")
def search(tmp_path_factory: pytest.TempPathFactory) -> Search:
    return make_search(tmp_path_factory.mktemp("retriever") / "s", [MANY, OTHER, SECRET])


@pytest.mark.parametrize("name", SYSTEMS)
def test_evidence_is_whole_paragraphs_in_the_order_of_the_ranking_up_to_the_budget(search: Search, name: str) -> None:
    found = system(name, search).retrieve(Question("q", "pump valve"), Budget(evidence_tokens=100))
    assert found.stop_reason == EVIDENCE_LIMIT
    assert 80 < sum(item.n_tokens for item in found.evidence) <= 100
    mode = {"hybrid": "rrf"}.get(name, name)
    ranking = [hit.node_id for hit in search.locate("pump valve", mode=mode, k=200)]
    assert [item.node_id for item in found.evidence] == ranking[: len(found.evidence)]
    assert [item.evidence_id for item in found.evidence] == [f"E{number:02d}" for number in range(1, len(found.evidence) + 1)]
    assert all(item.text == search.graph.paragraph(item.node_id).text for item in found.evidence)
    assert (found.steps, found.llm_calls, found.tokens) == (1, 0, 0)


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_budget_larger_than_the_ranking_takes_all_of_it_once(search: Search, name: str) -> None:
    found = system(name, search).retrieve(Question("q", "pump valve"), Budget(evidence_tokens=100_000))
    ids = [item.node_id for item in found.evidence]
    assert len(ids) == len(set(ids)) == 121
    assert found.stop_reason == "ranking_ended"


def test_a_budget_that_is_to_be_filled_takes_unranked_paragraphs_after_the_ranked_ones(search: Search) -> None:
    question = Question("q", "number 7", docs=("many",))
    ranked = system("bm25", search).retrieve(question, Budget(evidence_tokens=100_000))
    filled = system("bm25", search).retrieve(Question("q", "xylophone", docs=("many",)), Budget(evidence_tokens=100_000, fill=True))
    assert 0 < len(ranked.evidence) <= 120
    assert [item.node_id for item in filled.evidence] == search.graph.paragraph_ids(MANY.doc_id)
    assert len(system("bm25", search).retrieve(Question("q", "xylophone"), Budget()).evidence) == 0


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_first_paragraph_longer_than_the_budget_is_still_taken(search: Search, name: str) -> None:
    assert len(system(name, search).retrieve(Question("q", "pump"), Budget(evidence_tokens=1)).evidence) == 1


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_question_with_documents_is_answered_from_them(search: Search, name: str) -> None:
    found = system(name, search).retrieve(Question("q", "pump valve", docs=("other",)), Budget())
    assert [(item.doc, item.section, item.page_start) for item in found.evidence] == [("other.md", ("Pumps",), 4)]
    with pytest.raises(UnknownDocument, match=r"nearest: 'other\.md'"):
        system(name, search).retrieve(Question("q", "pump", docs=("othre.md",)), Budget())


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_document_that_needs_a_label_is_no_evidence_without_it(search: Search, name: str, tmp_path: Path) -> None:
    assert "secret.md" not in {item.doc for item in system(name, search).retrieve(Question("q", "secret pump"), Budget()).evidence}
    staff = make_search(tmp_path / "s", [OTHER, SECRET], labels=["staff"])
    assert system(name, staff).retrieve(Question("q", "secret pump"), Budget()).evidence[0].doc == "secret.md"
