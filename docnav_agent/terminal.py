"""What people see in a terminal: text of documents with control characters made visible, tables and progress on stderr."""

from __future__ import annotations

import re
import sys
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

# C0 and C1 controls except tab and line feed, line separators, direction marks and overrides, byte order mark, tag characters,
# lone surrogates.
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def printable(text: str) -> str:
    """Text that cannot move the cursor, set colours, or turn the direction of what follows: such characters as `\\x1b`."""
    return _CONTROL.sub(_escaped, text.replace("\r\n", "\n"))


def _escaped(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def console(stderr: bool = False) -> Console:
    """A console without markup or highlighting, so that brackets in document text stay brackets."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, highlight=False, emoji=False, soft_wrap=True)


def progress() -> Progress:
    """A progress bar on stderr; it stays silent where stderr is no terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )


def complain(message: str, stream: IO[str] | None = None) -> None:
    """One line on stderr."""
    print(printable(" ".join(message.split())), file=stream or sys.stderr)
