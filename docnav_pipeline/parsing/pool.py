"""Parse many files at a time: threads that drive parser processes, results as they finish."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from docnav_pipeline.parsing.block import DocumentStatus, ParsedDocument
from docnav_pipeline.parsing.parse import parse_source
from docnav_pipeline.parsing.process import ParserProcess

if TYPE_CHECKING:
    from assets_store.settings import ParsingSettings

_GIB = 1024**3
_SMALL_MACHINE_BYTES = 32 * _GIB
_SMALL_MACHINE_WORKERS = 2
# Results that wait for a slow consumer, per worker; bounds memory.
_WAITING = 2

Task = tuple[Path, Collection[str | None] | None]
Result = tuple[Path, str | None, ParsedDocument]


def default_workers(settings: ParsingSettings) -> int:
    """Parser processes at a time: the setting, or one per core and at most 2 on machines below 32 GiB."""
    if settings.workers:
        return settings.workers
    cores = os.cpu_count() or 1
    if psutil.virtual_memory().total < _SMALL_MACHINE_BYTES:
        return min(cores, _SMALL_MACHINE_WORKERS)
    return cores


def parse_many(tasks: Iterable[Path | Task], settings: ParsingSettings, workers: int | None = None) -> Iterator[Result]:
    """Parse files and yield (path, fragment, document) as they finish, in no fixed order.

    tasks: paths, or (path, fragments) with the wanted entries of a JSONL file; read as a stream.
    workers: parser processes at a time; `default_workers` when not given.

    Every task yields at least one result; a fault of ours is a document with the status `failed`.
    Closing the iterator early ends the processes.
    """
    n_workers = max(workers if workers is not None else default_workers(settings), 1)
    todo = iter(tasks)
    lock = threading.Lock()
    stopped = threading.Event()
    results: queue.Queue[Result | BaseException | None] = queue.Queue(maxsize=n_workers * _WAITING)

    def take() -> Task | None:
        with lock:
            task = next(todo, None)
        return None if task is None else (task, None) if isinstance(task, Path) else task

    def put(item: Result | BaseException | None) -> bool:
        while not stopped.is_set():
            try:
                results.put(item, timeout=0.2)
                return True
            except queue.Full:
                continue
        return False

    def work() -> None:
        try:
            with ParserProcess(settings.memory_mb) as process:
                while not stopped.is_set() and (task := take()) is not None:
                    path, fragments = task
                    for fragment, document in _parse(path, settings, fragments, process):
                        if not put((path, fragment, document)):
                            return
        except BaseException as error:
            put(error)
        finally:
            put(None)

    threads = [threading.Thread(target=work, name=f"parser-{number}", daemon=True) for number in range(n_workers)]
    for thread in threads:
        thread.start()
    running = n_workers
    try:
        while running:
            item = results.get()
            if item is None:
                running -= 1
            elif isinstance(item, BaseException):
                raise item
            else:
                yield item
    finally:
        stopped.set()
        for thread in threads:
            thread.join()


def _parse(
    path: Path, settings: ParsingSettings, fragments: Collection[str | None] | None, process: ParserProcess
) -> Iterator[tuple[str | None, ParsedDocument]]:
    try:
        yield from parse_source(path, settings, fragments, process)
    except Exception as error:  # a fault of ours must not stop the batch; it is recorded and retried
        reason = f"{path.name}: {type(error).__name__}: {error}"
        yield None, ParsedDocument((), "none", status=DocumentStatus.FAILED, reason=reason)
