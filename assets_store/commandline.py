"""Options and output that commands of the agent and of the pipeline share."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_STORE = ".docnav"


def store_option(function: F) -> F:
    """`--store`, with DOCNAV_STORE and then `.docnav` behind it."""
    return click.option(
        "--store", envvar="DOCNAV_STORE", default=DEFAULT_STORE, show_default=True, help="Folder of the store; also DOCNAV_STORE."
    )(function)


def json_option(function: F) -> F:
    """`--json`: stdout is JSON only."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else, on stdout.")(function)


def print_json(data: Any) -> None:
    """One JSON document on stdout, ASCII only, so that no terminal acts on text of documents."""
    click.echo(json.dumps(data, indent=2, ensure_ascii=True))
