"""The pipeline without Dagster's runs: the assets of the definitions called one after another, for tests of many commits."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg

from assets_store.store import Store
from docnav_pipeline.corpus import refresh_corpus
from docnav_pipeline.run import _forget_other_definitions, _serving


def index_directly(store: Store, *paths: Path, kb: str = "default", stop_after: int | None = None) -> str | None:
    """List paths, bring all tables up to date and commit; id of the snapshot.

    stop_after: leave off after so many stages, as a run that is killed between two of them does; None is returned then.
    """
    with _serving(store), store.writing(timeout_s=-1):
        _forget_other_definitions(store)
        from docnav_pipeline.definitions import SHARDED, WHOLE
        from docnav_pipeline.resources import StoreResource

        refresh_corpus(store, paths, kb, "")
        have = StoreResource(location=store.location)
        for asset in [*SHARDED, *WHOLE][:stop_after]:
            keys = dg.PartitionKeyRange(store.shard_keys[0], store.shard_keys[-1]) if asset in SHARDED else None
            function: Any = asset.op.compute_fn
            context = [dg.build_asset_context(partition_key_range=keys)] if function.has_context_arg() else []
            made = asset(*context, store=have)
            if isinstance(made, Iterator):
                deque(made, maxlen=0)
    return Store.open(store.location).snapshot().id if stop_after is None else None
