"""Asset `snapshot`: one consistent version of all tables and indexes, the only thing that readers see."""

import dagster as dg

from assets_store.schemas import TABLES
from assets_store.snapshot import Snapshot
from assets_store.store import Store
from docnav_pipeline.assets.common import OWNERS
from docnav_pipeline.resources import StoreResource
from docnav_pipeline.stages import EMBEDDINGS, FEATURES, index_name, lagging

_SHOWN = 5


@dg.asset(
    deps=["search_indexes", *TABLES],
    group_name="search",
    kinds={"json"},
    owners=OWNERS,
    description="A committed version: which file of which table, models, settings and counts.",
)
def snapshot(store: StoreResource) -> dg.MaterializeResult[None]:
    """Commit the working state in one step, unless it is committed already. Fails where some table lags behind another."""
    opened = store.open()
    behind = lagging(opened)
    if behind or not opened.files.has_folder(f"indexes/{index_name(opened)}"):
        raise dg.Failure(
            f"no snapshot was committed: {', '.join(behind[:_SHOWN]) or 'search_indexes'} must be made anew first. "
            "Readers keep the snapshot that they have; what is missing is made by the next run or by `docnav index`.",
            allow_retries=False,
        )
    committed, is_new = commit_snapshot(opened)
    metadata = {"id": committed.id, "new": is_new, **committed.manifest["counts"]}
    return dg.MaterializeResult(metadata=metadata, data_version=dg.DataVersion(committed.id))


def commit_snapshot(store: Store) -> tuple[Snapshot, bool]:
    """Commit what the pipeline has reached. Returns the snapshot, and whether it is a new one."""
    models = {"encoder": str(EMBEDDINGS.settings(store.settings)), "recognizer": str(FEATURES.settings(store.settings)[-1])}
    counts = {name: sum(part.rows for part in store.heads(name)) for name in TABLES}
    return store.commit(index_name(store), models, counts)
