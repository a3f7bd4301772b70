"""Source files: what lies below registered roots.

Listing raises when a folder cannot be read, because a failed listing is not an empty corpus. A single file that cannot be read is
a document with a fault: it is recorded, never stops the batch, and is tried again.
"""

from __future__ import annotations

import errno
import fnmatch
import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from assets_store.errors import SourceError
from assets_store.ids import document_id, file_uri, is_encodable, split_uri
from docnav_pipeline.parsing.media import detect_media_type
from docnav_pipeline.roots import Root

_CHUNK = 1024 * 1024
JSONL_SUFFIX = ".jsonl"
OVERRIDES_SUFFIX = ".docnav.toml"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One document to be: a file, or one entry of a JSONL file (fragment).

    sha256: of the file or of the entry. media_type: found in the content when it was listed. overrides: text of the overrides
    file beside it. fault: why it cannot be read, empty when it can.
    """

    doc_id: str
    doc: str
    uri: str
    root: str
    kb: str
    product_version: str
    fragment: str | None
    sha256: str
    bytes: int
    media_type: str = ""
    overrides: str = ""
    fault: str = ""
    access_labels: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """Where the file lies on this machine."""
        return Path(self.root) / split_uri(self.uri)[0]


def list_sources(root: Root, below: Path, store_location: str) -> Iterator[SourceFile]:
    """Every document below a path of a root, by uri.

    Hidden files and folders, the store itself, files of overrides, files outside the globs and links to places outside
    are left out. Globs are matched
    against the path relative to the root and against the file name. Raises SourceError for a folder that cannot be listed.
    """
    for path in _walk(below, Path(store_location)):
        relative = path.relative_to(root.path)
        if _is_wanted(relative.as_posix(), root):
            for source in _documents_of(root, path, relative):
                if source.uri not in root.removed:
                    yield source


def _walk(below: Path, store: Path) -> Iterator[Path]:
    if below.is_file():
        yield below
        return

    def fail(error: OSError) -> None:
        raise SourceError(f"cannot list {error.filename}: {error.strerror}. Nothing was changed; make it readable and run this again.")

    for folder, folders, files in os.walk(below, onerror=fail):
        here = Path(folder)
        folders[:] = sorted(name for name in folders if not name.startswith(".") and here / name != store)
        for name in sorted(files):
            path = here / name
            if not name.startswith(".") and not name.endswith(OVERRIDES_SUFFIX) and path.is_file() and _stays_inside(path, below):
                yield path


def _stays_inside(path: Path, below: Path) -> bool:
    """Whether a file, if it is a link, leads to a place below the listed folder: a link must not bring in what nobody meant to index."""
    return not path.is_symlink() or below.resolve() in path.resolve().parents


def _is_wanted(relative: str, root: Root) -> bool:
    def hits(globs: Iterable[str]) -> bool:
        return any(fnmatch.fnmatch(relative, glob) or fnmatch.fnmatch(PurePosixPath(relative).name, glob) for glob in globs)

    return (not root.include or hits(root.include)) and not hits(root.exclude)


def _documents_of(root: Root, path: Path, relative: Path) -> Iterator[SourceFile]:
    place = _printable(file_uri(relative))

    def source(
        name: str, fragment: str | None, sha256: str, size: int, media_type: str = "", overrides: str = "", fault: str = ""
    ) -> SourceFile:
        uri = place if fragment is None else f"{place}#{fragment}"
        doc_id = document_id(root.kb, root.product_version, uri)
        identity = (doc_id, name, uri, root.path, root.kb, root.product_version, fragment)
        return SourceFile(*identity, sha256, size, media_type, overrides, fault, root.labels)

    name = _printable(path.name)
    if not is_encodable(str(relative)):
        yield source(name, None, "", 0, fault=f"the file name {name} is no UTF-8; give it another name")
        return
    try:
        size, digest, media_type = path.stat().st_size, _sha256(path), detect_media_type(path)
    except OSError as error:
        yield source(name, None, "", 0, fault=f"{name} cannot be read: {error.strerror or error}; make it readable and index again")
        return
    try:
        overrides = _overrides(path)
    except (OSError, UnicodeDecodeError) as error:
        fault = f"{name}{OVERRIDES_SUFFIX} cannot be read: {error}; expected a TOML file in UTF-8"
        yield source(name, None, digest, size, media_type, fault=fault)
        return
    entries = _jsonl_entries(path) if path.suffix.lower() == JSONL_SUFFIX and size else []
    if not entries:
        yield source(name, None, digest, size, media_type, overrides)
    for fragment, sha256, n_bytes in entries:
        yield source(name if fragment is None else fragment, fragment, sha256, n_bytes, media_type, overrides)


def _printable(text: str) -> str:
    """Text with bytes that are no UTF-8 as `\\xNN`."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _overrides(path: Path) -> str:
    """Text of the overrides file beside a source, empty when there is none."""
    beside = path.with_name(path.name + OVERRIDES_SUFFIX)
    try:
        return beside.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:  # so long a name leaves no room for a file of overrides
            return ""
        raise


def _jsonl_entries(path: Path) -> list[tuple[str | None, str, int]]:
    from docnav_pipeline.parsing.jsonl import list_entries

    return [(entry.fragment, entry.digest, entry.n_bytes) for entry in list_entries(path)]


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
