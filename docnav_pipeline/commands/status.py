"""`docnav status`: documents by status with reasons, counts, snapshot."""

from __future__ import annotations

from typing import Any

import click

from assets_store.commandline import json_option, print_json, store_option


@click.command()
@store_option
@click.option("--verbose", is_flag=True, help="Also how well each document was read: headings by evidence, repairs, what is missing.")
@json_option
def status(store: str, verbose: bool, as_json: bool) -> int:
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
        if verbose and row["quality"]:
            table.add_row("", Text(f"  {_told(row)}", style="dim"))
    out.print(table)
    out.print(", ".join(f"{n} {name}" for name, n in found["counts"].items()) or "no documents")
    routing = found["routing_profiles"]
    if set(routing["made_by"]) - {"extractive"}:
        made = ", ".join(f"{n} {name}" for name, n in routing["made_by"].items())
        out.print(f"routing profiles: {made}; {routing['prompt_tokens']} tokens read and {routing['completion_tokens']} written")
    snapshot = found["snapshot"]
    out.print(
        f"snapshot {snapshot['id']} of {snapshot['created']}, profile {found['store']['profile']}, encoder {snapshot['models']['encoder']}"
    )
    return 0


def _told(row: dict[str, Any]) -> str:
    """The parse-quality report of one document in one line; counts of nothing are left out."""
    quality = row["quality"]
    named = [f"{n} {kind}" for kind, n in quality["evidence"].items()]
    parts = [f"headings by {', '.join(named)}" if named else "no headings"]
    if quality["confidence"] is not None:
        parts.append(f"confidence {quality['confidence']:.2f}")
    if quality["contents_entries"]:
        parts.append(f"{quality['contents_matched']} of {quality['contents_entries']} contents entries found")
    counts = {
        "doubtful": quality["n_doubtful"],
        "repaired": quality["n_repaired"],
        "rejected titles": quality["n_rejected"],
        "empty sections": quality["n_empty_sections"],
        "pages without text": len(row["pages_without_text"]),
        "furniture blocks left out": quality["n_furniture"],
        "footnotes": quality["n_footnotes"],
        "calls of a language model": quality["llm_calls"],
        "replies not usable": quality["llm_faults"],
    }
    parts += [f"{n} {name}" for name, n in counts.items() if n]
    parts += [f"no match for the correction {text}" for text in quality["unmatched_overrides"]]
    parts.append(f"{quality['orphan_share']:.0%} of the text in no section")
    return "; ".join(parts)
