"""`docnav init`: make a store and its docnav.toml."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from assets_store.commandline import store_option

if TYPE_CHECKING:
    from assets_store.settings import Profile


@click.command()
@store_option
@click.option("--profile", type=click.Choice(["local", "paper"]), default="local", show_default=True, help="Named set of models.")
def init(store: str, profile: Profile) -> int:
    """Make a store and its docnav.toml (`index` does it by itself too)."""
    from assets_store.terminal import console
    from docnav_pipeline.opening import create

    made = create(store, profile)
    console().print(f"made {made.location} with profile {made.settings.profile}; settings in {made.location}/docnav.toml")
    return 0
