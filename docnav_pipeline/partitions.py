"""Shards as Dagster partitions: a stable hash of doc_id, never one partition per document."""

from __future__ import annotations

import os

import dagster as dg

from assets_store.errors import NoStore
from assets_store.ids import shard_key
from assets_store.settings import load_settings
from assets_store.store import Store

DEFAULT_STORE = ".docnav"


def store_location() -> str:
    """Which store the definitions serve: the one variable that is read when definitions load."""
    return os.environ.get("DOCNAV_STORE") or DEFAULT_STORE


def shard_partitions(location: str) -> dg.StaticPartitionsDefinition:
    """Shards of the store at a place, or of the store that would be made there."""
    try:
        keys = Store.open(location).shard_keys
    except NoStore:
        keys = [shard_key(n) for n in range(load_settings().shards)]
    return dg.StaticPartitionsDefinition(keys)


SHARDS = shard_partitions(store_location())
