"""`docnav init`: make a store and its docnav.toml."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assets_store.commandline import store_option

if TYPE_CHECKING:
    from assets_store.settings import Profile


@click.command()
@store_option
@click.option("--profile", type=click.Choice(["local", "paper"]), help="Named set of models; `local` where nothing says otherwise.")
@click.option(
    "--config", type=click.Path(path_type=Path), help="File that becomes the store's docnav.toml: settings, and sources by absolute path."
)
@click.option("--if-missing", is_flag=True, help="Leave a store that is there already as it is.")
def init(store: str, profile: Profile | None, config: Path | None, if_missing: bool) -> int:
    """Make a store and its docnav.toml (`index` does it by itself too)."""
    from assets_store.errors import NoStore
    from assets_store.store import Store
    from assets_store.terminal import console
    from docnav_pipeline.opening import create, create_from

    if profile and config:
        raise click.UsageError("--profile and --config go not together: the file says the profile.")
    if if_missing:
        try:
            found = Store.open(store)
        except NoStore:
            pass
        else:
            console().print(f"{found.location} is there already; nothing was changed")
            return 0
    made = create_from(store, config) if config else create(store, profile or "local")
    console().print(f"made {made.location} with profile {made.settings.profile}; settings in {made.location}/docnav.toml")
    return 0
