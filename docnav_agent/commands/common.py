"""Options and output that the agent's commands share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from assets_store.commandline import F, print_json
from assets_store.terminal import console, printable

if TYPE_CHECKING:
    from docnav_agent.environment import NodeCard
    from docnav_agent.search import Search


def labels_option(function: F) -> F:
    """`--label`: access labels of the reader."""
    return click.option("--label", "labels", multiple=True, help="Access label of the reader; documents that need another stay hidden.")(
        function
    )


def ablate_option(function: F) -> F:
    """`--ablate`: parts of the agent that are switched off."""
    return click.option(
        "--ablate", default="", metavar="PARTS", help="Switch parts off, as in HS,LN: HS, SN, LN, SC, EF, NOTE (docs/agent.md)."
    )(function)


def open_search(store: str, labels: Sequence[str] = ()) -> Search:
    """Search over the current snapshot of a store."""
    from docnav_agent.graph import Graph
    from docnav_agent.search import Search

    return Search(Graph.open(store, labels=labels))


def print_cards(cards: Sequence[NodeCard], as_json: bool, empty: str) -> None:
    """Nodes as `{"nodes": [...]}` or as a table."""
    if as_json:
        print_json({"nodes": [card.row() for card in cards]})
        return
    out = console()
    if not cards:
        out.print(printable(empty))
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, show_edge=False)
    scored = any(card.score is not None for card in cards)
    for name in (*(["score"] if scored else []), "level", "title", "document", "pages", "tokens", "node"):
        # A table cuts cells to the terminal's width, but an id that is cut is of no use.
        table.add_column(name, no_wrap=name == "node", overflow="fold")
    for card in cards:
        score = [f"{card.score:.3f}" if card.score is not None else ""] if scored else []
        title = " > ".join(card.path) or card.title
        cells = [*score, card.level, title, card.doc, pages(card.page_start, card.page_end), str(card.n_tokens), card.node_id]
        table.add_row(*(Text(printable(cell)) for cell in cells))
    out.print(table)


def pages(first: int | None, last: int | None) -> str:
    """ "3", "3-4", or nothing where the format has no pages."""
    if first is None:
        return ""
    return str(first) if last is None or last == first else f"{first}-{last}"


def place(doc: str, section: Sequence[str], first: int | None, last: int | None) -> str:
    """Where something stands, for people: document, section path, pages."""
    where = pages(first, last)
    parts = [doc, " > ".join(section), f"p. {where}" if where else ""]
    return ", ".join(part for part in parts if part)
