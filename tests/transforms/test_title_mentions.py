"""Titles named in running text, and the edges that follow."""

from __future__ import annotations

import polars as pl
import pytest

from docnav_pipeline.transforms.title_mentions import TitlePhrases, find_title_mentions, section_title_edges, title_edges
from tests.small_corpus import make_corpus

_TITLES = [
    ("d1", "New York"),
    ("d2", "New York City"),
    ("d3", "Mercury (planet)"),
    ("d4", "Mercury (element)"),
    ("d5", "Water"),
    ("d6", "The Last of the Mohicans"),
    ("d7", "IBM"),
    ("d8", "O'Neill & Sons"),
    ("d9", "1984"),
    ("d10", "Dr. No"),
]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("He moved to New York City in May.", [("New York City", ("d2",))]),
        ("He left New York. City life was loud.", [("New York", ("d1",))]),
        ("He left New York and came back.", [("New York", ("d1",))]),
        ("in new york they say", []),
        ("Seen from Mercury it is large.", [("Mercury", ("d3", "d4"))]),
        ("Mercury is near. Water boils there.", []),
        ("They drank Water there.", [("Water", ("d5",))]),
        ("IBM made it.", [("IBM", ("d7",))]),
        ("a film of The Last of the Mohicans, long ago", [("The Last of the Mohicans", ("d6",))]),
        ("made by O'Neill & Sons", [("O'Neill & Sons", ("d8",))]),
        ("New\n York", [("New\n York", ("d1",))]),
        ("as Dr. No says", [("Dr. No", ("d10",))]),
        ("New (old) York", []),
        ("in 1984 it rained", []),
        ("Newer Yorkshire", []),
    ],
)
def test_titles_are_found_as_whole_words_with_a_capital_the_longest_first(text: str, found: list[tuple[str, tuple[str, ...]]]) -> None:
    mentions = list(TitlePhrases(_TITLES).find(text))
    assert [(text[m.start : m.end], m.targets) for m in mentions] == found


def test_a_title_of_too_many_nodes_is_none() -> None:
    phrases = TitlePhrases([(f"d{n}", "Annual Report") for n in range(5)])
    assert list(phrases.find("see the Annual Report")) == []


def test_the_weight_is_shared_and_a_title_that_many_name_links_nothing() -> None:
    texts = [f"about Mercury {n}" for n in range(3)] + [f"in New York {n}" for n in range(7)]
    paragraphs = pl.DataFrame({"paragraph_id": [f"x/p-{n}" for n in range(10)], "text": texts})
    mentions = find_title_mentions(paragraphs, TitlePhrases(_TITLES))
    edges = title_edges(mentions, 10, 0.1, "document")
    assert set(edges["target_id"]) == {"d3", "d4"}
    assert edges["weight"].unique().to_list() == [0.5]
    assert edges["why"][0] == "names “Mercury”, the title of a document"
    assert set(title_edges(mentions, 10, 1.0, "document")["target_id"]) == {"d1", "d3", "d4"}


def test_sections_are_named_from_elsewhere_in_their_document_only() -> None:
    corpus = make_corpus(
        {
            "a.md": "# Oil change\n\nAn Oil change is quick.\n\n# Care\n\nDo an Oil change first. Care is all.\n",
            "b.md": "# Use\n\nSee Oil change.\n",
        }
    )
    edges = section_title_edges(corpus.tree, corpus.paragraphs, 0.05)
    titles = dict(corpus.tree.select("node_id", "title").iter_rows())
    texts = dict(corpus.paragraphs.select("paragraph_id", "text").iter_rows())
    assert [(texts[s], titles[t]) for s, t in edges.select("source_id", "target_id").iter_rows()] == [
        ("Do an Oil change first. Care is all.", "Oil change")
    ]
