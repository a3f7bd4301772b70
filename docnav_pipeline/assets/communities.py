"""Asset `communities`: Leiden communities of documents or of their top sections."""

from typing import Any

import dagster as dg
import polars as pl

from assets_store import schemas
from assets_store.store import CORPUS_PART
from docnav_pipeline.assets.common import OWNERS, catalogue, result
from docnav_pipeline.resources import StoreResource
from docnav_pipeline.reuse import refresh_corpus_part
from docnav_pipeline.stages import COMMUNITIES
from docnav_pipeline.transforms.communities import build_communities


@dg.asset(
    deps=list(COMMUNITIES.before),
    group_name="graph",
    kinds={"parquet"},
    owners=OWNERS,
    description=schemas.COMMUNITIES.doc,
    metadata=catalogue(schemas.COMMUNITIES),
)
def communities(store: StoreResource) -> dg.MaterializeResult[None]:
    """Cluster the corpus and name the clusters by their distinctive terms."""
    opened = store.open()
    facts: dict[str, Any] = {}

    def build() -> pl.DataFrame:
        tables = [opened.read(table) for table in ("tree", "profiles", "lateral_edges", "documents")]
        rows, found = build_communities(tables[0], tables[1], tables[2], tables[3], opened.settings.communities)
        facts.update(found)
        return rows

    inputs, maker = COMMUNITIES.inputs(opened), COMMUNITIES.maker(opened.settings)
    made = refresh_corpus_part(opened, schemas.COMMUNITIES, CORPUS_PART, inputs, build, maker)
    return result(opened, schemas.COMMUNITIES, made, facts)
