"""`docnav ui`: the Dagster UI on the store's own instance, with the daemon that watches sources and starts runs."""

from __future__ import annotations

import click

from assets_store.commandline import store_option


@click.command()
@store_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=3000, show_default=True, help="Port to listen on.")
@click.option("--no-daemon", is_flag=True, help="Only show: watch no sources, start no runs.")
def ui(store: str, host: str, port: int, no_daemon: bool) -> int:
    """Open the Dagster UI on the store's own instance; runs of `docnav index` show there."""
    import os
    import sys

    from assets_store.store import Store
    from docnav_pipeline.run import dagster_home
    from docnav_pipeline.servers import serve

    opened = Store.open(store)
    home = dagster_home(opened)
    # Dagster's pages begin with a form for its newsletter, until this file says that it was seen.
    (home / ".nux").mkdir(exist_ok=True)
    (home / ".nux" / "nux.yaml").write_text("seen: 1\n", encoding="utf-8")
    environment = {
        **os.environ,
        "DOCNAV_STORE": opened.location,
        "DAGSTER_HOME": str(home),
        "DAGSTER_DISABLE_TELEMETRY": "1",
        # A look at many files may take longer than the minute that a sensor has by itself.
        "DAGSTER_SENSOR_GRPC_TIMEOUT_SECONDS": os.environ.get("DAGSTER_SENSOR_GRPC_TIMEOUT_SECONDS", "600"),
        "PYTHONWARNINGS": os.environ.get("PYTHONWARNINGS", "ignore"),
    }
    where = ["-m", "docnav_pipeline.definitions"]
    commands = [[sys.executable, "-m", "dagster_webserver", *where, "-h", host, "-p", str(port)]]
    if not no_daemon:
        commands.append([sys.executable, "-m", "dagster._daemon", "run", *where])
    return serve(commands, environment)
