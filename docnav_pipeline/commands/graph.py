"""`docnav graph`: what the graph of a store looks like, and where it has gaps."""

from __future__ import annotations

from pathlib import Path

import click

from assets_store.commandline import json_option, print_json, store_option


@click.command()
@store_option
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Write the report as one HTML page into this file.")
@click.option("--document", metavar="NAME", help="Document whose tree the page shows; the one with the most sections by default.")
@json_option
def graph(store: str, out: Path | None, document: str | None, as_json: bool) -> int:
    """Degrees, depths, gaps, communities, hubs and samples of the graph, as a page with --out."""
    from assets_store.store import Store
    from assets_store.terminal import complain, console
    from docnav_pipeline.report.graph_page import render_graph_page
    from docnav_pipeline.report.graph_report import graph_report

    report = graph_report(Store.open(store).snapshot(), document)
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(render_graph_page(report), encoding="utf-8")
        complain(f"wrote {out}")
    if as_json:
        print_json(report.as_json())
        return 0
    show = console()
    for name, value in report.headline().items():
        show.print(f"{f'{value:.1%}' if name.startswith('share') else f'{value:,}':>10}  {name}")
    if out is None:
        complain("--out FILE.html writes the whole report as a page")
    return 0
