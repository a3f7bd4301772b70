"""Asset `routing_profiles`: summary, key concepts and subtopics of the scopes in R_d."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import dagster as dg
import polars as pl

from assets_store import schemas
from assets_store.models.usage import Usage
from assets_store.rows import empty_rows
from assets_store.store import Store
from docnav_pipeline.assets.common import OWNERS, catalogue, result
from docnav_pipeline.partitions import RUNS_OVER_SHARDS, SHARDS
from docnav_pipeline.progress import Reporter
from docnav_pipeline.resources import StoreResource
from docnav_pipeline.reuse import Refreshed, refresh_part, stale_documents
from docnav_pipeline.stages import ROUTING_PROFILES, unfinished_documents, wanted
from docnav_pipeline.transforms.profiles import with_scopes
from docnav_pipeline.transforms.routing_profiles import build_routing_profiles
from docnav_pipeline.transforms.routing_profiles_cost import affordable
from docnav_pipeline.transforms.routing_profiles_input import Scope, scopes_of
from docnav_pipeline.transforms.routing_profiles_llm import OVER_BUDGET, ProfileWriter, profile_model, with_outcomes


@dataclass(slots=True)
class Asked:
    """What a language model was asked. scopes: asked about; cached: scopes whose reply was kept from before. cost: by the prices."""

    usage: Usage = field(default_factory=Usage)
    scopes: int = 0
    cached: int = 0
    cost: float = 0.0


@dg.asset(
    deps=["tree", "paragraphs", "features", "profiles"],
    partitions_def=SHARDS,
    backfill_policy=RUNS_OVER_SHARDS,
    pool="llm",
    group_name="graph",
    kinds={"parquet"},
    owners=OWNERS,
    description=schemas.ROUTING_PROFILES.doc,
    metadata=catalogue(schemas.ROUTING_PROFILES),
)
def routing_profiles(context: dg.AssetExecutionContext, store: StoreResource) -> dg.MaterializeResult[None]:
    """Write the routing profile of every broad scope."""
    opened = store.open()
    total, asked = refresh_routing_profiles(opened, context.partition_keys, store.reporter(context))
    made_by = opened.read("routing_profiles", columns=["made_by"])["made_by"].value_counts().sort("made_by")
    return result(
        opened,
        schemas.ROUTING_PROFILES,
        total,
        {
            "made by": dict(made_by.iter_rows()),
            "llm_calls": asked.usage.llm_calls,
            "scopes asked about": asked.scopes,
            "scopes cached": asked.cached,
            "prompt_tokens": asked.usage.prompt_tokens,
            "completion_tokens": asked.usage.completion_tokens,
            "cost": round(asked.cost, 6),
        },
    )


def refresh_routing_profiles(store: Store, shards: Iterable[str], reporter: Reporter) -> tuple[Refreshed, Asked]:
    """Bring `routing_profiles` of some shards up to date. Returns also what a language model was asked.

    Under a cap, the scopes of all these shards compete. Those that were planned took less than they might have; what is left of the
    cap goes on to further scopes as a next run would, until it is too little for any.
    """
    names, settings = list(shards), store.settings
    if settings.profiles.routing != "llm":
        return _refresh(store, names, lambda shard, ids: build_routing_profiles(*_tables(store, shard, ids), settings.profiles)), Asked()
    todo = {shard: _stale(store, shard) for shard in names}
    model = profile_model(settings, store.files) if any(todo.values()) else None
    if model is None:
        return _refresh(store, names, lambda shard, doc_ids: empty_rows(schemas.ROUTING_PROFILES, without=["doc_version"])), Asked()
    writer = ProfileWriter(model, settings)
    total = _ask(store, todo, writer, reporter)
    cached, spending = writer.counts["cached"], model.spending
    before = 0
    while spending.is_capped and writer.counts["answered"] > before:
        before = writer.counts["answered"]
        again = _ask(store, {shard: found for shard in names if (found := _stale(store, shard))}, writer, reporter)
        total.seconds += again.seconds
    total.bytes = {"routing_profiles": sum(part.bytes for part in store.heads("routing_profiles") if part.name in names)}
    return total, Asked(spending.used, writer.counts["asked"], cached, spending.cost(spending.used))


def _ask(store: Store, todo: Mapping[str, Sequence[str]], writer: ProfileWriter, reporter: Reporter) -> Refreshed:
    """Build the profiles of some documents of each shard; the scopes of all of them compete for the budget that is left."""
    settings = store.settings.profiles
    chosen = affordable(_open_scopes(store, todo, writer), writer.model.spending, settings)
    with reporter.task("writing routing profiles", len(chosen)) as advance:

        def build(shard: str, doc_ids: list[str]) -> pl.DataFrame:
            rows = build_routing_profiles(*_tables(store, shard, doc_ids), settings)
            kept = _settled(store, shard, doc_ids)
            rows = rows.join(kept, on="node_id", how="anti")
            shown = pl.concat([rows, kept]).select("node_id", "summary", "key_concepts")
            profiles = {node_id: (summary, concepts) for node_id, summary, concepts in shown.iter_rows()}
            outcomes = writer.write(_scopes(store, shard, doc_ids), profiles, chosen, set(kept["node_id"]), advance)
            return pl.concat([with_outcomes(rows, outcomes, writer.model.name), kept])

        return _refresh(store, list(todo), build)


def _open_scopes(store: Store, todo: Mapping[str, Sequence[str]], writer: ProfileWriter) -> Iterator[Scope]:
    """Scopes that have neither a profile that stays nor one that is kept."""
    for shard, doc_ids in todo.items():
        if doc_ids:
            settled = set(_settled(store, shard, doc_ids)["node_id"])
            yield from (s for s in _scopes(store, shard, doc_ids) if s.node_id not in settled and writer.known(s) is None)


def _scopes(store: Store, shard: str, doc_ids: Sequence[str]) -> list[Scope]:
    tree, paragraphs, _ = _tables(store, shard, doc_ids)
    return scopes_of(tree, paragraphs, store.read("features", [shard], documents=doc_ids), store.settings.profiles)


def _settled(store: Store, shard: str, doc_ids: Sequence[str]) -> pl.DataFrame:
    """Rows of some documents that stay as they are: their document is unchanged, and no budget has left them extractive."""
    keys = wanted(ROUTING_PROFILES, store, shard)
    same = [d for d, key in store.provenance("routing_profiles", shard).inputs.items() if d in doc_ids and keys.get(d) == key]
    kept = store.read("routing_profiles", [shard], documents=same)
    return kept.filter(pl.col("made_by") != OVER_BUDGET).drop("doc_version")


def _stale(store: Store, shard: str) -> list[str]:
    """Documents of a shard that must be built, and those that a budget has left unfinished."""
    keys = wanted(ROUTING_PROFILES, store, shard)
    return stale_documents(store, ROUTING_PROFILES.tables, shard, keys, unfinished_documents(store, shard))[0]


def _tables(store: Store, shard: str, doc_ids: Sequence[str]) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    tree, paragraphs, profiles = (store.read(t, [shard], documents=doc_ids) for t in ("tree", "paragraphs", "profiles"))
    return with_scopes(tree, profiles), paragraphs, profiles


def _refresh(store: Store, shards: Sequence[str], rows_of: Callable[[str, list[str]], pl.DataFrame]) -> Refreshed:
    """Bring the parts of some shards up to date. rows_of: rows of some documents of a shard."""
    total, stage = Refreshed(), ROUTING_PROFILES
    for shard in shards:

        def build(doc_ids: list[str], shard: str = shard) -> Mapping[str, pl.DataFrame]:
            return {"routing_profiles": rows_of(shard, doc_ids)}

        unfinished = unfinished_documents(store, shard)
        total += refresh_part(store, stage.tables, shard, wanted(stage, store, shard), build, stage.maker(store.settings), unfinished)
    return total
