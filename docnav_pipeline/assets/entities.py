"""Assets `entities` and `entity_edges`: unique entities with their mentions, and which stand together."""

import dagster as dg

from assets_store import schemas
from assets_store.store import CORPUS_PART
from docnav_pipeline.assets.common import OWNERS, catalogue, result
from docnav_pipeline.resources import StoreResource
from docnav_pipeline.reuse import refresh_corpus_part
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
    inputs, maker = ENTITIES.inputs(opened), ENTITIES.maker(opened.settings)
    columns = ["doc_id", "paragraph_id", "entities"]
    made = refresh_corpus_part(
        opened, schemas.ENTITIES, CORPUS_PART, inputs, lambda: build_entities(opened.read("features", columns=columns)), maker
    )
    return result(opened, schemas.ENTITIES, made)


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
    inputs, maker = ENTITY_EDGES.inputs(opened), ENTITY_EDGES.maker(opened.settings)
    made = refresh_corpus_part(
        opened,
        schemas.ENTITY_EDGES,
        CORPUS_PART,
        inputs,
        lambda: build_entity_edges(opened.read("entities", columns=["entity_id", "mentions"])),
        maker,
    )
    return result(opened, schemas.ENTITY_EDGES, made)
