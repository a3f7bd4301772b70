"""Citations between documents, on made papers whose citations are known."""

from __future__ import annotations

import polars as pl
import pytest

from assets_store.settings import FeatureSettings
from docnav_pipeline.transforms.cited_documents import citation_edges_between
from docnav_pipeline.transforms.features import build_features
from docnav_pipeline.transforms.reference_lists import reference_paragraphs
from tests.made_papers import MadePapers, make_papers
from tests.small_corpus import Corpus, make_corpus


def edges_between(corpus: Corpus) -> pl.DataFrame:
    features = build_features(corpus.paragraphs, {}, None, FeatureSettings())
    references = reference_paragraphs(corpus.paragraphs)
    return citation_edges_between(corpus.documents, corpus.tree, corpus.paragraphs, features, corpus.layout, references)


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
