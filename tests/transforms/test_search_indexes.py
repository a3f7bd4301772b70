"""Building the search indexes: same tables, same files; tables that do not fit are refused."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from assets_store.dense_index import DenseIndex
from assets_store.errors import SchemaError
from assets_store.lexical_index import LexicalIndex
from assets_store.settings import Settings
from tests.factories import MadeDocument, build_index, make_tables

PUMP = MadeDocument("pump-900.md", "# Start\n\nThe green key.\n\n## Noise\n\nAir.\n\n# Empty", title="Pump manual")
CAR = MadeDocument("car.md", "# Brake\n\nPress it.")
DOCUMENTS = [PUMP, CAR, MadeDocument("locked.pdf", "", status="encrypted")]
COMMUNITIES = [[PUMP.doc_id, CAR.doc_id]]


def test_every_level_has_a_row_per_node_and_a_vector_per_node_with_text(tmp_path: Path) -> None:
    counts = build_index(tmp_path, make_tables(DOCUMENTS, communities=COMMUNITIES), Settings())
    assert {level: counts[f"{level}_rows"] for level in ("paragraph", "section", "document", "community")} == {
        "paragraph": 3,
        "section": 4,
        "document": 2,
        "community": 1,
    }
    assert (counts["section_vectors"], counts["community_vectors"]) == (3, 1)
    for level in ("paragraph", "section", "document", "community"):
        assert LexicalIndex.open(tmp_path / level).n_rows == DenseIndex.open(tmp_path / level).vectors.shape[0] == counts[f"{level}_rows"]


def test_a_paragraph_is_found_by_text_title_path_document_title_and_file_name(tmp_path: Path) -> None:
    build_index(tmp_path, make_tables(DOCUMENTS), Settings())
    index = LexicalIndex.open(tmp_path / "paragraph")
    frequencies = {term: index.document_frequency(term) for term in ("air", "nois", "start", "manual", "900", "brake")}
    assert frequencies == {"air": 1, "nois": 1, "start": 2, "manual": 2, "900": 2, "brake": 1}


def test_equal_tables_give_equal_files_in_whatever_order_their_rows_come(tmp_path: Path) -> None:
    tables = make_tables(DOCUMENTS, communities=COMMUNITIES)
    build_index(tmp_path / "a", tables, Settings())
    build_index(tmp_path / "b", {name: table.reverse() for name, table in tables.items()}, Settings())
    files = sorted(path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*") if path.is_file())
    assert len(files) > 20
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes(), file


def test_a_rebuild_analyses_only_what_changed_and_gives_the_files_of_a_first_build(tmp_path: Path) -> None:
    build_index(tmp_path / "old", make_tables(DOCUMENTS), Settings())
    changed = make_tables([PUMP, MadeDocument("car.md", "# Brake\n\nPress it.\n\nHold it.")])
    counts = build_index(tmp_path / "grown", changed, Settings(), tmp_path / "old")
    assert (counts["paragraph_rows"], counts["paragraph_analysed"]) == (4, 1)
    fresh = build_index(tmp_path / "fresh", changed, Settings())
    assert fresh["paragraph_analysed"] == 4
    for file in (path.relative_to(tmp_path / "fresh") for path in (tmp_path / "fresh").rglob("*") if path.is_file()):
        if file.name != "search.json":
            assert (tmp_path / "fresh" / file).read_bytes() == (tmp_path / "grown" / file).read_bytes(), file


def test_an_earlier_index_that_cannot_be_read_is_left_aside(tmp_path: Path) -> None:
    assert build_index(tmp_path / "new", make_tables(DOCUMENTS), Settings(), tmp_path / "nothing")["paragraph_analysed"] == 3


@pytest.mark.parametrize(
    ("table", "change", "complaint"),
    [
        ("embeddings", lambda t: t.head(1), "has no row in table embeddings"),
        ("embeddings", lambda t: t.with_columns(model=pl.col("paragraph_id")), "expected vectors of one model"),
        ("communities", lambda t: t.with_columns(node_id=pl.lit("gone-0")), "is not in table tree"),
    ],
)
def test_tables_that_do_not_fit_are_refused_by_name(tmp_path: Path, table: str, change: object, complaint: str) -> None:
    tables = make_tables(DOCUMENTS, communities=COMMUNITIES)
    tables[table] = change(tables[table])  # type: ignore[operator]
    with pytest.raises(SchemaError, match=complaint):
        build_index(tmp_path, tables, Settings())


def test_an_approximate_index_is_built_from_the_set_number_of_vectors_on(tmp_path: Path) -> None:
    tables = make_tables(DOCUMENTS)
    build_index(tmp_path / "few", tables, Settings())
    build_index(tmp_path / "many", tables, Settings(search={"ann_rows": 3}))
    assert DenseIndex.open(tmp_path / "few" / "paragraph").has_ann is False
    assert DenseIndex.open(tmp_path / "many" / "paragraph").has_ann is True
