"""Asset `graph_report`: what the graph of the current snapshot looks like, as numbers and as one HTML page.

It is no part of `docnav index`: it reads whole tables, and indexing must cost what has changed.
"""

import dagster as dg

from assets_store.collect import report_path
from assets_store.store import Store
from docnav_pipeline.assets.common import OWNERS
from docnav_pipeline.report.graph_page import render_graph_page
from docnav_pipeline.report.graph_report import GraphReport
from docnav_pipeline.report.graph_report import graph_report as make_report
from docnav_pipeline.resources import StoreResource


@dg.asset(
    deps=["snapshot"],
    group_name="graph",
    kinds={"html"},
    owners=OWNERS,
    description="Degrees, depths, gaps, communities, hubs and samples of the current snapshot, as an HTML page in the store.",
)
def graph_report(store: StoreResource) -> dg.MaterializeResult[None]:
    """Write the page of the current snapshot."""
    opened = store.open()
    report, path = write_graph_report(opened)
    # Numbers only: the event log keeps metadata for good, and must hold no text of a document that is removed later.
    page = dg.MetadataValue.path(f"{opened.location}/{path}")
    return dg.MaterializeResult(metadata={"page": page, "snapshot": report.facts.snapshot, **report.headline()})


def write_graph_report(store: Store) -> tuple[GraphReport, str]:
    """The report of the current snapshot, and the path of its page in the store. `docnav gc` takes the page away with the snapshot."""
    report = make_report(store.snapshot())
    path = report_path(report.facts.snapshot)
    store.files.write(path, render_graph_page(report).encode())
    return report, path
