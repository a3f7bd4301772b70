"""Dagster resources: the store with the right to write to it, and the way progress is shown."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

import dagster as dg

from assets_store.errors import StoreError
from assets_store.locks import held_ticket
from assets_store.store import Store
from docnav_pipeline.dead_runs import mark_run
from docnav_pipeline.progress import LogReporter, Reporter, TerminalReporter

# Tag of a run: the store that it was asked for. A worker serves what its own environment names, which may be another one.
STORE_TAG = "docnav/store"
_ONE, _FIRST, _LAST = "dagster/partition", "dagster/asset_partition_range_start", "dagster/asset_partition_range_end"


class StoreResource(dg.ConfigurableResource[Any]):
    """The store that assets read and write.

    location: folder or URI of the store. terminal: show progress on standard error instead of in the run's log. is_held: the process that
    starts the run holds the right to write already.

    A run holds that right from its first step to its last: a run over shards for these, so that others go beside it, and a run over
    the whole corpus for everything, so that what it commits is one consistent version.
    """

    location: str
    terminal: bool = False
    is_held: bool = False

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Generator[Any, None, None]:
        """Wait for the right to write, and keep it until the run ends. StoreError for a run that was asked for another store."""
        if context.run is None or context.instance is None:
            yield self
            return
        asked = context.run.tags.get(STORE_TAG, self.location)
        if asked != self.location:
            raise StoreError(
                f"this run is for the store {asked}, and this worker serves {self.location}. Give every process of the deployment the same "
                "DOCNAV_STORE and start the workers again."
            )
        opened, log, run_id = self.open(), context.log, context.run.run_id
        if self.is_held:
            mark_run(context.instance, run_id, held_ticket(opened.files))
            yield self
            return
        # Named after the run, so that it is known before it is taken.
        mark_run(context.instance, run_id, None if opened.files.is_local else run_id)
        said = f"another process is writing to {opened.location}; waiting for it to end"
        with opened.writing(-1, lambda: log.info(said) if log else None, run_shards(opened, context.run.tags), run_id):
            yield self

    def open(self) -> Store:
        """The store; NoStore when `docnav init` or `docnav index` has not made it yet."""
        return Store.open(self.location)

    def reporter(self, context: dg.AssetExecutionContext) -> Reporter:
        """Where progress of an asset goes."""
        return TerminalReporter() if self.terminal else LogReporter(context.log.info)


def run_shards(store: Store, tags: Mapping[str, str]) -> list[str] | None:
    """Shards that a run is for, by its tags; None where it is for the whole corpus."""
    first, last = (tags.get(name, tags.get(_ONE)) for name in (_FIRST, _LAST))
    return None if first is None or last is None else [key for key in store.shard_keys if first <= key <= last]
