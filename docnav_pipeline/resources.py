"""Dagster resources: the store, and the way progress is shown."""

import dagster as dg

from assets_store.store import Store
from docnav_pipeline.progress import LogReporter, Reporter, TerminalReporter


class StoreResource(dg.ConfigurableResource[Store]):
    """The store that assets read and write.

    location: folder or URI of the store. terminal: show progress on standard error instead of in the run's log.
    """

    location: str
    terminal: bool = False

    def open(self) -> Store:
        """The store; NoStore when `docnav init` or `docnav index` has not made it yet."""
        return Store.open(self.location)

    def reporter(self, context: dg.AssetExecutionContext) -> Reporter:
        """Where progress of an asset goes."""
        return TerminalReporter() if self.terminal else LogReporter(context.log.info)
