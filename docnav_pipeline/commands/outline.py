"""`docnav outline`: the recovered headings of a file, or of a document in the store."""

from __future__ import annotations

import json
from pathlib import Path

import click

from assets_store.commandline import json_option, print_json, store_option


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="(FILE | DOC)...")
@store_option
@click.option("--ignore-bookmarks", is_flag=True, help="Recover headings from print alone, as if the file had no bookmarks.")
@json_option
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Write STEM.json for each source into this folder instead.")
def outline(sources: tuple[str, ...], store: str, ignore_bookmarks: bool, as_json: bool, out: Path | None) -> int:
    """Recovered headings of FILE (no store is needed) or of DOC in the store, in reading order."""
    from assets_store.terminal import complain, console, printable
    from docnav_pipeline.outline import outlines

    failed = False
    for name, entries, fault in outlines(sources, store, ignore_bookmarks):
        failed |= bool(fault)
        if fault:
            complain(f"{name}: {fault}")
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
            (out / f"{name}.json").write_text(json.dumps({"entries": entries}, ensure_ascii=False, indent=1), encoding="utf-8")
        elif as_json:
            print_json(entries)
        else:
            show = console()
            if len(sources) > 1:
                show.print(printable(name))
            for entry in entries:
                page = f"  p. {entry['page']}" if entry["page"] else ""
                show.print(printable("  " * (entry["level"] - 1) + entry["title"] + page))
    return 1 if failed else 0
