"""`docnav ui`: the Dagster UI on the store's own instance."""

from __future__ import annotations

import click

from assets_store.commandline import store_option


@click.command()
@store_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=3000, show_default=True, help="Port to listen on.")
def ui(store: str, host: str, port: int) -> None:
    """Open the Dagster UI on the store's own instance; runs of `docnav index` show there."""
    import os
    import sys

    from assets_store.store import Store
    from docnav_pipeline.run import dagster_home

    opened = Store.open(store)
    environment = {
        **os.environ,
        "DOCNAV_STORE": opened.location,
        "DAGSTER_HOME": str(dagster_home(opened)),
        "DAGSTER_DISABLE_TELEMETRY": "1",
    }
    command = [sys.executable, "-m", "dagster_webserver", "-m", "docnav_pipeline.definitions", "-h", host, "-p", str(port)]
    # The server takes this process's place, so that a signal sent here ends it too.
    os.execve(sys.executable, command, environment)  # noqa: S606, our own server, no shell wanted
