"""`docnav expand`: follow lateral edges from some nodes."""

from __future__ import annotations

import click

from assets_store.commandline import json_option, store_option
from docnav_agent.commands.common import labels_option, open_search, print_cards
from docnav_agent.nodes import EDGE_KINDS


@click.command()
@click.argument("node_ids", metavar="ID...", nargs=-1, required=True)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(EDGE_KINDS),
    help="Kind of edge to follow; may be given again. Without it: all kinds.",
)
@labels_option
@store_option
@json_option
def expand(node_ids: tuple[str, ...], kinds: tuple[str, ...], labels: tuple[str, ...], store: str, as_json: bool) -> None:
    """Show what edges of ID lead to: citation, cross_reference, title_mention, entity, semantic, adjacent, community."""
    from docnav_agent.actions import parse_action
    from docnav_agent.environment import Environment

    action = parse_action({"kind": "expand", "node_ids": node_ids, "kinds": kinds})
    search = open_search(store, labels)
    environment = Environment(search.graph, search)
    environment.show(node_ids)
    seen = environment.perform(action)
    print_cards(seen.cards, as_json, seen.message)
