"""The BM25 index: scores by the formula, limits by ranges, the same files for the same rows."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assets_store import lexical_index
from assets_store.errors import SchemaError, StoreVersionError
from assets_store.lexical_index import LexicalIndex
from assets_store.lexical_writer import LexicalWriter, write_lexical_index

K1, B = 1.2, 0.75
words = st.sampled_from(["pump", "valve", "key", "über", "机器", "4.2.1"])
corpora = st.lists(st.lists(words, max_size=8), max_size=12)


def _write(folder: Path, rows: Sequence[Sequence[str]], previous: LexicalIndex | None = None) -> LexicalIndex:
    """An index of rows whose tokens are the words given: a text without language is neither stemmed nor thinned."""
    folder.mkdir(parents=True, exist_ok=True)
    counts = write_lexical_index(folder, ((" ".join(row), None) for row in rows), K1, B, previous)
    assert counts.rows == len(rows)
    return LexicalIndex.open(folder)


def _bm25(rows: Sequence[Sequence[str]], query: Sequence[str], row: int, inside: range) -> float:
    """Score of a row; how rare a word is, is counted in the rows `inside`."""
    average = sum(map(len, rows)) / len(rows)
    counts, total = Counter(rows[row]), 0.0
    for term in query:
        df = sum(term in rows[other] for other in inside)
        tf = counts[term]
        if tf:
            idf = math.log(1 + (len(inside) - df + 0.5) / (df + 0.5))
            total += idf * tf * (K1 + 1) / (tf + K1 * (1 - B + B * len(rows[row]) / average))
    return total


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(rows=corpora, query=st.lists(words, min_size=1, max_size=4), cut=st.none() | st.tuples(st.integers(0, 12), st.integers(0, 12)))
def test_scores_are_those_of_the_formula_with_words_counted_in_the_rows_that_are_searched(
    tmp_path: Path, rows: list[list[str]], query: list[str], cut: tuple[int, int] | None
) -> None:
    index = _write(tmp_path, rows)
    first, last = sorted(min(end, len(rows)) for end in cut) if cut else (0, len(rows))
    ranges = [(first, last)] if cut else None
    found, scores = index.search(query, len(rows) + 1, ranges)
    inside = range(first, last)
    expected = {row: score for row in inside if (score := _bm25(rows, query, row, inside)) > 0}
    assert dict(zip(found.tolist(), scores.tolist(), strict=True)) == pytest.approx(expected, rel=1e-5)
    assert index.scores(query, found, ranges).tolist() == scores.tolist()
    assert all(score <= index.highest_score(query, ranges) * (1 + 1e-6) for score in scores)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
@given(
    rows=st.lists(st.lists(words, max_size=6), min_size=4, max_size=40), query=st.lists(words, min_size=2, max_size=5), k=st.integers(1, 6)
)
def test_looking_common_words_up_in_the_best_rows_alone_finds_what_reading_all_rows_finds(
    tmp_path: Path, rows: list[list[str]], query: list[str], k: int
) -> None:
    index = _write(tmp_path, rows)
    all_rows, all_scores = index.search(query, k)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lexical_index, "_COMMON", 0)
        few_rows, few_scores = index.search(query, k)
    assert few_rows.tolist() == all_rows.tolist()
    assert few_scores.tolist() == all_scores.tolist()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30, deadline=None)
@given(before=corpora, after=corpora)
def test_an_index_that_takes_over_earlier_rows_is_the_one_made_from_nothing(
    tmp_path: Path, before: list[list[str]], after: list[list[str]]
) -> None:
    previous = _write(tmp_path / "before", before)
    _write(tmp_path / "grown", after, previous)
    _write(tmp_path / "fresh", after)
    for file in sorted((tmp_path / "fresh").iterdir()):
        assert file.read_bytes() == (tmp_path / "grown" / file.name).read_bytes(), file.name


def test_only_rows_of_other_text_or_language_are_analysed_again(tmp_path: Path) -> None:
    previous = _write(tmp_path / "before", [["pump"], ["key", "key"], []])
    (tmp_path / "after").mkdir()
    rows: list[tuple[str, str | None]] = [("key key", None), ("pump", "en"), ("valve", None), ("", None), ("key key", None)]
    assert write_lexical_index(tmp_path / "after", rows, K1, B, previous).taken_over == 3


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


def test_rows_that_are_put_aside_in_small_pieces_give_the_same_index(tmp_path: Path) -> None:
    rows = [["pump", "key"], ["key"], [], ["valve", "key", "key"], ["pump"]]
    _write(tmp_path / "whole", rows)
    (tmp_path / "cut").mkdir()
    (tmp_path / "aside").mkdir()
    writer = LexicalWriter(tmp_path / "cut", tmp_path / "aside", K1, B, piece_rows=2)
    for row in rows:
        writer.append(" ".join(row), None)
    writer.close()
    for file in sorted((tmp_path / "whole").iterdir()):
        assert file.read_bytes() == (tmp_path / "cut" / file.name).read_bytes(), file.name
