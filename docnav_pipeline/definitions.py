"""Dagster's entry: lists assets, checks, resources, jobs, sensors and schedules; computes nothing."""

from datetime import timedelta

import dagster as dg

from docnav_pipeline.assets.communities import communities
from docnav_pipeline.assets.documents import parse_documents
from docnav_pipeline.assets.embeddings import embeddings
from docnav_pipeline.assets.entities import entities, entity_edges
from docnav_pipeline.assets.evaluation import evaluation_definitions
from docnav_pipeline.assets.features import features
from docnav_pipeline.assets.graph_report import graph_report
from docnav_pipeline.assets.lateral_edges import lateral_edges
from docnav_pipeline.assets.profiles import profiles
from docnav_pipeline.assets.routing_profiles import routing_profiles
from docnav_pipeline.assets.search_indexes import search_indexes
from docnav_pipeline.assets.snapshot import snapshot
from docnav_pipeline.assets.structure import build_structure
from docnav_pipeline.assets.summaries import summaries
from docnav_pipeline.checks import CHECKS
from docnav_pipeline.code_versions import code_versions
from docnav_pipeline.partitions import SETTINGS, SHARDS, store_location
from docnav_pipeline.refresh import ON_CHANGE, make_schedule, make_sensors
from docnav_pipeline.resources import StoreResource

CORPUS = dg.AssetSpec(
    "corpus",
    partitions_def=SHARDS,
    group_name="source",
    description="Source files below the registered roots, listed by `docnav index`; one digest per shard.",
)
CODE_VERSIONS = code_versions(SETTINGS)


def _served(spec: dg.AssetSpec) -> dg.AssetSpec:
    """A spec with what hangs on the settings of the served store."""
    name = spec.key.to_user_string()
    # The report is made when somebody asks for it.
    condition = None if name == "graph_report" else ON_CHANGE
    overdue = timedelta(hours=SETTINGS.refresh.fresh_hours)
    policy = dg.FreshnessPolicy.time_window(fail_window=overdue) if name == "snapshot" and overdue else None
    return spec.replace_attributes(code_version=CODE_VERSIONS[name], automation_condition=condition, freshness_policy=policy)


def _all_served(*assets: dg.AssetsDefinition) -> list[dg.AssetsDefinition]:
    return [asset.map_asset_specs(_served) for asset in assets]


SHARDED = _all_served(parse_documents, build_structure, features, embeddings, profiles, routing_profiles, summaries)
WHOLE = _all_served(lateral_edges, entities, entity_edges, communities, search_indexes, snapshot)
REPORTS = _all_served(graph_report)

GPU = dg.AssetSelection.assets("embeddings")

sharded_job = dg.define_asset_job("index_shards", selection=dg.AssetSelection.assets(*SHARDED))
whole_job = dg.define_asset_job("index_corpus", selection=dg.AssetSelection.assets(*WHOLE))
report_job = dg.define_asset_job("report_graph", selection=dg.AssetSelection.assets(*REPORTS))

# One object at module scope: Dagster refuses a module with two.
defs = dg.Definitions.merge(
    dg.Definitions(
        assets=[CORPUS, *SHARDED, *WHOLE, *REPORTS],
        asset_checks=CHECKS,
        jobs=[sharded_job, whole_job, report_job],
        sensors=make_sensors(store_location(), SETTINGS.refresh, dg.AssetSelection.assets(*SHARDED, *WHOLE), GPU),
        schedules=[make_schedule(sharded_job, SETTINGS.refresh, SHARDS)],
        resources={"store": StoreResource(location=store_location())},
        executor=dg.in_process_executor,
    ),
    evaluation_definitions(store_location()),
)
