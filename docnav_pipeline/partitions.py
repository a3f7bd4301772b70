"""What the definitions serve: a store and its settings, with its shards as Dagster partitions.

A shard is a stable hash of doc_id; there is never one partition per document. Dagster fixes partitions and code versions when it loads the
definitions, so another number of shards or another setting needs a reload there; every run reads the settings anew.
"""

from __future__ import annotations

import os

import dagster as dg

from assets_store.errors import NoStore
from assets_store.ids import shard_key
from assets_store.settings import Settings, load_settings
from assets_store.store import Store

DEFAULT_STORE = ".docnav"


def store_location() -> str:
    """Which store the definitions serve: the one variable that is read when definitions load."""
    return os.environ.get("DOCNAV_STORE") or DEFAULT_STORE


def served_settings(location: str) -> Settings:
    """Settings of the store at a place, or of the store that would be made there."""
    try:
        return Store.open(location).settings
    except NoStore:
        return load_settings()


SETTINGS = served_settings(store_location())
SHARDS = dg.StaticPartitionsDefinition([shard_key(n) for n in range(SETTINGS.shards)])
_SHARDS_PER_RUN = SETTINGS.refresh.shards_per_run
RUNS_OVER_SHARDS = dg.BackfillPolicy.multi_run(_SHARDS_PER_RUN) if _SHARDS_PER_RUN else dg.BackfillPolicy.single_run()
