"""Files into a document graph: parsing, hierarchy, profiles, edges, communities and indexes, as Dagster assets and as `docnav index`."""

import os

# Polars' allocator keeps what it freed for ten seconds, so that a stage adds to what the one before it needed. It reads this when it is
# loaded, which is after this package.
os.environ.setdefault("_RJEM_MALLOC_CONF", "dirty_decay_ms:0,muzzy_decay_ms:0")
