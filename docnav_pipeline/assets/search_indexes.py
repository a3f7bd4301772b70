"""Asset `search_indexes`: lexical and dense indexes per level, derived from the tables and memory-mapped by readers."""

import tempfile
import time
from pathlib import Path

import dagster as dg

from assets_store.errors import SchemaError
from assets_store.store import Store
from docnav_pipeline.assets.common import OWNERS
from docnav_pipeline.resources import StoreResource
from docnav_pipeline.stages import SEARCH_INDEXES, index_name
from docnav_pipeline.transforms.search_indexes import build_search_indexes


@dg.asset(
    deps=list(SEARCH_INDEXES.before),
    group_name="search",
    kinds={"numpy"},
    owners=OWNERS,
    description="Search indexes of paragraphs, sections, documents and communities, in one immutable folder.",
)
def search_indexes(store: StoreResource) -> dg.MaterializeResult[None]:
    """Build the indexes that fit the tables, unless they are there."""
    opened, started = store.open(), time.perf_counter()
    counts, is_new = refresh_search_indexes(opened)
    seconds = round(time.perf_counter() - started, 3)
    return dg.MaterializeResult(metadata={"folder": index_name(opened), "rebuilt": is_new, "seconds": seconds, **counts})


def refresh_search_indexes(store: Store) -> tuple[dict[str, int], bool]:
    """Make the index folder of the working state. Returns counts of a new one, and whether it is new."""
    path = f"indexes/{index_name(store)}"
    if store.files.has_folder(path):
        return {}, False
    near = Path(store.files.root) if store.files.is_local else None
    with tempfile.TemporaryDirectory(dir=near, prefix=".index-") as scratch:
        folder = Path(scratch) / "index"
        documents, tree, paragraphs, embeddings, profiles, routing, communities = map(store.read, SEARCH_INDEXES.before)
        counts = build_search_indexes(
            folder, documents, tree, paragraphs, embeddings, profiles, routing, communities, store.settings.search, _previous(store)
        )
        store.files.upload_folder(folder, path)
    return counts, True


def _previous(store: Store) -> Path | None:
    """Index folder of the current snapshot, from which unchanged rows are taken over; None before the first snapshot."""
    try:
        return store.snapshot().folder("index") if store.log.current_id() else None
    except SchemaError:  # lost or damaged, as `docnav doctor --repair` leaves it until this run is over: everything is made anew
        return None
