"""`docnav outline`: the recovered headings of a file, or of a document in the store."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import click

from assets_store.commandline import json_option, print_json, store_option

_NOT_IN_NAMES = re.compile(r'[\x00-\x1f/\\:*?"<>|]')
_NAME_CHARACTERS = 100


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="(FILE | FOLDER | DOC)...")
@store_option
@click.option("--ignore-bookmarks", is_flag=True, help="Recover headings from print alone, as if the file had no bookmarks.")
@json_option
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write STEM.json for each source into this folder instead; a second equal stem gets -2.",
)
@click.option(
    "--picture", type=click.Path(path_type=Path, dir_okay=False), help="Draw the outline of one source into this SVG, PNG or PDF file too."
)
def outline(sources: tuple[str, ...], store: str, ignore_bookmarks: bool, as_json: bool, out: Path | None, picture: Path | None) -> int:
    """Recovered headings of FILE, or of all files in FOLDER (no store is needed), or of DOC in the store, in reading order."""
    from assets_store.terminal import complain, console, printable
    from docnav_pipeline.outline import outlines
    from docnav_pipeline.outline_picture import draw_outline

    failed, taken, shown = False, set[str](), {}
    if picture is not None and len(sources) > 1:
        raise click.UsageError("--picture draws one source; give one.")
    for name, entries, fault in outlines(sources, store, ignore_bookmarks):
        failed |= bool(fault)
        if picture is not None and (entries or not fault):
            draw_outline(entries, picture, name)
        if fault:
            complain(f"{name}: {fault}")
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
            (out / f"{file_name(name, taken)}.json").write_text(
                json.dumps({"entries": entries}, ensure_ascii=False, indent=1), encoding="utf-8"
            )
        elif as_json:
            shown[file_name(name, taken)] = entries
        else:
            show = console()
            if len(sources) > 1:
                show.print(printable(name.replace("\n", " ")))
            for entry in entries:
                page = f"  p. {entry['page']}" if entry["page"] else ""
                show.print(printable("  " * (entry["level"] - 1) + " ".join(entry["title"].split()) + page))
    if as_json and out is None:
        # One source is a list, as scorers want it; several are one object, so that stdout stays one JSON document.
        print_json(next(iter(shown.values())) if len(shown) == 1 else shown)
    return 1 if failed else 0


def file_name(name: str, taken: set[str]) -> str:
    """A name of a source as a file name of its own: no separators, no leading dot, `-2` and so on for an equal one; adds it to taken."""
    plain = _NOT_IN_NAMES.sub("_", name).lstrip(".")[:_NAME_CHARACTERS] or "outline"
    free = next(other for n in itertools.count(1) if (other := plain if n == 1 else f"{plain}-{n}") not in taken)
    taken.add(free)
    return free
