"""Assets `entities` and `entity_edges`: unique entities with their mentions, and which stand together."""

import dagster as dg

from assets_store import schemas
from assets_store.store import CORPUS_PART, Store
from docnav_pipeline.assets.common import OWNERS, catalogue, result
from docnav_pipeline.resources import StoreResource
from docnav_pipeline.reuse import Refreshed, refresh_corpus_part
from docnav_pipeline.stages import ENTITIES, ENTITY_EDGES
from docnav_pipeline.transforms.entities import build_entities
from docnav_pipeline.transforms.entity_edges import build_entity_edges


@dg.asset(
    deps=["features"],
    group_name="graph",
    kinds={"parquet"},
    owners=OWNERS,
    description=schemas.ENTITIES.doc,
    metadata=catalogue(schemas.ENTITIES),
)
def entities(store: StoreResource) -> dg.MaterializeResult[None]:
    """Merge spellings of one entity and gather its mentions."""
    opened = store.open()
    return result(opened, schemas.ENTITIES, refresh_entities(opened))


def refresh_entities(store: Store) -> Refreshed:
    """Bring `entities` up to date."""
    columns = ["doc_id", "paragraph_id", "entities"]
    inputs, maker = ENTITIES.inputs(store), ENTITIES.maker(store.settings)
    return refresh_corpus_part(
        store, schemas.ENTITIES, CORPUS_PART, inputs, lambda: build_entities(store.read("features", columns=columns)), maker
    )


@dg.asset(
    deps=["entities"],
    group_name="graph",
    kinds={"parquet"},
    owners=OWNERS,
    description=schemas.ENTITY_EDGES.doc,
    metadata=catalogue(schemas.ENTITY_EDGES),
)
def entity_edges(store: StoreResource) -> dg.MaterializeResult[None]:
    """Sum co-occurrences of entities over paragraphs."""
    opened = store.open()
    return result(opened, schemas.ENTITY_EDGES, refresh_entity_edges(opened))


def refresh_entity_edges(store: Store) -> Refreshed:
    """Bring `entity_edges` up to date."""
    columns = ["entity_id", "mentions"]
    inputs, maker = ENTITY_EDGES.inputs(store), ENTITY_EDGES.maker(store.settings)
    return refresh_corpus_part(
        store, schemas.ENTITY_EDGES, CORPUS_PART, inputs, lambda: build_entity_edges(store.read("entities", columns=columns)), maker
    )
