"""`docnav status`: documents by status with reasons, counts, snapshot."""

from __future__ import annotations

import click

from assets_store.commandline import json_option, print_json, store_option


@click.command()
@store_option
@json_option
def status(store: str, as_json: bool) -> int:
    """Documents by status with reasons, counts, snapshot."""
    from rich.table import Table
    from rich.text import Text

    from assets_store.store import Store
    from assets_store.terminal import console, printable
    from docnav_pipeline.status import status_of

    found = status_of(Store.open(store))
    if as_json:
        print_json(found)
        return 0
    out = console()
    table = Table(box=None, pad_edge=False)
    for name in ("status", "document", "pages", "sections", "paragraphs", "reason"):
        table.add_column(name, overflow="fold")
    for row in found["documents"]:
        cells = (row["status"], row["uri"], row["pages"] or "", row["sections"], row["paragraphs"], row["reason"])
        table.add_row(*(Text(printable(str(cell))) for cell in cells))
    out.print(table)
    out.print(", ".join(f"{n} {name}" for name, n in found["counts"].items()) or "no documents")
    snapshot = found["snapshot"]
    out.print(
        f"snapshot {snapshot['id']} of {snapshot['created']}, profile {found['store']['profile']}, encoder {snapshot['models']['encoder']}"
    )
    return 0
