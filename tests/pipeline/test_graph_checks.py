"""Checks of the graph: each holds on a good store and finds what it is for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl
import pytest

from assets_store.ids import document_id
from assets_store.rows import Provenance
from assets_store.schemas import TABLES
from assets_store.settings import GraphSettings, Settings
from assets_store.store import CORPUS_PART, Store
from docnav_pipeline import graph_checks
from docnav_pipeline.checks import CHECKS, FINDERS, WARNINGS
from tests.factories import MadeDocument, make_store, make_tables

DOCUMENTS = [
    MadeDocument(f"{name}.md", f"# On {name}\n\nAll about {name}.\n\n## More\n\nStill {name}.") for name in ("bell", "pump", "well")
]
IDS = [document_id("default", "", document.name) for document in DOCUMENTS]
PARAGRAPHS = make_tables(DOCUMENTS)["paragraphs"]["paragraph_id"].to_list()
NARROW = pl.col("node_id").str.contains("/s-", literal=True) & ~pl.col("in_R")
SECTIONS = make_tables(DOCUMENTS)["profiles"].filter(NARROW)["node_id"].sort().to_list()
GRAPH = ("profiles", "lateral_edges", "communities", "entities", "entity_edges", "summaries")


def edge(source: str, target: str, kind: str = "entity", weight: float = 0.5, status: str = "confirmed") -> dict[str, Any]:
    return {"source_id": source, "target_id": target, "kind": kind, "weight": weight, "why": "", "status": status}


def entity(name: str, *paragraphs: str, n: int | None = None) -> dict[str, Any]:
    mentions = [{"paragraph_id": paragraph, "count": 2} for paragraph in paragraphs]
    return {"entity_id": name, "name": name, "label": "X", "n_mentions": 2 * len(paragraphs) if n is None else n, "mentions": mentions}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    first, second = sorted(IDS[:2])
    edges = [
        edge(PARAGRAPHS[0], PARAGRAPHS[1], "adjacent", 1.0),
        edge(first, second, "semantic"),
        edge(PARAGRAPHS[0], "Table 9", "citation", 0, "candidate"),
    ]
    made = make_store(tmp_path / "store", DOCUMENTS, edges, [IDS[:2], IDS[2:]])
    write(made, "entities", [entity("a", *PARAGRAPHS[:2]), entity("b", *PARAGRAPHS[1:4])])
    write(made, "entity_edges", [{"source_id": "a", "target_id": "b", "weight": 1.0}])
    return made


def write(store: Store, table: str, rows: list[dict[str, Any]]) -> None:
    schema = store.read(table).schema
    store.write(TABLES[table], CORPUS_PART, pl.DataFrame(rows, schema=schema), Provenance())


def test_a_good_store_has_nothing_to_find(store: Store) -> None:
    found = {name: find(store) for name, (asset, find) in {**FINDERS, **WARNINGS}.items() if asset in GRAPH}
    assert len(found) > 8
    assert found == {name: [] for name in found}


@pytest.mark.parametrize(
    "wrong",
    [
        edge(PARAGRAPHS[0], PARAGRAPHS[2], "friend"),
        edge(PARAGRAPHS[0], PARAGRAPHS[2], weight=1.5),
        edge(PARAGRAPHS[0], PARAGRAPHS[2], weight=-0.1),
        edge(PARAGRAPHS[0], PARAGRAPHS[2], weight=float("nan")),
        edge(PARAGRAPHS[0], PARAGRAPHS[2], status="maybe"),
        edge(PARAGRAPHS[0], PARAGRAPHS[0]),
    ],
    ids=["kind", "heavy", "negative", "no number", "status", "to itself"],
)
def test_malformed_edges_are_found(store: Store, wrong: dict[str, Any]) -> None:
    write(store, "lateral_edges", [*store.read("lateral_edges").to_dicts(), wrong])
    assert graph_checks.edges_are_well_formed(store) == [f"{wrong['source_id']} -> {wrong['target_id']}"]


def test_likeness_against_the_order_or_at_a_narrow_scope_is_found(store: Store) -> None:
    first, second = sorted(PARAGRAPHS[:2])
    write(store, "lateral_edges", [edge(second, first), edge(SECTIONS[0], SECTIONS[1], "semantic")])
    assert graph_checks.edges_of_likeness_are_stored_once(store) == [f"{second} -> {first}", f"{SECTIONS[0]} -> {SECTIONS[1]}"]


def test_communities_that_are_no_partition_are_found(store: Store) -> None:
    rows = store.read("communities").to_dicts()
    lost = [row for row in rows if row["node_id"] != IDS[2]]
    write(store, "communities", lost)
    assert graph_checks.communities_partition_units(store) == [IDS[2]]
    write(store, "communities", [*rows, {**rows[0], "node_id": SECTIONS[0], "community_id": "community/x", "size": 1}])
    assert graph_checks.communities_partition_units(store) == [SECTIONS[0]]
    write(store, "communities", [*rows, {**rows[0], "community_id": "community/x", "size": 1}])
    assert graph_checks.communities_partition_units(store) == [rows[0]["node_id"]]
    write(store, "communities", [{**row, "size": 9} if row["node_id"] == IDS[2] else row for row in rows])
    assert graph_checks.communities_partition_units(store) == [row["community_id"] for row in rows if row["node_id"] == IDS[2]]


@pytest.mark.parametrize("wrong", [entity("c", "nowhere/p-1"), entity("c", PARAGRAPHS[0], n=7), entity("c", PARAGRAPHS[0], PARAGRAPHS[0])])
def test_mentions_that_lead_nowhere_or_do_not_add_up_are_found(store: Store, wrong: dict[str, Any]) -> None:
    write(store, "entities", [*store.read("entities").to_dicts(), wrong])
    assert graph_checks.mentions_resolve(store) == ["c"]


@pytest.mark.parametrize(("source", "target", "weight"), [("a", "b", 3.0), ("a", "b", 0.0), ("b", "a", 1.0), ("a", "z", 1.0)])
def test_impossible_co_occurrences_are_found(store: Store, source: str, target: str, weight: float) -> None:
    write(store, "entity_edges", [{"source_id": source, "target_id": target, "weight": weight}])
    assert graph_checks.entity_edges_are_bounded(store) == [f"{source} -> {target}"]


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows.slice(1),
        lambda rows: rows.with_columns(vector=pl.when(pl.int_range(pl.len()) == 0).then(pl.col("vector").list.head(1)).otherwise("vector")),
        lambda rows: rows.with_columns(node_id=pl.when(pl.int_range(pl.len()) == 0).then(pl.lit("x/s-1")).otherwise("node_id")),
    ],
    ids=["missing", "short", "unknown"],
)
def test_missing_and_wrong_profiles_are_found(store: Store, change: Callable[[pl.DataFrame], pl.DataFrame]) -> None:
    part = store.heads("profiles")[0].name
    rows = store.read("profiles", [part])
    first = rows["node_id"][0]
    store.write(TABLES["profiles"], part, change(rows), Provenance())
    assert first in graph_checks.profiles_are_complete(store)


def test_documents_whose_references_lead_nowhere_are_a_warning(store: Store) -> None:
    broken = [edge(PARAGRAPHS[0], f"section {n}", "cross_reference", 0.0, "candidate") for n in range(20)]
    write(store, "lateral_edges", broken)
    assert graph_checks.references_mostly_resolve(store) == [PARAGRAPHS[0].split("/")[0]]
    write(store, "lateral_edges", broken[1:])
    assert graph_checks.references_mostly_resolve(store) == []


def test_summaries_are_missed_where_they_are_on(tmp_path: Path) -> None:
    store = make_store(tmp_path / "store", DOCUMENTS, settings=Settings(shards=2, graph=GraphSettings(summaries=True)))
    store.settings = Settings(shards=2, graph=GraphSettings(summaries=True))
    assert len(graph_checks.summaries_are_complete(store)) == store.read("tree").height


def test_every_check_has_a_severity_and_a_description() -> None:
    found = {spec.name: spec for check in CHECKS for spec in check.check_specs}
    assert set(found) == {*FINDERS, *WARNINGS}
    assert all(spec.description for spec in found.values())


def test_a_warning_is_reported_as_one(store: Store) -> None:
    from docnav_pipeline.resources import StoreResource

    write(store, "lateral_edges", [edge(PARAGRAPHS[0], f"section {n}", "cross_reference", 0.0, "candidate") for n in range(20)])
    checks = [c for c in CHECKS if next(iter(c.check_keys)).asset_key == dg.AssetKey("lateral_edges")]
    selection = dg.AssetSelection.checks(*checks)
    done = dg.materialize(
        [dg.AssetSpec("lateral_edges"), *checks], resources={"store": StoreResource(location=store.location)}, selection=selection
    )
    severities = {e.check_name: e.severity for e in done.get_asset_check_evaluations() if not e.passed}
    assert severities == {"references_mostly_resolve": dg.AssetCheckSeverity.WARN}
