"""Assembles the command `docnav` from the entry points of the group `docnav.commands`, and turns errors into exit codes.

Exit codes: 0 done, 1 finished with failed documents or without an answer, 2 wrong use or setting (one line on stderr).
"""

from __future__ import annotations

import os
import sys
from functools import cached_property
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, version
from typing import Any

import click

from assets_store.errors import DocnavError
from assets_store.terminal import complain

GROUP = "docnav.commands"


class RegisteredCommands(click.Group):
    """A group whose commands are the registered entry points, each loaded when it is named."""

    @cached_property
    def _registered(self) -> dict[str, EntryPoint]:
        return {point.name: point for point in entry_points(group=GROUP)}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*self._registered, *self.commands})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in self.commands:
            return self.commands[cmd_name]
        point = self._registered.get(cmd_name)
        if point is None:
            return None
        try:
            loaded = point.load()
        except ModuleNotFoundError as error:
            raise click.ClickException(f"command {cmd_name!r} needs the package {error.name!r}, which is not installed") from error
        if not isinstance(loaded, click.Command):
            raise click.ClickException(f"entry point {point.value!r} of {cmd_name!r} is no click command but {type(loaded).__name__}")
        return loaded

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # One command that cannot be loaded must not take the help of the others away.
        rows = []
        for name in self.list_commands(ctx):
            try:
                command = self.get_command(ctx, name)
            except click.ClickException as error:
                rows.append((name, f"(not available: {error.message})"))
                continue
            if command is not None and not command.hidden:
                rows.append((name, command.get_short_help_str(80)))
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)


def _version() -> str:
    try:
        return version("docnav")
    except PackageNotFoundError:
        return "not installed"


@click.command(cls=RegisteredCommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(_version(), prog_name="docnav")
def docnav() -> None:
    """A document graph that stays fresh, and an agent that answers from it with citations."""


def run(arguments: list[str] | None = None, command: click.Command = docnav) -> int:
    """Run the command line and return the exit code."""
    try:
        result: Any = command.main(args=arguments, prog_name="docnav", standalone_mode=False)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return 2
    except click.ClickException as error:
        context = error.ctx if isinstance(error, click.UsageError) else None
        hint = f" See `{context.command_path} --help`." if context is not None else ""
        complain(f"Error: {error.format_message()}{hint}")
        return 2
    except click.Abort:
        complain("stopped")
        return 130
    except DocnavError as error:
        complain(f"Error: {error}")
        return 2
    except BrokenPipeError:
        # The reader of stdout is gone (`docnav ... | head`); nothing is left to say to it.
        sys.stderr.close()
        return 0
    except OSError as error:
        # A full disk, a store or folder without write permission, a file that vanished: a person's to mend, and no traceback helps.
        what = f"{error.filename}: " if error.filename else ""
        complain(f"Error: {what}{error.strerror or error}. What was finished before stays; mend it and run this again.")
        return 2
    except Exception as error:
        if os.environ.get("DOCNAV_DEBUG"):
            raise
        complain(f"Error: unexpected {type(error).__name__}: {error}. This is a fault of docnav; DOCNAV_DEBUG=1 shows where.")
        return 1
    return result if isinstance(result, int) else 0


def main() -> None:
    """Entry point of the script `docnav`."""
    sys.exit(run())


if __name__ == "__main__":
    main()
