"""Local copies of documents that lie in a bucket or at addresses, so that everything after sees files of a folder.

Only what changed is fetched: by size and time in a bucket, by the server's own marks (ETag, Last-Modified) at an address. A listing
that fails raises SourceError and changes nothing, because a failed listing is not an empty corpus.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

import httpx

from assets_store.errors import SourceError

_STATE = ".mirror.json"  # hidden, so never indexed
_FETCHING = ".fetching"
_CHUNK = 1024 * 1024
_TIMEOUT_S = 30.0
_GONE = (404, 410)
_MOST_CHARACTERS = 100


def mirror_bucket(address: str, target: Path) -> None:
    """Make a folder hold what lies below `s3://BUCKET/PREFIX`. Raises SourceError where that cannot be listed or read."""
    from pyarrow import fs

    shown = address.partition("?")[0]
    try:
        storage, root = fs.FileSystem.from_uri(address)
        found = storage.get_file_info(fs.FileSelector(root, recursive=True))
    except (OSError, ValueError) as error:
        raise SourceError(f"cannot list {shown}: {error}. Nothing was changed; check address, keys and network.") from error
    files = {info.path[len(root) :].strip("/"): info for info in found if info.type == fs.FileType.File}
    state = _read_state(target)
    wanted = {name: [info.size, info.mtime_ns] for name, info in files.items() if _is_safe(name)}
    for name, mark in sorted(wanted.items()):
        if state.get(name) != mark or not (target / name).is_file():
            try:
                with storage.open_input_stream(files[name].path) as source:
                    _write(target / name, iter(partial(source.read, _CHUNK), b""))
            except OSError as error:
                raise SourceError(f"cannot read {shown}/{name}: {error}. What was fetched before stays; run this again.") from error
    _finish(target, state, wanted)


def mirror_addresses(addresses: Sequence[str], target: Path, max_bytes: int) -> list[str]:
    """Make a folder hold the documents at some addresses; what could not be fetched, as sentences.

    A document whose address says that it is gone (404, 410) leaves the folder; one that cannot be fetched for another reason keeps its
    copy. Raises SourceError when none can be fetched.
    """
    state = _read_state(target)
    wanted: dict[str, list[Any]] = {}
    faults: list[str] = []
    with httpx.Client(follow_redirects=True, timeout=_TIMEOUT_S) as client:
        for address in dict.fromkeys(addresses):
            name = _file_name(address)
            held = state.get(name) if (target / name).is_file() else None
            try:
                mark = _fetch(client, address, target / name, held, max_bytes)
            except (httpx.HTTPError, OSError, ValueError) as error:
                faults.append(f"{address} cannot be fetched: {error or type(error).__name__}; it is tried again at the next run")
                mark = held
            if mark is not None:
                wanted[name] = mark
    if faults and len(faults) == len(set(addresses)):
        raise SourceError(f"none of {len(faults)} addresses can be fetched. Nothing was changed; first: {faults[0]}")
    _finish(target, state, wanted)
    return faults


def _fetch(client: httpx.Client, address: str, path: Path, held: list[Any] | None, max_bytes: int) -> list[Any] | None:
    """Marks of a document that is now at a path, None for one that is gone. held: marks of the copy that is there."""
    headers = {name: str(mark) for name, mark in zip(("If-None-Match", "If-Modified-Since"), held or (), strict=False) if mark}
    with client.stream("GET", address, headers=headers) as reply:
        if reply.status_code == 304:
            return held
        if reply.status_code in _GONE:
            return None
        reply.raise_for_status()
        size = 0

        def chunks() -> Iterator[bytes]:
            nonlocal size
            for chunk in reply.iter_bytes(_CHUNK):
                size += len(chunk)
                if size > max_bytes:
                    raise ValueError(f"it is larger than {max_bytes} bytes, see parsing.max_file_mb")
                yield chunk

        _write(path, chunks())
        return [reply.headers.get("ETag", ""), reply.headers.get("Last-Modified", "")]


def _file_name(address: str) -> str:
    """Path of the copy of an address below its folder: host and path, made safe; a hash tells apart what that does not."""
    parts = urlsplit(address)
    path = [part for part in PurePosixPath(unquote(parts.path)).parts if part not in ("/", "..", ".")] or ["index.html"]
    names = [_safe_part(part) for part in (parts.netloc.rpartition("@")[2], *path)]
    if parts.query or "/".join(names[1:]) != parts.path.lstrip("/"):
        name = PurePosixPath(names[-1])
        names[-1] = f"{name.stem}-{hashlib.sha256(address.encode()).hexdigest()[:8]}{name.suffix}"
    return "/".join(names)


def _safe_part(part: str) -> str:
    kept = "".join(ch if ch.isalnum() or ch in "-_.() " else "_" for ch in part).strip().lstrip(".")
    name = PurePosixPath(kept or "_")
    return f"{name.stem[:_MOST_CHARACTERS]}{name.suffix[:20]}"


def _is_safe(name: str) -> bool:
    """Whether the name of an object may be the path of a file below a folder, and of one that is not hidden."""
    return bool(name) and all(part and not part.startswith(".") and "\\" not in part and "\0" not in part for part in name.split("/"))


def _write(path: Path, chunks: Iterable[bytes]) -> None:
    """Write a file that is complete once it is visible."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(_FETCHING)
    try:
        with unfinished.open("wb") as stream:
            stream.writelines(chunks)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def _read_state(target: Path) -> dict[str, list[Any]]:
    """Name -> marks of each copy. A state that cannot be read is none: everything is fetched anew."""
    try:
        state = json.loads((target / _STATE).read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return {}
    return state if isinstance(state, dict) else {}


def _finish(target: Path, before: Mapping[str, list[Any]], now: Mapping[str, list[Any]]) -> None:
    """Take away copies of what is gone, and remember the rest."""
    target.mkdir(parents=True, exist_ok=True)
    for name in before.keys() - now.keys():
        (target / name).unlink(missing_ok=True)
    (target / _STATE).write_text(json.dumps(now, indent=1, sort_keys=True), encoding="utf-8")
