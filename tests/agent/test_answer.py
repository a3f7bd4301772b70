"""The answer: made of fetched text only, every mark resolves, and it abstains when nothing says it."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets_store.models.analyzer import analyze
from assets_store.sentences import one_line
from docnav_agent.actions import Locate
from docnav_agent.answer import MARK, Draft, Quote, check, cite
from docnav_agent.answering import answer_question, ask
from docnav_agent.budget import Budget
from docnav_agent.environment import Environment
from docnav_agent.evidence import EvidenceItem
from docnav_agent.quoted_answer import write_answer
from docnav_agent.run_folder import read_run
from docnav_agent.systems import Question, SystemOptions
from tests.factories import HashingEncoder, MadeDocument, make_search


def tokenize(text: str) -> list[str]:
    return analyze(text, "en")


def evidence(*texts: str) -> list[EvidenceItem]:
    return [
        EvidenceItem(evidence_id=f"E{number:02d}", node_id=f"d/p-{number}", doc="lease.md", doc_id="d", text=text, n_tokens=9)
        for number, text in enumerate(texts, start=1)
    ]


def answer(question: str, *texts: str) -> Draft:
    return write_answer(question, evidence(*texts), tokenize, lambda t: HashingEncoder().encode(t).vectors)


def test_the_answer_quotes_the_sentence_that_says_it() -> None:
    draft = answer(
        "How long is the notice period?", "The rent is 900 euro.", "Keys are two. The notice period is 30 days. Pets are allowed."
    )
    assert draft.text == "The notice period is 30 days. [E02]"


def test_it_abstains_and_names_what_is_missing() -> None:
    draft = answer("Who painted the Mona Lisa?", "The rent is 900 euro.", "Keys are two.")
    assert not draft.answers
    assert draft.text == ""
    assert draft.missing == ("painted", "Mona", "Lisa")
    assert not answer("Who painted it?").answers


@given(st.lists(st.text(alphabet="abc .?!\n|-[]E01", max_size=60), max_size=4), st.text(alphabet="abc ?[]E01", max_size=20))
def test_every_quote_stands_in_its_evidence_and_every_mark_resolves(texts: list[str], question: str) -> None:
    items = evidence(*texts)
    draft = write_answer(question, items, tokenize)
    by_id = {item.evidence_id: item for item in items}
    assert all(by_id[quote.evidence_id].text[quote.start :].startswith(quote.text) for quote in draft.quotes)
    assert check(draft, items) == ()
    assert {citation.evidence_id for citation in cite(draft, items)} == {quote.evidence_id for quote in draft.quotes}


def test_a_mark_that_a_document_prints_cites_nothing() -> None:
    draft = answer("How long is the notice period?", "The notice period is 30 days [E02].", "The rent is 900 euro.")
    assert draft.text == "The notice period is 30 days (E02). [E01]"


@pytest.mark.parametrize(
    ("draft", "problem"),
    [
        (Draft("Thirty days. [E09]", (), ()), "E09"),
        (Draft("Thirty days. [E01]", (Quote("E01", "Thirty days.", 0, 1.0),), ()), "does not stand in E01"),
        (Draft("The rent [E01]", (Quote("E01", "is 900 euro", 9, 1.0),), ()), "not in the answer"),
        (Draft("x [E01]", (Quote("E07", "x", 0, 1.0),), ()), "E07"),
    ],
)
def test_a_citation_that_does_not_resolve_is_reported(draft: Draft, problem: str) -> None:
    assert any(problem in line for line in check(draft, evidence("The rent is 900 euro.")))


def test_text_that_is_not_its_nodes_text_is_reported(tmp_path: Path) -> None:
    search = make_search(tmp_path / "store", {"lease.md": "# Notice\n\nThe notice period is 30 days."})
    paragraph = search.graph.paragraph(search.graph.paragraph_ids(search.graph.documents()[0].node_id)[0])
    true = EvidenceItem.from_paragraph(paragraph, 1)
    forged = true.model_copy(update={"text": "The notice period is 99 days."})
    question = "How long is the notice period?"
    assert check(write_answer(question, [true], tokenize), [true], search.graph) == ()
    assert any("is not the text of node" in line for line in check(write_answer(question, [forged], tokenize), [forged], search.graph))


# -- the evidence boundary


def test_the_answer_step_takes_question_and_evidence_and_nothing_else() -> None:
    hints = get_type_hints(write_answer, include_extras=True, localns={"Sequence": Sequence})
    names = list(inspect.signature(write_answer).parameters)
    assert names == ["question", "evidence", "tokenize", "encode"]
    assert hints["question"] is str
    assert hints["evidence"] == Sequence[EvidenceItem]


def test_a_card_is_refused_as_evidence(tmp_path: Path) -> None:
    search = make_search(tmp_path / "store", {"lease.md": "# Notice\n\nThe notice period is 30 days."})
    cards = Environment(search.graph, search).perform(Locate(query="notice")).cards
    with pytest.raises(TypeError, match="found NodeCard; FETCH the node first"):
        write_answer("notice?", cards, tokenize)  # type: ignore[arg-type]


def test_no_title_profile_or_card_text_reaches_the_answer(tmp_path: Path) -> None:
    """A token that stands in titles, keywords, cues, labels and edges, but in no paragraph, cannot be answered with."""
    token = "zyxquark"
    documents = [
        MadeDocument(
            f"{token}.md",
            f"# {token} notice period\n\nThe notice period is 30 days.\n\n## {token} deposit\n\nThe deposit is two rents.",
            title=f"{token} lease",
        ),
        MadeDocument("other.md", f"# {token}\n\nThe rent is 900 euro."),
    ]
    plain = make_search(tmp_path / "plain", documents)
    ids = plain.graph.paragraph_ids(documents[0].doc_id)
    edges = [{"source_id": ids[0], "target_id": ids[1], "kind": "cross_reference", "why": f"{token} says so"}]
    search = make_search(tmp_path / "store", documents, edges, communities=[[document.doc_id for document in documents]])
    for system in ("docnav", "bm25", "dense", "hybrid"):
        for question in (f"What is {token}?", f"{token} notice period", f"{token} lease deposit {token} rent"):
            given = answer_question(Question("q", question), search, system, SystemOptions(runs_dir=tmp_path / "runs"), Budget())
            run = read_run(given.run_dir or "")
            cards = [card for step in run.steps for card in step["observation"]["nodes"]]
            assert system != "docnav" or any(token in str(card) for card in cards)
            assert all(token not in item["text"] for item in run.evidence.values())
            quoted = " ".join(citation.quote for citation in given.citations)
            assert token not in quoted
            assert not given.answered or token not in given.answer


# -- the whole way


@pytest.fixture
def documents() -> dict[str, str]:
    return {
        "lease.md": "# Notice\n\nThe notice period is 30 days. Either party may end the lease in writing.",
        "pump.md": "# Cleaning\n\nRinse the pump with water every week.\n\n# Safety\n\nSwitch the pump off before you open the lid.",
    }


def test_the_agent_cites_the_paragraph_it_fetched(tmp_path: Path, documents: dict[str, str]) -> None:
    search = make_search(tmp_path / "store", documents)
    given = answer_question(
        Question("q", "How long is the notice period?"), search, "docnav", SystemOptions(runs_dir=tmp_path / "runs"), Budget()
    )
    assert given.answer == f"The notice period is 30 days. [{given.citations[0].evidence_id}]"
    assert given.citations[0].section == ("Notice",)
    assert given.citations[0].doc == "lease.md"
    assert given.stop_reason == "answered"
    assert search.graph.paragraph(given.citations[0].node_id).text.startswith(one_line(given.citations[0].quote))
    assert set(MARK.findall(given.answer)) == {citation.evidence_id for citation in given.citations}
    run = read_run(given.run_dir or "")
    assert run.problems == ()
    assert run.answer["answer"] == given.answer
    assert all(step["note"]["query"] == "How long is the notice period?" for step in run.steps)


@pytest.mark.parametrize("system", ["docnav", "bm25", "dense", "hybrid"])
def test_every_system_abstains_with_a_named_reason(tmp_path: Path, documents: dict[str, str], system: str) -> None:
    search = make_search(tmp_path / "store", documents)
    given = answer_question(Question("q", "Who painted the Mona Lisa?"), search, system, SystemOptions(), Budget())
    assert not given.answered
    assert given.citations == ()
    assert given.stop_reason in ("insufficient_evidence", "nothing_found")
    assert "Mona" in given.missing
    assert given.run_dir is None


def test_ask_takes_a_graph_and_limits_the_documents(tmp_path: Path, documents: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    search = make_search(tmp_path / "store", documents)
    monkeypatch.setattr("docnav_agent.search.Search.encode", lambda self, texts: HashingEncoder().encode(texts).vectors)
    monkeypatch.chdir(tmp_path)
    given = ask("How long is the notice period?", search.graph, docs=["pump"], runs_dir=None)
    assert not given.answered
    assert ask("How long is the notice period?", search.graph, docs=["lease"]).answered
    assert len(list((tmp_path / ".retrieval_run").iterdir())) == 1
