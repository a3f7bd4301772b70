"""Assets of the group `evaluation`: a suite's results by data set and system, and its report. There are none where no suite is set.

They are the one place where the pipeline imports the agent, and no part of `docnav index`: an evaluation has stores of its own.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dagster as dg

from assets_store.errors import NoStore
from assets_store.settings import EvaluationSettings, load_settings
from assets_store.store import Store
from docnav_pipeline.assets.common import OWNERS

if TYPE_CHECKING:
    from docnav_agent.evaluation.suite import Suite

DATA_SET, SYSTEM = "data_set", "system"
CHECK = "no_question_failed"


def evaluation_definitions(location: str) -> dg.Definitions:
    """Definitions of the evaluation that the settings of a store name; empty where they name none.

    Raises SettingsError or SourceError for a suite that cannot be read.
    """
    try:
        settings = Store.open(location).settings.evaluation
    except NoStore:
        settings = load_settings().evaluation
    if not settings.suite:
        return dg.Definitions()
    from docnav_agent.evaluation.suite import read_suite

    path = Path(settings.suite).expanduser().resolve()
    out = Path(settings.out).expanduser().resolve() if settings.out else path.parent / "evaluation" / path.stem
    return definitions_of(read_suite(path), out, settings)


def definitions_of(suite: "Suite", out: Path, settings: EvaluationSettings) -> dg.Definitions:
    """Assets, job and schedule of a suite. out: folder of its results."""
    pairs = dg.MultiPartitionsDefinition(
        {
            DATA_SET: dg.StaticPartitionsDefinition([entry.name for entry in suite.dataset]),
            SYSTEM: dg.StaticPartitionsDefinition([entry.name for entry in suite.system]),
        }
    )

    @dg.asset(
        partitions_def=pairs,
        group_name="evaluation",
        kinds={"parquet"},
        owners=OWNERS,
        check_specs=[dg.AssetCheckSpec(CHECK, asset="evaluation_results", description="Every question was asked and scored.")],
        description="What one system does on one data set, and its scores, question by question; finished questions are not asked again.",
    )
    def evaluation_results(context: dg.AssetExecutionContext) -> Iterator[dg.MaterializeResult[None]]:
        keys = context.partition_key.keys_by_dimension
        yield run_pair(suite, out, keys[DATA_SET], keys[SYSTEM])

    @dg.asset(
        deps=[evaluation_results],
        group_name="evaluation",
        kinds={"html"},
        owners=OWNERS,
        description="Report of all results that there are: one HTML page and its numbers as JSON.",
    )
    def evaluation_report() -> dg.MaterializeResult[None]:
        return write_evaluation(suite, out)

    job = dg.define_asset_job("evaluate", selection=dg.AssetSelection.assets(evaluation_results, evaluation_report))

    @dg.schedule(job=job, cron_schedule=settings.cron, name="evaluate_all", default_status=dg.DefaultScheduleStatus.STOPPED)
    def evaluate_all(context: dg.ScheduleEvaluationContext) -> Iterator[dg.RunRequest]:
        """Every system on every data set; what is finished costs nothing."""
        for key in pairs.get_partition_keys():
            yield dg.RunRequest(run_key=f"{context.scheduled_execution_time.isoformat()} {key}", partition_key=key)

    return dg.Definitions(assets=[evaluation_results, evaluation_report], jobs=[job], schedules=[evaluate_all])


def run_pair(suite: "Suite", out: Path, data_set: str, system: str) -> dg.MaterializeResult[None]:
    """Ask one system the questions of one data set."""
    from docnav_agent.evaluation.harness import Harness
    from docnav_agent.evaluation.suite import chosen

    part = chosen(suite, [data_set], [system])
    ((done,),) = ([*Harness(part, out).run_data_set(entry, part.system)] for entry in part.dataset)
    metadata = {"questions": done.questions, "asked": done.asked, "failed": done.failed}
    passed = done.failed == 0
    check = dg.AssetCheckResult(check_name=CHECK, passed=passed, severity=dg.AssetCheckSeverity.WARN, metadata={"failed": done.failed})
    return dg.MaterializeResult(metadata=metadata, check_results=[check])


def write_evaluation(suite: "Suite", out: Path) -> dg.MaterializeResult[None]:
    """Write the report, with the headline statistic of each pair as metadata, so that Dagster plots it over time."""
    from docnav_agent.evaluation.harness import Harness
    from docnav_agent.evaluation.report import write_report
    from docnav_agent.evaluation.results import evaluation_json, read_pairs, write_results
    from docnav_agent.evaluation.suite import write_suite

    harness = Harness(suite, out)
    write_suite(out, suite)
    pairs = read_pairs(harness)
    results = evaluation_json(harness, pairs)
    write_results(harness, results)
    page = write_report(harness, results, pairs)
    name = results["headline"]
    numbers: dict[str, Any] = {
        f"{row['data_set']}/{row['system']}": row["statistics"][name]["value"] for row in results["results"] if name in row["statistics"]
    }
    return dg.MaterializeResult(metadata={"page": dg.MetadataValue.path(str(page)), "statistic": name, "pairs": len(pairs), **numbers})
