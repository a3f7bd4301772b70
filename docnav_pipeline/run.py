"""Run the pipeline in this process: the same definitions that the Dagster UI shows, on the store's own instance."""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from platformdirs import user_data_path

from assets_store.errors import StoreError
from assets_store.ids import content_hash
from assets_store.store import Store
from assets_store.variables import variables
from docnav_pipeline.corpus import Changes
from docnav_pipeline.stages import index_name, is_corpus_stale, stale_shards
from docnav_pipeline.transforms.routing_profiles_llm import profile_model

if TYPE_CHECKING:
    from collections.abc import Iterator

    import dagster as dg

# Metadata in which stages report what costs time or money.
WORK = ("parsed", "encoded", "recognised", "llm_calls")
COSTS = ("prompt_tokens", "completion_tokens", "cost")
# Modules that hold, or take from another one, the settings that definitions are loaded with.
_WITH_SETTINGS = ("docnav_pipeline.partitions", "docnav_pipeline.checks", "docnav_pipeline.definitions")
# Settings of the instance for runs in this process.
_INDEX_SETTINGS = "dagster-index.yaml"
# Tags of runs that live and die with a process of `docnav index`: no daemon starts them again.
_IN_PROCESS = {"docnav/in_process": "true", "dagster/max_retries": "0"}
# What a stage raises is raised here too, and stands in the event log; printed in between it would bury the message.
_QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


@dataclass(frozen=True, slots=True)
class IndexRun:
    """What an index run did. snapshot: id of the current snapshot, new when it was committed by this run.

    work: documents `parsed`, texts `encoded`, paragraphs `recognised` (entities), calls of a language model (`llm_calls`).
    stages: seconds, and what of WORK and COSTS a stage reports, by the table that it makes.
    """

    changes: Changes
    shards: tuple[str, ...]
    snapshot: str
    is_new: bool
    failed_checks: tuple[str, ...]
    work: Mapping[str, int]
    seconds: float
    stages: Mapping[str, Mapping[str, float]]


def dagster_home(store: Store) -> Path:
    """Folder of the store's Dagster instance, made with its settings when it is not there.

    It lies in a local store; for one on object storage it is DAGSTER_HOME, or a folder of this machine for this store.
    """
    if store.files.is_local:
        home = Path(store.files.root) / "dagster"
    elif os.environ.get("DAGSTER_HOME"):
        return Path(os.environ["DAGSTER_HOME"])
    else:
        home = user_data_path("docnav") / "dagster" / content_hash(store.location, length=16)
    home.mkdir(parents=True, exist_ok=True)
    for name in ("dagster.yaml", _INDEX_SETTINGS):
        if not (home / name).exists():
            (home / name).write_text(resources.files("docnav_pipeline").joinpath(name).read_text(encoding="utf-8"), encoding="utf-8")
    return home


def run_index(store: Store, changes: Changes) -> IndexRun:
    """Bring every table, the indexes and the snapshot up to date with the corpus.

    Nothing runs when nothing is stale. Raises what a stage raised; what was finished before stays and is not done again; and
    SettingsError at once where new text would need a language model that is not set.
    """
    started = time.perf_counter()
    if changes.added or changes.changed:
        profile_model(store.settings)
    before = store.log.current_id()
    shards = stale_shards(store)
    failed: tuple[str, ...] = ()
    work = Counter(dict.fromkeys(WORK, 0))
    stages: dict[str, dict[str, float]] = {}
    if shards or is_corpus_stale(store) or not store.files.has_folder(f"indexes/{index_name(store)}"):
        failed, stages = _materialize(store, shards)
        for reported in stages.values():
            work.update({name: int(reported[name]) for name in WORK if name in reported})
    current = store.snapshot().id
    return IndexRun(changes, tuple(shards), current, current != before, failed, dict(work), time.perf_counter() - started, stages)


@contextmanager
def _serving(store: Store) -> Iterator[None]:
    """Let the definitions serve this store while they load and run, and keep Dagster from calling home."""
    names = {"DOCNAV_STORE": store.location, "DAGSTER_DISABLE_TELEMETRY": "1", "DAGSTER_HOME": str(dagster_home(store))}
    with variables(names):
        yield


def _materialize(store: Store, shards: Sequence[str]) -> tuple[tuple[str, ...], dict[str, dict[str, float]]]:
    """Run what is stale; names of failed checks, and what the stages report."""
    with _serving(store):
        import dagster as dg

        # Said once per asset on every start, and nothing that the person who indexes can act on.
        warnings.filterwarnings("ignore", category=dg.BetaWarning)

        _forget_other_definitions(store)
        from docnav_pipeline.checks import CHECKS
        from docnav_pipeline.dead_runs import release_dead_runs
        from docnav_pipeline.definitions import CORPUS, SHARDED, WHOLE
        from docnav_pipeline.refresh import corpus_events
        from docnav_pipeline.resources import StoreResource

        have = {"store": StoreResource(location=store.location, terminal=True, is_held=True)}
        sharded_checks = [c for c in CHECKS if next(iter(c.check_keys)).asset_key in {k for a in SHARDED for k in a.keys}]
        whole_checks = [c for c in CHECKS if c not in sharded_checks]
        failed: list[str] = []
        stages: dict[str, dict[str, float]] = {}
        home = os.environ["DAGSTER_HOME"]
        # A home that somebody else keeps has its own settings only.
        own = _INDEX_SETTINGS if Path(home, _INDEX_SETTINGS).exists() else "dagster.yaml"
        with _naming_storage_faults(home), dg.DagsterInstance.from_config(home, own) as instance:
            release_dead_runs(instance, store.files)
            for event in corpus_events(store, instance, {}):
                instance.report_runless_asset_event(event)
            if shards:
                span = {"dagster/asset_partition_range_start": shards[0], "dagster/asset_partition_range_end": shards[-1]}
                failed += _run(dg, [CORPUS, *SHARDED, *sharded_checks], instance, have, {**span, **_IN_PROCESS}, stages)
            failed += _run(dg, [*WHOLE, *whole_checks], instance, have, _IN_PROCESS, stages)
        return tuple(failed), stages


@contextmanager
def _naming_storage_faults(home: str) -> Iterator[None]:
    """Faults of Dagster's own storage, a full disk or a folder that cannot be written, as an error that a person can act on."""
    from sqlalchemy.exc import DatabaseError

    try:
        yield
    except DatabaseError as error:
        raise StoreError(
            f"Dagster's instance in {home} cannot be read or written: {error.orig}. Expected room and the right to write there. "
            "What was finished before stays; mend it and run this again."
        ) from error


def _forget_other_definitions(store: Store) -> None:
    """Let the definitions load again when they were loaded for other settings: Dagster fixes shards and code versions at import."""
    loaded = sys.modules.get("docnav_pipeline.partitions")
    if loaded is None or store.settings == loaded.SETTINGS:
        return
    for name in [n for n in sys.modules if n in _WITH_SETTINGS or n.startswith("docnav_pipeline.assets")]:
        del sys.modules[name]


def _run(
    dagster: Any,
    assets: Sequence[Any],
    instance: dg.DagsterInstance,
    have: dict[str, Any],
    tags: dict[str, str],
    stages: dict[str, dict[str, float]],
) -> list[str]:
    """Names of the checks that failed; what the stages did goes into `stages`."""
    result = dagster.materialize(assets, instance=instance, resources=have, tags=tags, run_config=_QUIET, raise_on_error=True)
    # A step over several shards reports the same metadata once for each of them.
    reported = {event.asset_key: event.materialization.metadata for event in result.get_asset_materialization_events()}
    for key, metadata in reported.items():
        numbers = {name: float(metadata[name].value) for name in ("seconds", *WORK, *COSTS) if name in metadata}
        if numbers:
            stages[key.to_user_string()] = numbers
    checked = result.get_asset_check_evaluations()
    return [e.check_name for e in checked if not e.passed and e.severity == dagster.AssetCheckSeverity.ERROR]
