"""`docnav fetch`: print source text of nodes with its place."""

from __future__ import annotations

import click

from assets_store.commandline import json_option, print_json, store_option
from assets_store.terminal import complain, console, printable
from docnav_agent.commands.common import labels_option, open_search, place


@click.command()
@click.argument("node_ids", metavar="ID...", nargs=-1, required=True)
@click.option("--max-tokens", type=click.IntRange(min=1), help="Stop before this many tokens of text; the first paragraph always comes.")
@labels_option
@store_option
@json_option
@click.pass_context
def fetch(
    ctx: click.Context, node_ids: tuple[str, ...], max_tokens: int | None, labels: tuple[str, ...], store: str, as_json: bool
) -> None:
    """Bring the source text of nodes; a section or a document brings its paragraphs in reading order."""
    from docnav_agent.actions import parse_action
    from docnav_agent.environment import Environment

    action = parse_action({"kind": "fetch", "node_ids": node_ids, "max_tokens": max_tokens})
    search = open_search(store, labels)
    environment = Environment(search.graph, search)
    environment.show(node_ids)
    seen = environment.perform(action)
    if as_json:
        print_json({"evidence": [item.row() for item in seen.evidence], "message": seen.message})
    else:
        out = console()
        for item in seen.evidence:
            out.print(printable(f"{item.node_id}  {place(item.doc, item.section, item.page_start, item.page_end)}"), style="bold")
            out.print(printable(item.text) + "\n")
        complain(seen.message)
    if not seen.evidence:
        ctx.exit(1)
