"""Edges by likeness against plain loops over small inputs."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets_store.models.encoder import unit_rows
from assets_store.settings import EdgeSettings
from docnav_pipeline.transforms import similarity_edges
from docnav_pipeline.transforms.embeddings import vector_column
from docnav_pipeline.transforms.similarity_edges import entity_edges, mutual_neighbors, semantic_edges
from tests.small_corpus import make_features

NAMES = st.dictionaries(st.sampled_from(["Ada", "Boole", "Crane", "Delta", "Ember"]), st.integers(1, 3), max_size=4)
PARAGRAPHS = st.lists(NAMES, max_size=9).map(lambda rows: {f"doc/p-{n}": row for n, row in enumerate(rows)})


def brute_entity_edges(entities: dict[str, dict[str, int]], wanted: EdgeSettings) -> dict[tuple[str, str], float]:
    n = len(entities)
    df = {name: sum(name in row for row in entities.values()) for name in {name for row in entities.values() for name in row}}
    kept = {name for name in df if df[name] <= max(5, wanted.max_entity_share * n)}
    rows = {p: {e: (1 + math.log(c)) * math.log(1 + n / df[e]) for e, c in row.items() if e in kept} for p, row in entities.items()}
    lengths = {p: math.sqrt(sum(w * w for w in row.values()) + math.log(1 + n) ** 2) for p, row in rows.items()}
    cosine = {}
    for a, b in combinations(sorted(rows), 2):
        product = sum(rows[a][e] * rows[b][e] for e in rows[a].keys() & rows[b].keys()) / lengths[a] / lengths[b]
        if round(product, 6) >= wanted.min_entity_weight and product > 0:
            cosine[a, b] = cosine[b, a] = round(product, 6)
    edges = {}
    for p in rows:
        near = sorted((-w, b) for (a, b), w in cosine.items() if a == p)[: wanted.entity_neighbors]
        edges.update({(min(p, b), max(p, b)): -w for w, b in near})
    heaviest = {p: sorted((pair for pair in edges if p in pair), key=lambda pair: (-edges[pair], pair)) for p in rows}
    most = 4 * wanted.entity_neighbors
    return {(a, b): w for (a, b), w in edges.items() if (a, b) in heaviest[a][:most] and (a, b) in heaviest[b][:most]}


@settings(max_examples=50)
@given(PARAGRAPHS, st.integers(1, 4))
def test_entity_edges_are_the_nearest_rows_of_the_paragraph_entity_matrix(entities: dict[str, dict[str, int]], k: int) -> None:
    wanted = EdgeSettings(entity_neighbors=k)
    found = entity_edges(make_features(entities), wanted)
    expected = brute_entity_edges(entities, wanted)
    weights = {(a, b): w for a, b, w in found.select("source_id", "target_id", "weight").iter_rows()}
    assert weights == pytest.approx(expected, abs=1e-5)


def test_rare_names_weigh_more_and_common_ones_nothing() -> None:
    common = {f"doc/p-{n:03}": {"Everywhere": 1} for n in range(100)}
    entities = {**common, "doc/p-000": {"Everywhere": 1, "Rare": 1}, "doc/p-001": {"Everywhere": 1, "Rare": 1}}
    found = entity_edges(make_features(entities), EdgeSettings())
    assert found.select("source_id", "target_id", "why").rows() == [("doc/p-000", "doc/p-001", "shares Rare")]


def test_no_paragraph_becomes_a_hub() -> None:
    names = {f"doc/p-{n:02}": {f"N{n}": 1} for n in range(1, 40)}
    features = make_features({**names, "doc/p-00": {f"N{n}": 1 for n in range(1, 40)}})
    assert entity_edges(features, EdgeSettings(entity_neighbors=2, min_entity_weight=0)).height == 8


def test_the_block_size_does_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    features = make_features({f"doc/p-{n:02}": {f"N{e}": 1 for e in rng.integers(0, 12, 3)} for n in range(40)})
    whole = entity_edges(features, EdgeSettings())
    monkeypatch.setattr(similarity_edges, "_ROWS", 7)
    assert entity_edges(features, EdgeSettings()).equals(whole)


MATRICES = st.integers(0, 12).flatmap(
    lambda n: st.lists(st.lists(st.integers(-2, 2), min_size=3, max_size=3).filter(any), min_size=n, max_size=n)
)


@given(MATRICES, st.integers(1, 4), st.sampled_from([-1.0, 0.3]), st.sets(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=4))
def test_mutual_neighbours_are_those_of_a_plain_search(rows: list[list[int]], k: int, least: float, pairs: set[tuple[int, int]]) -> None:
    n = len(rows)
    matrix = unit_rows(np.array(rows, np.float32).reshape(n, 3))
    apart = {pair for pair in pairs if max(pair) < n and pair[0] != pair[1]}
    similarity = np.round(matrix @ matrix.T, 5)
    near = []
    for i in range(n):
        others = [j for j in range(n) if j != i and (i, j) not in apart and (j, i) not in apart]
        near.append(set(sorted(others, key=lambda j: (-similarity[i, j], j))[:k]))
    expected = [(i, j) for i in range(n) for j in range(i + 1, n) if j in near[i] and i in near[j] and similarity[i, j] >= least]
    found = mutual_neighbors(matrix, k, least, np.array(sorted(apart), np.int64).reshape(-1, 2))
    assert list(zip(found[0].tolist(), found[1].tolist(), strict=True)) == expected
    np.testing.assert_allclose(found[2], [similarity[i, j] for i, j in expected], atol=1e-6)


def test_a_scope_and_one_above_it_are_never_joined() -> None:
    tree = pl.DataFrame(
        {
            "doc_id": ["a", "a", "b", "c"],
            "node_id": ["a", "a/s-1", "b", "c"],
            "parent_id": [None, "a", None, None],
            "in_R": [True, True, True, False],
        },
        schema_overrides={"parent_id": pl.String},
    )
    vectors = unit_rows(np.array([[1, 0], [1, 0.01], [1, 0.2], [1, 0]], np.float32))
    profiles = tree.select("node_id").with_columns(vector=vector_column(vectors))
    found = semantic_edges(tree, profiles, EdgeSettings())
    assert found.select("source_id", "target_id").rows() == [("a", "b"), ("a/s-1", "b")]
    assert found["why"][0].startswith("profiles alike, cosine 0.9")


def test_nothing_to_compare_gives_no_edges() -> None:
    tree = pl.DataFrame({"doc_id": ["a"], "node_id": ["a"], "parent_id": [None], "in_R": [True]}, schema_overrides={"parent_id": pl.String})
    profiles = tree.select("node_id").with_columns(vector=pl.Series([[]], dtype=pl.List(pl.Float32)))
    assert semantic_edges(tree, profiles, EdgeSettings()).height == 0
    assert entity_edges(make_features({}), EdgeSettings()).height == 0
    assert entity_edges(make_features({"doc/p-1": {"Ada": 1}, "doc/p-2": {"Ada": 1}}), EdgeSettings(entity_neighbors=0)).height == 0
