"""What is stale after a change of settings, asked through the GraphQL API as the Dagster UI asks it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from assets_store.settings import SETTINGS_FILE
from assets_store.store import Store
from docnav_agent.cli import run
from docnav_pipeline.run import dagster_home
from docnav_pipeline.stages import CORPUS_STAGES, SHARD_STAGES
from tests.pipeline.fast import FAST


def _keys(names: list[str]) -> str:
    return "[" + ", ".join(f'{{path: "{name}"}}' for name in names) + "]"


BY_SHARD = [spec.name for stage in SHARD_STAGES for spec in stage.tables]
WHOLE = [*(stage.name for stage in CORPUS_STAGES), "search_indexes", "snapshot", "graph_report"]
QUERY = f"""{{
    by_shard: assetNodes(assetKeys: {_keys(BY_SHARD)}) {{ assetKey {{ path }} statuses: staleStatusByPartition }}
    whole: assetNodes(assetKeys: {_keys(WHOLE)}) {{ assetKey {{ path }} status: staleStatus }}
}}"""
ON_PROFILES = {"profiles", "routing_profiles", "summaries", "lateral_edges", "communities", "search_indexes", "snapshot"}


def stale_assets(store: Path) -> dict[str, set[str]]:
    """Status -> assets with it in some partition, from a GraphQL call with the definitions of the store as they are now."""
    home = dagster_home(Store.open(store))
    environment = {**os.environ, "DOCNAV_STORE": str(store), "DAGSTER_HOME": str(home), "DAGSTER_DISABLE_TELEMETRY": "1"}
    tool = str(Path(sys.executable).with_name("dagster-graphql"))
    command = [tool, "-m", "docnav_pipeline.definitions", "-t", QUERY]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    (reply,) = (line for line in done.stdout.splitlines() if line.startswith("{"))
    data = json.loads(reply)["data"]
    found: dict[str, set[str]] = {}
    for node in [*data["by_shard"], *data["whole"]]:
        for status in node.get("statuses") or [node["status"]]:
            found.setdefault(status, set()).add(node["assetKey"]["path"][0])
    return found


def test_a_new_threshold_makes_profiles_stale_and_what_hangs_on_them_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {**FAST, "DOCNAV_SHARDS": "2"}.items():
        monkeypatch.setenv(name, value)
    docs, store = tmp_path / "docs", tmp_path / "store"
    docs.mkdir()
    for name in ("wells", "pumps"):
        (docs / f"{name}.md").write_text(f"# On {name}\n\n## Care\n\nOil the {name}.\n\n## Sale\n\nSell the {name}.\n")
    assert run(["index", str(docs), "--store", str(store)]) == 0
    fresh = stale_assets(store)
    assert fresh.keys() == {"FRESH", "MISSING"}
    assert fresh["MISSING"] == {"graph_report"}
    settings = store / SETTINGS_FILE
    settings.write_text(f"{settings.read_text()}\n[profiles]\ntau_h = 3\n")
    assert stale_assets(store)["STALE"] == ON_PROFILES
    assert run(["index", str(docs), "--store", str(store)]) == 0
    assert stale_assets(store) == fresh
