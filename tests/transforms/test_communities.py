"""Communities: what is clustered, that groups are found, and that runs agree."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from assets_store.ids import community_id
from assets_store.models.encoder import unit_rows
from assets_store.rows import empty_rows
from assets_store.schemas import COMMUNITIES, LATERAL_EDGES, PROFILES
from assets_store.settings import CommunitySettings
from docnav_pipeline.transforms.communities import build_communities
from docnav_pipeline.transforms.edge_rows import Edge, edge_frame
from docnav_pipeline.transforms.embeddings import vector_column
from docnav_pipeline.transforms.leiden import leiden
from tests.small_corpus import Corpus, make_corpus

NO_EDGES = empty_rows(LATERAL_EDGES)
KEYWORDS = empty_rows(PROFILES).schema["keywords"]


def grouped_profiles(tree: pl.DataFrame, group_of: dict[str, int], noise: float = 0.1) -> pl.DataFrame:
    """Vectors near one corner per group, and keywords that name the group. Nodes without a group have none."""
    rng = np.random.default_rng(5)
    n_groups = max(group_of.values(), default=0) + 1
    rows, keywords = [], []
    for node_id in tree["node_id"]:
        group = group_of.get(node_id)
        rows.append(np.zeros(n_groups + 4) if group is None else np.eye(n_groups + 4)[group] + noise * rng.normal(size=n_groups + 4))
        keywords.append([] if group is None else [{"term": f"group{group}", "weight": 1.0}, {"term": "common", "weight": 0.9}])
    vectors = vector_column(unit_rows(np.array(rows, np.float32)))
    has = tree["node_id"].is_in(list(group_of))
    empty = pl.lit([], dtype=pl.List(pl.Float32))
    return tree.select("node_id").with_columns(
        vector=pl.select(pl.when(has).then(vectors).otherwise(empty)).to_series(), keywords=pl.Series(keywords, dtype=KEYWORDS)
    )


def many_documents(n_groups: int, per_group: int) -> tuple[Corpus, dict[str, int]]:
    corpus = make_corpus({f"doc_{n:03}.md": "Some text." for n in range(n_groups * per_group)})
    return corpus, {doc_id: n % n_groups for n, doc_id in enumerate(corpus.documents["doc_id"])}


def test_documents_that_are_alike_are_one_community_named_by_its_own_terms() -> None:
    corpus, group_of = many_documents(3, 12)
    rows, facts = build_communities(corpus.tree, grouped_profiles(corpus.tree, group_of), NO_EDGES, corpus.documents, CommunitySettings())
    assert rows.columns == [c.name for c in COMMUNITIES.columns]
    assert (facts["unit"], facts["units"], facts["levels"]) == ("document", 36, [3])
    assert "not longer than communities.long_document_tokens" in facts["why"]
    for name, part in rows.group_by("community_id"):
        members = part["node_id"].to_list()
        assert name in [(community_id(member, 0),) for member in members]
        assert len({group_of[m] for m in members}) == 1
        assert part["size"].unique().to_list() == [len(members)] == [12]
        assert part["label_terms"][0].to_list()[0] == f"group{group_of[members[0]]}"


def test_citations_join_documents_that_no_vector_does() -> None:
    corpus = make_corpus({f"doc_{n}.md": "Some text." for n in range(4)})
    a, b, c, d = corpus.documents["doc_id"]
    below = corpus.paragraphs.filter(pl.col("doc_id") == b)["paragraph_id"][0]
    edges = edge_frame(
        [
            Edge(a, below, "citation", 1.0, ""),
            Edge(c, d, "entity", 0.9, ""),
            Edge(a, c, "citation", 1.0, "", "candidate"),
            Edge(b, d, "adjacent", 1.0, ""),
        ]
    )
    profiles = grouped_profiles(corpus.tree, {})
    rows, _ = build_communities(corpus.tree, profiles, edges, corpus.documents, CommunitySettings())
    groups = {frozenset(part["node_id"]) for _, part in rows.group_by("community_id")}
    assert groups == {frozenset({a, b}), frozenset({c, d})}


def test_sections_are_clustered_where_documents_are_long_or_there_is_but_one() -> None:
    texts = {"one.md": "# A\n\nPump text.\n\n# B\n\nValve text.\n\n# Empty", "two.md": "No sections here at all."}
    corpus = make_corpus(texts)
    titles = dict(corpus.tree.select("node_id", "title").iter_rows())
    profiles = grouped_profiles(corpus.tree, dict.fromkeys(corpus.tree["node_id"], 0))
    rows, facts = build_communities(corpus.tree, profiles, NO_EDGES, corpus.documents, CommunitySettings(unit="section"))
    assert {titles[n] for n in rows["node_id"]} == {"A", "B", "two"}
    assert facts["unit"] == "section"
    single = corpus.tree.filter(pl.col("doc_id") == corpus.documents["doc_id"][0])
    _, facts = build_communities(single, profiles, NO_EDGES, corpus.documents.head(1), CommunitySettings())
    assert (facts["unit"], facts["why"]) == ("section", "the corpus is one document")
    long = CommunitySettings(long_document_tokens=100)
    big = make_corpus({f"d{n}.md": f"# Part {n}\n\n" + "word " * 200 for n in range(3)})
    _, facts = build_communities(big.tree, grouped_profiles(big.tree, {}), NO_EDGES, big.documents, long)
    assert facts["unit"] == "section"


def test_a_book_in_one_part_is_clustered_by_its_chapters() -> None:
    corpus = make_corpus({"book.md": "# All\n\n## One\n\nPump text.\n\n## Two\n\nValve text."})
    titles = dict(corpus.tree.select("node_id", "title").iter_rows())
    rows, _ = build_communities(corpus.tree, grouped_profiles(corpus.tree, {}), NO_EDGES, corpus.documents, CommunitySettings())
    assert {titles[n] for n in rows["node_id"]} == {"One", "Two"}


def test_many_communities_get_a_coarser_level_made_of_whole_finer_ones() -> None:
    corpus, group_of = many_documents(24, 6)
    profiles = grouped_profiles(corpus.tree, group_of, noise=0.05)
    # Three citations between every two groups: too few for one community at resolution 2, enough at 1.
    groups = [[d for d, group in group_of.items() if group == g] for g in range(24)]
    cited = [Edge(a, b, "citation", 1.0, "") for g in range(0, 24, 2) for a, b in zip(groups[g][:3], groups[g + 1][:3], strict=True)]
    rows, facts = build_communities(corpus.tree, profiles, edge_frame(cited), corpus.documents, CommunitySettings(resolution=2.0))
    assert len(facts["levels"]) > 1
    assert facts["levels"] == sorted(facts["levels"], reverse=True)
    assert rows.select("community_id", "node_id").is_unique().all()
    fine = {name: set(part["node_id"]) for (name,), part in rows.filter(pl.col("level") == 0).group_by("community_id")}
    assert sum(map(len, fine.values())) == 144
    for (_,), part in rows.filter(pl.col("level") == 1).group_by("community_id"):
        members = set(part["node_id"])
        assert all(group <= members or not group & members for group in fine.values())


def test_two_runs_agree_and_the_order_of_rows_does_not_matter() -> None:
    corpus, group_of = many_documents(5, 7)
    profiles = grouped_profiles(corpus.tree, group_of, noise=0.6)
    first, _ = build_communities(corpus.tree, profiles, NO_EDGES, corpus.documents, CommunitySettings())
    shuffled = corpus.tree.sample(fraction=1, shuffle=True, seed=1)
    second, _ = build_communities(shuffled, profiles.reverse(), NO_EDGES, corpus.documents.reverse(), CommunitySettings())
    assert first.equals(second)


def test_one_unit_and_no_unit() -> None:
    corpus = make_corpus({"one.md": "Only this."})
    doc_id = corpus.documents["doc_id"][0]
    rows, _ = build_communities(corpus.tree, grouped_profiles(corpus.tree, {doc_id: 0}), NO_EDGES, corpus.documents, CommunitySettings())
    assert rows.select("node_id", "size", "level").rows() == [(doc_id, 1, 0)]
    nothing = make_corpus({})
    empty = pl.DataFrame(schema={"node_id": pl.String, "vector": pl.List(pl.Float32), "keywords": KEYWORDS})
    rows, facts = build_communities(nothing.tree, empty, NO_EDGES, nothing.documents, CommunitySettings())
    assert (rows.height, facts["units"]) == (0, 0)


def test_leiden_parts_two_cliques_and_keeps_lone_nodes_alone() -> None:
    pairs = [(a, b) for group in (range(4), range(4, 8)) for a in group for b in group if a < b] + [(3, 4)]
    source, target = np.array(pairs).T
    members = leiden(9, source, target, np.ones(len(pairs)), 1.0, 7)
    assert members.tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 2]
    assert leiden(0, source[:0], target[:0], np.ones(0), 1.0, 7).tolist() == []


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_seed_gives_one_partition(seed: int) -> None:
    rng = np.random.default_rng(0)
    source, target = np.array([(a, b) for a in range(30) for b in range(a + 1, 30) if rng.random() < 0.2]).T
    weight = rng.random(len(source))
    first = leiden(30, source, target, weight, 1.0, seed)
    assert first.tolist() == leiden(30, source, target, weight, 1.0, seed).tolist()


def test_a_community_keeps_its_id_when_one_member_more_joins_it() -> None:
    corpus, group_of = many_documents(3, 12)
    profiles = grouped_profiles(corpus.tree, group_of)
    without = corpus.documents.filter(pl.col("doc_id") != corpus.documents["doc_id"].sort()[-1])
    before, _ = build_communities(corpus.tree, profiles, NO_EDGES, without, CommunitySettings())
    after, _ = build_communities(corpus.tree, profiles, NO_EDGES, corpus.documents, CommunitySettings())
    kept = set(before["community_id"]) & set(after["community_id"])
    assert len(kept) >= 2
