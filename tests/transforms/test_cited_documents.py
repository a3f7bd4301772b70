"""Citations between documents, on made papers whose citations are known."""

from __future__ import annotations

import polars as pl
import pytest

from assets_store.settings import FeatureSettings
from docnav_pipeline.transforms.cited_documents import citation_edges_between
from docnav_pipeline.transforms.document_identity import find_identities, front_rows
from docnav_pipeline.transforms.features import build_features
from docnav_pipeline.transforms.reference_lists import reference_paragraphs
from tests.made_papers import MadePapers, make_papers
from tests.small_corpus import Corpus, make_corpus


def edges_between(corpus: Corpus) -> pl.DataFrame:
    features = build_features(corpus.paragraphs, {}, None, FeatureSettings())
    references = reference_paragraphs(corpus.paragraphs)
    identities = find_identities(corpus.documents, corpus.tree, front_rows(corpus.layout))
    return citation_edges_between(identities, corpus.tree, corpus.paragraphs, features, references)


def scores(made: MadePapers) -> dict[str, tuple[float, float]]:
    """Precision and recall of confirmed edges from citing documents and from citing paragraphs."""
    edges = edges_between(made.corpus).filter(pl.col("status") == "confirmed")
    documents = set(made.corpus.documents["doc_id"])
    entries = set(reference_paragraphs(made.corpus.paragraphs)["paragraph_id"])
    paragraphs = set(made.corpus.paragraphs["paragraph_id"]) - entries
    found = {}
    for name, sources, truth in (("documents", documents, made.cites), ("paragraphs", paragraphs, made.mentions)):
        pairs = {(source, target) for source, target in edges.select("source_id", "target_id").iter_rows() if source in sources}
        found[name] = (len(pairs & truth) / len(pairs), len(pairs & truth) / len(truth))
    return found


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_citations_of_made_papers_are_found_and_hardly_any_other(seed: int) -> None:
    made = make_papers(80, seed)
    assert made.n_absent > 150
    for precision, recall in scores(made).values():
        assert precision >= 0.95
        assert recall >= 0.95


OLD = "Old pumps and their quiet valves"


def cited(
    entry: str, front: str = "Ada Brandt, Ben Moreau\n\nJournal of Made Machines, 2001.", title: str = OLD, name: str = "old.md"
) -> list[tuple[float, str]]:
    """(weight, status) of the edges from the paragraph of an entry."""
    texts = {"noise.md": f"# 1 Start\n\nLoud.\n\n# References\n\n{entry}", name: f"{front}\n\n# Abstract\n\nThey are quiet."}
    corpus = make_corpus(texts)
    ids = corpus.documents["doc_id"]
    names = {str(ids[1]): title}
    is_document = corpus.tree["kind"] == "document"
    tree = corpus.tree.with_columns(title=corpus.tree["title"].zip_with(~is_document, corpus.tree["doc_id"].replace(names)))
    named = Corpus(corpus.documents.with_columns(title=corpus.documents["doc_id"].replace(names)), corpus.layout, tree, corpus.paragraphs)
    source = corpus.paragraphs.filter(corpus.paragraphs["path"].list.contains("References"))["paragraph_id"][0]
    edges = edges_between(named).filter(pl.col("source_id") == source)
    return [(round(weight, 2), status) for weight, status in edges.select("weight", "status").iter_rows()]


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        ("A. Brandt. Old pumps and their quiet valves. 2001.", [(1.0, "confirmed")]),
        ("A. Brandt. OLD PUMPS AND THEIR QUIET\nVAL-\nVES. 2001.", [(1.0, "confirmed")]),
        ("A. Brandt. Old pumps and their quiet valves.", [(0.95, "confirmed")]),
        ("Old pumps and their quiet valves.", [(0.8, "confirmed")]),
        ("A. Brandt. Old pumps and their quiet valves. 2002.", [(0.8, "confirmed")]),
        ("A. Brandt. Old pumps and their quiet valves. 2009.", []),
        ("Z. Other, Y. Person. Old pumps and their quiet valves. 2001.", []),
        ("A. Brandt. Old pumps and their quiet tanks. 2001.", []),
        ("A. Brandt. On old pumps and their quiet valves. 2001.", [(1.0, "confirmed")]),
        ("A. Brandt. Towards old pumps and their quiet valves. 2001.", []),
        ("A. Brandt. Old pumps and their quiet valves in winter. 2001.", []),
        ("A. Brandt. Old pumps and their quiet valves: a study. 2001.", [(1.0, "confirmed")]),
        ("Old pumps and their quiet valves: a study.", []),
    ],
)
def test_title_author_and_year_decide_together(entry: str, found: list[tuple[float, str]]) -> None:
    assert cited(entry) == found


@pytest.mark.parametrize(
    ("entry", "front", "name"),
    [
        ("Brandt. https://doi.org/10.5555/made.1", "Ada Brandt\n\ndoi:10.5555/made.1", "old.md"),
        ("Brandt. arXiv:2101.01234v3.", "Ada Brandt\n\narXiv:2101.01234v1 [cs.XX]", "old.md"),
        ("Brandt. arXiv preprint arXiv:2101.01234.", "Ada Brandt", "2101.01234v2.md"),
        ('[MADE] Brandt, A., "Made Transport", RFC 9999, May 2021.', "Ada Brandt", "rfc9999.md"),
    ],
)
def test_an_identifier_is_enough(entry: str, front: str, name: str) -> None:
    assert cited(entry, front, "A title that is not in the entry", name) == [(1.0, "confirmed")]


def test_an_address_that_ends_in_the_name_of_a_file_is_a_candidate() -> None:
    assert cited("See https://example.org/x/quiet-valves.md for more. 2003.", name="quiet-valves.md") == [(0.4, "candidate")]


def test_short_titles_need_the_author_too() -> None:
    assert cited("Pump noise. 2001.", title="Pump noise") == [(0.4, "candidate")]
    assert cited("A. Brandt. Pump noise. 2001.", title="Pump noise") == [(1.0, "confirmed")]
    assert cited("Pump noise.", title="Pump noise") == []
