"""The parser process: reads requests from standard input, parses, writes answers to standard output.

A request or answer is one JSON value behind its length (8 bytes, big-endian). The process is
started by `process.py` and may be ended at any moment; it ends by itself when its parent does.
"""

from __future__ import annotations

import json
import os
import struct
import sys
import threading
import time
from pathlib import Path
from typing import Any, BinaryIO

from docnav_pipeline.parsing import wire
from docnav_pipeline.parsing.errors import SourceFault, status_of

HEADER = struct.Struct(">Q")


def main() -> None:
    """Serve requests until standard input ends."""
    # Whatever a library prints must not fall into the answers: they get a descriptor of their own.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    while (request := read_frame(sys.stdin.buffer)) is not None:
        write_frame(answers, answer(request))


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Result of a request under `ok`, or what went wrong under `fault` (of the file) or `error` (ours)."""
    try:
        return {"ok": _perform(request)}
    except SourceFault as fault:
        return {"fault": {"status": status_of(fault).value, "reason": str(fault)}}
    except RecursionError:
        return {"fault": {"status": "corrupt", "reason": "nested deeper than any real document"}}
    except MemoryError:
        return {"fault": {"status": "too_large", "reason": "parsing ran out of memory"}}
    except Exception as error:  # whatever a parser raises must reach the parent as a message
        return {"error": f"{type(error).__name__}: {' '.join(str(error).split())[:500]}"}


def read_frame(stream: BinaryIO) -> dict[str, Any] | None:
    """The next message of a stream; None at its end."""
    header = stream.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    (length,) = HEADER.unpack(header)
    body = stream.read(length)
    if len(body) < length:
        return None
    value: dict[str, Any] = json.loads(body)
    return value


def write_frame(stream: BinaryIO, value: dict[str, Any]) -> None:
    """Write one message."""
    body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", errors="replace")
    stream.write(HEADER.pack(len(body)) + body)
    stream.flush()


def _perform(request: dict[str, Any]) -> Any:
    path = Path(request["path"])
    operation = request["operation"]
    if operation == "pdf_info":
        from docnav_pipeline.parsing.pdf import read_info

        info = read_info(path)
        bookmarks = [wire.block_to_json(block) for block in info.bookmarks]
        return {"n_pages": info.n_pages, "title": info.title, "language": info.language, "bookmarks": bookmarks}
    if operation == "pdf_window":
        from docnav_pipeline.parsing.pdf import read_window

        window = read_window(
            path, request["first"], request["last"], request["tier"], request["min_page_characters"], request["server_url"]
        )
        return {
            "blocks": [wire.block_to_json(block) for block in window.blocks],
            "pages_without_text": window.pages_without_text,
            "warnings": window.warnings,
            "n_broken": window.n_broken,
        }
    if operation == "office":
        from docnav_pipeline.parsing.mineru_call import parse_office

        return wire.document_to_json(parse_office(path, request["tier"], request["server_url"]))
    if operation == "own":
        from docnav_pipeline.parsing.parse import own_reader

        reader = own_reader(request["media_type"])
        if reader is None:
            raise ValueError(f"no reader for {request['media_type']}")
        return wire.document_to_json(reader(path))
    raise ValueError(f"unknown operation {operation!r}")


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


if __name__ == "__main__":
    main()
