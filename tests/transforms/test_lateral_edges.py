"""Edges inside a document: neighbours, cross-references, links and citations."""

from __future__ import annotations

import polars as pl
import pytest

from assets_store.schemas import LATERAL_EDGES
from assets_store.settings import EdgeSettings, FeatureSettings, ProfileSettings
from docnav_pipeline.transforms.document_identity import find_identities, front_rows
from docnav_pipeline.transforms.features import build_features
from docnav_pipeline.transforms.lateral_edges import alike_edges, document_edges, linking_edges
from docnav_pipeline.transforms.profiles import build_profiles
from docnav_pipeline.transforms.reference_lists import reference_paragraphs
from tests.small_corpus import Corpus, make_corpus, make_embeddings

MANUAL = """
Read section 2.1 first. See Table 1 and Figure 9, and “Oil change” too.

# 1 Start {#start}

Turn the key, as in section 1. Then [look](#care) and [lost](#nowhere).

Table 1: Keys and their doors

# 2 Care

## 2.1 Oil change {#care}

Drain the oil. Section 12(b) of the Clean Water Act applies, and section 2(a) of this manual.

## 2.2 Wheels

Turn them. See § 7.
"""

PAPER = """
# 1 Introduction

## 1.1 Past work

Pumps are old [1, 3] and loud (Lee and Kim, 2019; Nobody, 1900). Some say so (Absent, 1950).

# References

[1] Adams. On pumps. 2001.
[2] Boole. On valves. 2002.

[3] Crane. On tanks. 2003.

Lee, A., Kim, B. (2019). Noise of pumps.
"""


def edges_of(corpus: Corpus) -> pl.DataFrame:
    return document_edges(corpus.tree, corpus.paragraphs, build_features(corpus.paragraphs, {}, None, FeatureSettings()), corpus.layout)


def targets(edges: pl.DataFrame, source: str, kind: str) -> dict[str, tuple[float, str]]:
    rows = edges.filter((pl.col("source_id") == source) & (pl.col("kind") == kind))
    return {target: (round(weight, 2), status) for target, weight, status in rows.select("target_id", "weight", "status").iter_rows()}


def test_mentions_lead_to_headings_captions_and_quoted_titles() -> None:
    corpus = make_corpus({"manual.md": MANUAL})
    edges = edges_of(corpus)
    assert edges.columns == [c.name for c in LATERAL_EDGES.columns]
    assert targets(edges, corpus.paragraph("Read"), "cross_reference") == {
        corpus.node("2.1 Oil change"): (1.0, "confirmed"),
        corpus.paragraph("Table 1"): (1.0, "confirmed"),
        "Figure 9": (0.0, "candidate"),
    }


def test_links_lead_to_their_anchor_and_lost_ones_are_kept() -> None:
    corpus = make_corpus({"manual.md": MANUAL})
    # "section 1" is where the paragraph itself stands, and no edge.
    assert targets(edges_of(corpus), corpus.paragraph("Turn the key"), "cross_reference") == {
        corpus.node("2.1 Oil change"): (1.0, "confirmed"),
        "#nowhere": (0.0, "candidate"),
    }


def test_numbers_in_brackets_fall_back_and_other_works_resolve_to_nothing() -> None:
    corpus = make_corpus({"manual.md": MANUAL})
    found = targets(edges_of(corpus), corpus.paragraph("Drain"), "cross_reference")
    # Section 2 stands above the paragraph; § 7 of the next paragraph is nowhere.
    assert found == {"Section 12(b) of the Clean Water Act": (0.0, "candidate")}
    assert targets(edges_of(corpus), corpus.paragraph("Turn them"), "cross_reference") == {"§ 7": (0.0, "candidate")}


def test_of_several_places_the_nearest_is_taken() -> None:
    text = "# A\n\nTable 1: In A\n\nSee Table 1.\n\n# B\n\nTable 1: In B\n\nSee Table 1 there.\n\n# C\n\nSee Table 1 of some chapter."
    corpus = make_corpus({"book.md": text})
    edges = edges_of(corpus)
    assert targets(edges, corpus.paragraph("See Table 1."), "cross_reference") == {corpus.paragraph("Table 1: In A"): (0.8, "confirmed")}
    assert targets(edges, corpus.paragraph("See Table 1 there"), "cross_reference") == {
        corpus.paragraph("Table 1: In B"): (0.8, "confirmed")
    }
    assert targets(edges, corpus.paragraph("See Table 1 of"), "cross_reference") == {corpus.paragraph("Table 1: In A"): (0.4, "candidate")}


def test_neighbours_are_siblings_of_one_kind() -> None:
    corpus = make_corpus({"manual.md": MANUAL})
    adjacent = edges_of(corpus).filter(pl.col("kind") == "adjacent")
    pairs = set(adjacent.select("source_id", "target_id").iter_rows())
    assert pairs == {
        (corpus.paragraph("Turn the key"), corpus.paragraph("Table 1")),
        (corpus.node("1 Start"), corpus.node("2 Care")),
        (corpus.node("2.1 Oil change"), corpus.node("2.2 Wheels")),
    }


def test_citations_lead_to_the_entry_from_the_paragraph_and_from_all_above_it() -> None:
    corpus = make_corpus({"paper.md": PAPER})
    edges = edges_of(corpus)
    citing = corpus.paragraph("Pumps")
    first, third, lee = corpus.paragraph("[1]"), corpus.paragraph("[3]"), corpus.paragraph("Lee")
    assert targets(edges, citing, "citation") == {
        first: (1.0, "confirmed"),
        third: (1.0, "confirmed"),
        lee: (1.0, "confirmed"),
        "(Absent, 1950)": (0.0, "candidate"),
    }
    for steps, scope in enumerate((corpus.node("1.1 Past work"), corpus.node("1 Introduction"), corpus.documents["doc_id"][0]), start=1):
        assert targets(edges, scope, "citation") == {t: (round(1 / (1 + steps), 2), "confirmed") for t in (first, third, lee)}
    assert edges.filter(pl.col("source_id") == first).filter(pl.col("kind") == "citation").height == 0


def test_a_document_without_a_list_has_no_citation_edges() -> None:
    assert edges_of(make_corpus({"notes.md": "# 1 Start\n\nSeen before [3]."})).filter(pl.col("kind") == "citation").height == 0


def test_a_page_number_is_only_a_candidate() -> None:
    corpus = make_corpus({"manual.md": "# Start\n\nSee page 2.\n\n# Care\n\nOil it."})
    pages = pl.when(pl.col("title") == "Care").then(2).otherwise(1).cast(pl.Int32)
    paged = Corpus(corpus.documents, corpus.layout, corpus.tree.with_columns(page_start=pages), corpus.paragraphs)
    assert targets(edges_of(paged), corpus.paragraph("See"), "cross_reference") == {corpus.node("Care"): (0.4, "candidate")}


def test_mentions_of_a_kind_that_mostly_leads_nowhere_are_of_another_work() -> None:
    text = (
        "# 1 Start\n\nUnder chapter 13, and chapter 11, and chapter 12, and chapter 9, one pays. In chapter 2 too.\n\n# 2 Care\n\nOil it."
    )
    corpus = make_corpus({"law.md": text})
    found = targets(edges_of(corpus), corpus.paragraph("Under"), "cross_reference")
    assert found.pop(corpus.node("2 Care")) == (0.4, "candidate")
    assert set(found.values()) == {(0.0, "candidate")}


def test_a_title_behind_a_mention_must_be_that_of_the_heading() -> None:
    text = "# 1 Fees\n\nNone.\n\n# 2 Care\n\nOil.\n\n# 3 End\n\nSee Section 1 (Fees for all) and Section 2 - Shared libraries of a book."
    corpus = make_corpus({"manual.md": text})
    assert targets(edges_of(corpus), corpus.paragraph("See"), "cross_reference") == {
        corpus.node("1 Fees"): (1.0, "confirmed"),
        corpus.node("2 Care"): (0.4, "candidate"),
    }


def test_labels_go_down_the_outline() -> None:
    text = "# IV. Costs\n\n## B. Basis\n\n### 1. Firms\n\nTen.\n\n# V. Last\n\n## B. End\n\nSee Section IV.B.1, and Section IV.C, too."
    corpus = make_corpus({"rule.md": text})
    tree = corpus.tree.with_columns(label=pl.col("title").str.extract(r"^(\w+)\.").fill_null(""))
    labelled = Corpus(corpus.documents, corpus.layout, tree, corpus.paragraphs)
    assert targets(edges_of(labelled), corpus.paragraph("See"), "cross_reference") == {
        corpus.node("1. Firms"): (1.0, "confirmed"),
        corpus.node("IV. Costs"): (0.7, "confirmed"),
    }


def test_each_chapter_has_its_own_list() -> None:
    chapter = "# {n} Chapter\n\n## Text {n}\n\nSaid {word} [1].\n\n## References\n\n[1] {name}. On pumps. 2001.\n\n[2] Other {name}. 2002."
    text = "\n\n".join(chapter.format(n=n, word=word, name=name) for n, word, name in ((1, "once", "Adams"), (2, "twice", "Boole")))
    corpus = make_corpus({"book.md": text})
    edges = edges_of(corpus)
    assert targets(edges, corpus.paragraph("Said once"), "citation") == {corpus.paragraph("[1] Adams"): (1.0, "confirmed")}
    assert targets(edges, corpus.paragraph("Said twice"), "citation") == {corpus.paragraph("[1] Boole"): (1.0, "confirmed")}


def test_raised_marks_glued_to_words_cite_where_the_list_is_numbered() -> None:
    text = "# 1 Start\n\nPumps are old.1 They are loud,2,3 it is said.4\n\n# References\n\n" + "\n\n".join(
        f"{n}. {name}, A. On pumps. 200{n}." for n, name in enumerate(("Adams", "Boole", "Crane", "Dorn"), start=1)
    )
    corpus = make_corpus({"paper.md": text})
    found = targets(edges_of(corpus), corpus.paragraph("Pumps"), "citation")
    assert found == {corpus.paragraph(f"{n}."): (1.0, "confirmed") for n in (1, 2, 3, 4)}
    plain = make_corpus({"notes.md": "# 1 Start\n\nPumps are old.1 They are loud,2,3 it is said.4"})
    assert edges_of(plain).filter(pl.col("kind") == "citation").height == 0


def test_a_link_into_the_reference_list_is_a_citation() -> None:
    text = "# 1 Start\n\nSeen by [Adams](#adams) before.\n\n# References {#adams}\n\nAdams, B. On pumps. 2001."
    corpus = make_corpus({"paper.md": text})
    entry = corpus.paragraph("Adams")
    moved = Corpus(
        corpus.documents,
        corpus.layout.with_columns(anchor=pl.when(pl.col("block") == 3).then(pl.lit("adams"))),
        corpus.tree.with_columns(anchor=pl.lit(None, pl.String)),
        corpus.paragraphs,
    )
    assert targets(edges_of(moved), corpus.paragraph("Seen"), "citation") == {entry: (1.0, "confirmed")}


def all_edges(corpus: Corpus) -> pl.DataFrame:
    features = build_features(corpus.paragraphs, {}, None, FeatureSettings())
    profiles = build_profiles(corpus.tree, features, make_embeddings(corpus.paragraphs), ProfileSettings())
    identities = find_identities(corpus.documents, corpus.tree, front_rows(corpus.layout))
    alike = alike_edges(corpus.tree, profiles, features, EdgeSettings(min_similarity=-1))
    references = reference_paragraphs(corpus.paragraphs)
    linking = linking_edges(corpus.documents, corpus.tree, corpus.paragraphs, features, corpus.layout, references, identities)
    return pl.concat([alike, linking])


def test_links_between_documents_reach_heading_or_document() -> None:
    texts = {
        "a/start.md": "See [care](../b/care.md#oil), [all](../b/care.md), [gone](gone.md), [web](https://x.org/a), [no](../b/care.md#no).",
        "b/care.md": "# Oil {#oil}\n\nDrain it.",
    }
    corpus = make_corpus(texts)
    (source,) = corpus.paragraphs.filter(pl.col("text").str.starts_with("See"))["paragraph_id"]
    care = corpus.documents["doc_id"][1]
    assert targets(all_edges(corpus), source, "cross_reference") == {
        corpus.node("Oil"): (1.0, "confirmed"),
        care: (1.0, "confirmed"),
        "gone.md": (0.0, "candidate"),
    }


@pytest.mark.parametrize("target", ["../../secret.md", "//host/care.md", "http://[bad", "mailto:a@b.c", "?q=1"])
def test_links_out_of_the_root_or_to_nothing_are_no_edges(target: str) -> None:
    corpus = make_corpus({"a/start.md": f"See [this]({target}).", "care.md": "Drain it."})
    assert all_edges(corpus).filter(pl.col("kind") == "cross_reference").height == 0


def test_a_reference_list_that_names_a_document_cites_it() -> None:
    texts = {
        "noise.md": "# 1 Start\n\nLoud [1].\n\n# References\n\n[1] Adams. Old pumps and their quiet valves. 2001.",
        "Old_pumps_and_their_quiet_valves.md": "They are quiet.",
    }
    corpus = make_corpus(texts)
    edges = all_edges(corpus)
    citing, cited = corpus.documents["doc_id"]
    assert targets(edges, corpus.paragraph("[1]"), "citation") == {cited: (0.8, "confirmed")}
    assert targets(edges, corpus.paragraph("Loud"), "citation")[cited] == (0.8, "confirmed")
    assert targets(edges, corpus.node("1 Start"), "citation")[cited] == (0.4, "confirmed")
    assert targets(edges, citing, "citation")[cited] == (0.4, "confirmed")


def test_no_rows_give_no_edges() -> None:
    assert edges_of(make_corpus({})).height == 0
    assert all_edges(make_corpus({})).height == 0
