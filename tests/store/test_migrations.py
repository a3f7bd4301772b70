"""Rows of an older schema: read as rows of today where that is possible, marked for the next run where something is missing."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest

from assets_store import migrations
from assets_store.errors import StoreVersionError
from assets_store.migrations import drop_unreadable, is_outdated, outdated_tables, unreadable_snapshots, upgrade_rows
from assets_store.rows import Provenance, empty_rows
from assets_store.schemas import COMMUNITIES, PARSE_QUALITY, SCHEMA_VERSION
from assets_store.settings import load_settings
from assets_store.store import CORPUS_PART, Store
from tests.store.older import OLDER, make_older
from tests.store.test_store import members, write

QUALITY = {"doc_id": ["a"], "doc_version": ["v"], "confidence": [0.5], "evidence": [[]], "unmatched_overrides": [[]]}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store with one row in `parse_quality` and two in `communities`, committed."""
    made = Store.create(tmp_path / "store", load_settings())
    numbers = {column.name: [0] for column in PARSE_QUALITY.columns if column.name not in QUALITY}
    quality = pl.DataFrame({**QUALITY, **numbers}).cast(empty_rows(PARSE_QUALITY).schema)
    made.write(PARSE_QUALITY, "00", quality, Provenance({"a": "key"}))
    write(made, "a", "b")
    made.commit("index", {}, {})
    return made


def test_a_column_that_may_be_null_is_null_in_older_rows_and_the_table_is_built_anew(store: Store) -> None:
    make_older(store, {"parse_quality": ["confidence"]})
    opened = Store.open(store.location)
    assert opened.snapshot().read("parse_quality")["confidence"].to_list() == [None]
    assert opened.read("parse_quality", columns=["doc_id", "confidence"]).columns == ["doc_id", "confidence"]
    assert opened.provenance("parse_quality", "00").inputs == {"a": f"key@{OLDER}"}
    assert outdated_tables(opened) == ["parse_quality"]
    assert opened.provenance("communities", CORPUS_PART).inputs == {"tree/00": "x"}


def test_a_column_that_must_have_a_value_makes_older_rows_unreadable(store: Store) -> None:
    make_older(store, {"communities": ["unit"]})
    opened = Store.open(store.location)
    with pytest.raises(StoreVersionError, match=rf"older docnav with schema version {OLDER}.*column unit.*docnav index"):
        opened.snapshot().read("communities")
    assert list(unreadable_snapshots(opened)) == [opened.log.current_id()]
    assert drop_unreadable(opened) == ["communities"]
    assert opened.head("communities", CORPUS_PART) is None
    assert opened.head("parse_quality", "00") is not None


def test_an_upgrade_makes_rows_of_today_and_nothing_is_built_anew(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def with_unit(rows: pa.Table) -> pa.Table:
        return rows.append_column("unit", pa.array(["document"] * rows.num_rows, pa.string()))

    make_older(store, {"communities": ["unit"]})
    monkeypatch.setattr(migrations, "UPGRADES", {("communities", OLDER): with_unit})
    opened = Store.open(store.location)
    assert (
        opened.snapshot()
        .read("communities")
        .equals(members("a", "b").select(COMMUNITIES.names).cast({"level": pl.Int32, "size": pl.Int32}))
    )
    assert outdated_tables(opened) == []
    assert opened.provenance("communities", CORPUS_PART).inputs == {"tree/00": "x"}


def test_what_is_written_shuts_older_versions_out(store: Store) -> None:
    make_older(store, {})
    opened = Store.open(store.location)
    assert Store.open(store.location).facts["schema_version"] == OLDER
    write(opened, "c")
    assert Store.open(store.location).facts["schema_version"] == SCHEMA_VERSION


def test_a_column_of_another_type_is_cast_or_refused() -> None:
    schema = pa.schema([field.with_type(pa.int64()) if field.name == "level" else field for field in COMMUNITIES.schema])
    assert is_outdated(COMMUNITIES, schema, OLDER)
    assert upgrade_rows(COMMUNITIES, schema.empty_table(), OLDER, "f").schema == COMMUNITIES.schema
    texts = pa.table({name: pa.array(["x"]) for name in COMMUNITIES.names})
    with pytest.raises(StoreVersionError, match="column level"):
        upgrade_rows(COMMUNITIES, texts, OLDER, "f")
