"""`docnav remove`: take documents out of a store, although their files are still there."""

from __future__ import annotations

import click

from assets_store.commandline import json_option, print_json, store_option


@click.command()
@click.argument("document", metavar="DOC")
@store_option
@json_option
def remove(document: str, store: str, as_json: bool) -> int:
    """Take DOC (file name, stem, relative path or doc_id) out; indexing its file by name brings it back."""
    from assets_store.store import Store
    from assets_store.terminal import console, printable
    from docnav_pipeline.corpus import Changes, remove_document
    from docnav_pipeline.opening import upgrading, writing
    from docnav_pipeline.run import run_index

    opened = Store.open(store)
    with writing(opened), upgrading(opened):
        removed = remove_document(opened, document)
        run = run_index(opened, Changes(removed=tuple(source.doc_id for source in removed)))
    if as_json:
        print_json({"removed": [{"doc_id": s.doc_id, "doc": s.doc, "uri": s.uri} for s in removed], "snapshot": run.snapshot})
    else:
        for source in removed:
            console().print(printable(f"removed {source.uri} ({source.doc_id})"))
        console().print(f"snapshot {run.snapshot}")
    return 0
