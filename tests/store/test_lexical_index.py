"""The BM25 index: scores by the formula, limits by ranges, the same files for the same rows."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assets_store.errors import SchemaError, StoreVersionError
from assets_store.lexical_index import LexicalIndex, write_lexical_index

K1, B = 1.2, 0.75
words = st.sampled_from(["pump", "valve", "key", "über", "机器", "4.2.1"])
corpora = st.lists(st.lists(words, max_size=8), max_size=12)


def _write(folder: Path, rows: Sequence[Sequence[str]]) -> LexicalIndex:
    folder.mkdir(parents=True, exist_ok=True)
    write_lexical_index(folder, rows, K1, B)
    return LexicalIndex.open(folder)


def _bm25(rows: Sequence[Sequence[str]], query: Sequence[str], row: int) -> float:
    average = sum(map(len, rows)) / len(rows)
    counts, total = Counter(rows[row]), 0.0
    for term in query:
        df = sum(term in other for other in rows)
        tf = counts[term]
        if tf:
            idf = math.log(1 + (len(rows) - df + 0.5) / (df + 0.5))
            total += idf * tf * (K1 + 1) / (tf + K1 * (1 - B + B * len(rows[row]) / average))
    return total


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(rows=corpora, query=st.lists(words, min_size=1, max_size=4))
def test_scores_are_those_of_the_formula(tmp_path: Path, rows: list[list[str]], query: list[str]) -> None:
    index = _write(tmp_path, rows)
    found, scores = index.search(query, k=len(rows) + 1)
    expected = {row: score for row in range(len(rows)) if (score := _bm25(rows, query, row)) > 0}
    assert dict(zip(found.tolist(), scores.tolist(), strict=True)) == pytest.approx(expected, rel=1e-5)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(rows=corpora, query=st.lists(words, min_size=1, max_size=4), cut=st.tuples(st.integers(0, 12), st.integers(0, 12)))
def test_a_search_limited_to_ranges_gives_the_same_scores_inside_and_nothing_outside(
    tmp_path: Path, rows: list[list[str]], query: list[str], cut: tuple[int, int]
) -> None:
    index = _write(tmp_path, rows)
    first, last = sorted(cut)
    everything = dict(zip(*(part.tolist() for part in index.search(query, 100)), strict=True))
    inside = dict(zip(*(part.tolist() for part in index.search(query, 100, [(first, last)])), strict=True))
    assert inside == {row: score for row, score in everything.items() if first <= row < last}


def test_equal_scores_at_the_last_place_are_all_returned(tmp_path: Path) -> None:
    index = _write(tmp_path, [["pump"], ["pump"], ["valve"], ["pump"]])
    assert index.search(["pump"], k=1)[0].tolist() == [0, 1, 3]


def test_terms_and_their_frequencies_can_be_looked_up(tmp_path: Path) -> None:
    index = _write(tmp_path, [["b", "a", "b"], ["b"], []])
    assert [index.document_frequency(term) for term in ("a", "b", "c", "")] == [1, 2, 0, 0]
    assert index.idf("a") > index.idf("b") > 0
    assert index.idf("c") > index.idf("a")


def test_equal_rows_give_equal_files(tmp_path: Path) -> None:
    rows = [["pump", "key"], ["key"], ["valve", "valve"]]
    _write(tmp_path / "a", rows)
    _write(tmp_path / "b", rows)
    for file in sorted((tmp_path / "a").iterdir()):
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes(), file.name


def test_an_empty_index_finds_nothing(tmp_path: Path) -> None:
    assert _write(tmp_path, []).search(["pump"], 5)[0].size == 0


def test_an_index_of_another_analyser_is_refused_with_the_way_out(tmp_path: Path) -> None:
    _write(tmp_path, [["pump"]])
    head = json.loads((tmp_path / "lexical.json").read_text())
    (tmp_path / "lexical.json").write_text(json.dumps(head | {"analyzer": "other-9"}))
    with pytest.raises(StoreVersionError, match=r"analyzer 'other-9'.*docnav index"):
        LexicalIndex.open(tmp_path)


def test_a_folder_without_an_index_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="no lexical index"):
        LexicalIndex.open(tmp_path / "nothing")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
@given(rows=corpora, query=st.lists(words, min_size=1, max_size=4))
def test_scores_of_chosen_rows_are_those_of_the_search_to_the_last_bit(tmp_path: Path, rows: list[list[str]], query: list[str]) -> None:
    index = _write(tmp_path, rows)
    found, scores = index.search(query, k=100)
    assert index.scores(query, found).tolist() == scores.tolist()
    others = np.setdiff1d(np.arange(len(rows)), found)
    assert not index.scores(query, others).any()
    assert (scores <= index.highest_score(query) * (1 + 1e-6)).all()
