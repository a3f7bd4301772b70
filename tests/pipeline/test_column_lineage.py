"""The column lineage names what there is."""

from __future__ import annotations

import pytest

from assets_store.schemas import TABLES
from docnav_pipeline.column_lineage import SOURCES, column_lineage
from docnav_pipeline.definitions import SHARDED, WHOLE


@pytest.mark.parametrize("table", SOURCES)
def test_columns_come_from_columns_of_assets_that_the_table_hangs_on(table: str) -> None:
    specs = {spec.key.to_user_string(): spec for asset in (*SHARDED, *WHOLE) for spec in asset.specs}
    before = {dep.asset_key.to_user_string() for dep in specs[table].deps}
    lineage = column_lineage(table)
    assert lineage is not None
    assert set(lineage.deps_by_column) <= set(TABLES[table].names)
    for source in (source for sources in lineage.deps_by_column.values() for source in sources):
        name = source.asset_key.to_user_string()
        assert name in before
        assert source.column_name in TABLES[name].names


def test_only_tables_made_from_files_have_none() -> None:
    assert TABLES.keys() - SOURCES.keys() == {"documents", "layout"}
