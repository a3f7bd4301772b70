"""Files into a document graph: parsing, hierarchy, profiles, edges, communities and indexes, as Dagster assets and as `docnav index`."""

import os

# Allocators keep what was freed, so that a stage adds to what the one before it needed: Polars' for ten seconds, Arrow's own for good.
# Both read this when they are loaded, which is after this package.
os.environ.setdefault("_RJEM_MALLOC_CONF", "dirty_decay_ms:0,muzzy_decay_ms:0")
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
