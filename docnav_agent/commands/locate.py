"""`docnav locate`: search at a chosen level, for navigation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from assets_store.commandline import json_option, store_option
from docnav_agent.commands.common import labels_option, open_search, print_cards

if TYPE_CHECKING:
    from docnav_agent.actions import Level, Mode

# As in docnav_agent.actions, which is slow to import and checks the arguments again.
_LEVELS = ("community", "document", "section", "paragraph")
_MODES = ("hybrid", "bm25", "dense")


@click.command()
@click.argument("query")
@click.option("--level", type=click.Choice(_LEVELS), default="paragraph", show_default=True, help="What to find.")
@click.option("--scope", "scopes", multiple=True, metavar="ID", help="Search below this node only; may be given again.")
@click.option("-k", "k", type=click.IntRange(min=1), default=10, show_default=True, help="Hits wanted.")
@click.option("--mode", type=click.Choice(_MODES), default="hybrid", show_default=True, help="Rankings used.")
@labels_option
@store_option
@json_option
def locate(
    query: str, level: Level, scopes: tuple[str, ...], k: int, mode: Mode, labels: tuple[str, ...], store: str, as_json: bool
) -> None:
    """Find nodes for QUERY: communities, documents, sections or paragraphs."""
    from docnav_agent.actions import parse_action
    from docnav_agent.environment import Environment

    action = parse_action({"kind": "locate", "query": query, "level": level, "scope": scopes, "k": k, "mode": mode})
    search = open_search(store, labels)
    environment = Environment(search.graph, search)
    environment.show(scopes)
    seen = environment.perform(action)
    print_cards(seen.cards, as_json, seen.message)
