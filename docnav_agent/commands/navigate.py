"""`docnav navigate`: move along the hierarchy from one node."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from assets_store.commandline import json_option, store_option
from docnav_agent.commands.common import labels_option, open_search, print_cards

if TYPE_CHECKING:
    from docnav_agent.actions import Direction


@click.command()
@click.argument("node_id", metavar="ID")
@click.option("--up", "direction", flag_value="up", help="The parent.")
@click.option("--down", "direction", flag_value="down", help="The children.")
@click.option("--siblings", "direction", flag_value="siblings", help="The other children of the parent.")
@click.option("--outline", "direction", flag_value="outline", help="Titles below the node.")
@click.option("--depth", type=click.IntRange(1, 20), default=2, show_default=True, help="Levels that --outline shows.")
@labels_option
@store_option
@json_option
def navigate(node_id: str, direction: Direction | None, depth: int, labels: tuple[str, ...], store: str, as_json: bool) -> None:
    """Show the nodes around ID: parent, children, siblings or outline."""
    from docnav_agent.actions import parse_action
    from docnav_agent.environment import Environment

    if direction is None:
        raise click.UsageError("say where to go: --up, --down, --siblings or --outline.")
    action = parse_action({"kind": "navigate", "node_id": node_id, "direction": direction, "depth": depth})
    search = open_search(store, labels)
    environment = Environment(search.graph, search)
    environment.show([node_id])
    seen = environment.perform(action)
    print_cards(seen.cards, as_json, seen.message)
