"""Progress of long work: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

_LINE_EVERY_S = 15.0


Task = AbstractContextManager[Callable[[int], None]]


class Reporter(Protocol):
    """Shows how far a task is."""

    def task(self, label: str, total: int) -> Task:
        """A context that gives a function to call with the number of further items done."""
        ...


class TerminalReporter:
    """Bars on standard error when it is a terminal, else a line at the start, every 15 s and at the end."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)

    def task(self, label: str, total: int) -> Task:
        if total == 0:
            return _silent()
        return (
            self._bar(label, total)
            if self._console.is_terminal
            else _lines(label, total, lambda text: print(text, file=sys.stderr, flush=True))
        )

    @contextmanager
    def _bar(self, label: str, total: int) -> Iterator[Callable[[int], None]]:
        columns = (TextColumn("{task.description:<28}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
        with Progress(*columns, console=self._console) as progress:
            bar = progress.add_task(label, total=total)
            yield lambda n: progress.advance(bar, n)


class LogReporter:
    """Lines in the log of a Dagster run."""

    def __init__(self, log: Callable[[str], None]) -> None:
        self._log = log

    def task(self, label: str, total: int) -> Task:
        return _silent() if total == 0 else _lines(label, total, self._log)


@contextmanager
def _silent() -> Iterator[Callable[[int], None]]:
    yield lambda n: None


@contextmanager
def _lines(label: str, total: int, write: Callable[[str], None]) -> Iterator[Callable[[int], None]]:
    started = last = time.monotonic()
    done = 0
    write(f"{label}: {total}")

    def advance(n: int) -> None:
        nonlocal done, last
        done += n
        if time.monotonic() - last > _LINE_EVERY_S:
            last = time.monotonic()
            write(f"{label}: {done} of {total}, {last - started:.0f} s")

    yield advance
    write(f"{label}: {done} of {total} done in {time.monotonic() - started:.1f} s")
