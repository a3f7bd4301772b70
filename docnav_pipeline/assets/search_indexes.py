"""Asset `search_indexes`: lexical and dense indexes per level, derived from the tables and memory-mapped by readers."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg

from assets_store.errors import SchemaError
from assets_store.node_index import DOCUMENT_COLUMNS, NODE_COLUMNS
from assets_store.store import CORPUS_PART, Store
from docnav_pipeline.assets.common import OWNERS
from docnav_pipeline.memory import give_back_memory
from docnav_pipeline.resources import StoreResource
from docnav_pipeline.stages import SEARCH_INDEXES, index_name
from docnav_pipeline.transforms.folders import with_folders
from docnav_pipeline.transforms.search_indexes import ShardRows, build_search_indexes

# What an index holds; all other columns stay on disk.
_DOCUMENTS = [name for name in DOCUMENT_COLUMNS if name != "folders"] + ["root"]
_TREE = ("doc_id", "node_id", "parent_id", "kind", "preorder", "path", *NODE_COLUMNS)
_PARAGRAPHS = ("paragraph_id", "path", "text", "kind", "boxes", "blocks")
_EMBEDDINGS = ("paragraph_id", "vector", "model")


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
    name = index_name(opened)
    metadata: dict[str, Any] = {"folder": name, "rebuilt": is_new, "seconds": seconds, **counts}
    return dg.MaterializeResult(metadata=metadata, data_version=dg.DataVersion(name))


def refresh_search_indexes(store: Store) -> tuple[dict[str, int], bool]:
    """Make the index folder of the working state. Returns counts of a new one, and whether it is new."""
    path = f"indexes/{index_name(store)}"
    if store.files.has_folder(path):
        return {}, False
    with store.files.scratch() as scratch:
        folder = scratch / "index"
        communities, edges = store.read("communities"), store.read("lateral_edges", [CORPUS_PART])
        counts = build_search_indexes(folder, scratch, _by_shard(store), communities, edges, store.settings.search, _previous(store))
        store.files.upload_folder(folder, path)
    return counts, True


def _by_shard(store: Store) -> Iterator[ShardRows]:
    """Rows of one shard after the other."""
    # The title of a folder may stand in a document of another shard.
    documents = with_folders(store.read("documents", columns=_DOCUMENTS))
    for shard in store.shard_keys:
        ids = store.read("documents", [shard], ["doc_id"])
        yield ShardRows(
            ids.join(documents, on="doc_id", maintain_order="left"),
            store.read("tree", [shard], _TREE),
            store.read("paragraphs", [shard], _PARAGRAPHS),
            store.read("embeddings", [shard], _EMBEDDINGS),
            store.read("profiles", [shard]),
            store.read("routing_profiles", [shard]),
            store.read("lateral_edges", [shard]),
        )
        give_back_memory()


def _previous(store: Store) -> Path | None:
    """Index folder of the current snapshot, from which unchanged rows are taken over; None before the first snapshot."""
    try:
        return store.snapshot().folder("index") if store.log.current_id() else None
    except SchemaError:  # lost or damaged, as `docnav doctor --repair` leaves it until this run is over: everything is made anew
        return None
