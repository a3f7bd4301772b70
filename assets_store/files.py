"""Local folder and object storage behind one small face.

Paths are POSIX paths relative to the root. A file is complete once it is visible: a local one is written beside its place
and moved there, an object store shows an object only after its upload has ended.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from platformdirs import user_cache_path
from pyarrow import fs as arrow_fs

from assets_store.errors import StoreError
from assets_store.ids import content_hash

# In a folder of derived files: size and hash of each file. Written last on object storage, where files arrive one by one.
_COMPLETE = "complete"
_SCRATCH = ".scratch"
# Ending of a file on its way to its name, and the folders that `write` is called for.
_UNFINISHED, _WRITTEN = ".unfinished", ("", "corpus/", "heads/*/", "parts/*/", "snapshots/")
DAMAGED = "`docnav doctor --repair` says what can be mended; else put it back from a copy, or index into a new store."


class Files:
    """Files below one root, a local folder or a URI that pyarrow.fs knows (`s3://bucket/prefix`)."""

    def __init__(self, location: str | Path) -> None:
        text = str(location)
        if "://" in text:
            if "@" in text.split("://", 1)[1].split("/", 1)[0]:
                raise StoreError("the address of a store holds no keys; give them in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.")
            try:
                self._fs, root = arrow_fs.FileSystem.from_uri(text)
            except (ValueError, OSError) as error:
                raise StoreError(f"{text} is no address of a store: {error}. Give a folder, or s3://BUCKET/PREFIX.") from error
            self.is_local = isinstance(self._fs, arrow_fs.LocalFileSystem)
            if not self.is_local and not _reached(self._fs, root, may_make="allow_bucket_creation=true" in text):
                raise StoreError(
                    f"{text.partition('?')[0]} does not answer; check bucket, endpoint_override and the keys in the environment."
                )
        else:
            self._fs, root = arrow_fs.LocalFileSystem(), str(Path(text).expanduser().resolve())
            self.is_local = True
        self.root = root.rstrip("/")
        self.location = self.root if self.is_local else text

    def _full(self, path: str) -> str:
        return f"{self.root}/{path}"

    def exists(self, path: str) -> bool:
        info = self._fs.get_file_info(self._full(path))
        return bool(info.type != arrow_fs.FileType.NotFound)

    def read(self, path: str) -> bytes:
        """Whole content; FileNotFoundError when there is none."""
        with self._fs.open_input_stream(self._full(path)) as stream:
            return bytes(stream.read())

    def open(self, path: str) -> Any:
        """A file to read in pieces, as pyarrow has it; FileNotFoundError when there is none."""
        return self._fs.open_input_file(self._full(path))

    def read_text(self, path: str) -> str:
        """Whole content as UTF-8; StoreError when it is none."""
        try:
            return self.read(path).decode()
        except UnicodeDecodeError as error:
            raise StoreError(f"{self.location}/{path} is damaged: {error}. {DAMAGED}") from error

    def read_json(self, path: str) -> Any:
        """Content of a JSON file; StoreError when it is damaged."""
        try:
            return json.loads(self.read_text(path))
        except (ValueError, RecursionError) as error:
            raise StoreError(f"{self.location}/{path} is damaged: {error}. {DAMAGED}") from error

    def write(self, path: str, data: bytes | memoryview) -> None:
        """Write a file whole; an existing one is replaced in one step."""
        full = self._full(path)
        if not self.is_local:
            with self._fs.open_output_stream(full) as stream:
                stream.write(data)
            return
        target = Path(full)
        target.parent.mkdir(parents=True, exist_ok=True)
        unfinished = target.with_name(f".{target.name}.{uuid.uuid4().hex}{_UNFINISHED}")
        try:
            with naming_file(target), unfinished.open("wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(unfinished, target)
        finally:
            unfinished.unlink(missing_ok=True)

    def put_once(self, path: str, source: Path) -> None:
        """Put a finished local file in place under a name that is its content, unless it is there. The source may be gone then."""
        if self.exists(path):
            return
        if not self.is_local:
            arrow_fs.copy_files(str(source), self._full(path), destination_filesystem=self._fs)
            return
        with source.open("rb") as stream:
            os.fsync(stream.fileno())
        target = Path(self._full(path))
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(source, target)

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """A local folder for unfinished files, gone afterwards; beside a local store, so that they can be moved into it in one step."""
        above = Path(self._full(_SCRATCH)) if self.is_local else None
        if above is not None:
            above.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=above, prefix="docnav-") as folder, naming_file(folder):
            yield Path(folder)

    def names(self, folder: str) -> list[str]:
        """Names of files and folders in a folder, sorted; unfinished files are left out."""
        selector = arrow_fs.FileSelector(self._full(folder), allow_not_found=True)
        found = (Path(info.path).name for info in self._fs.get_file_info(selector))
        return sorted(name for name in found if not name.startswith("."))

    def modified(self, folder: str) -> dict[str, float]:
        """Name -> time of the last write, in seconds, of the files in a folder."""
        selector = arrow_fs.FileSelector(self._full(folder), allow_not_found=True)
        found = self._fs.get_file_info(selector)
        return {Path(info.path).name: (info.mtime_ns or 0) / 1e9 for info in found if info.type == arrow_fs.FileType.File}

    def delete(self, path: str) -> None:
        """Remove a file or a folder with all that it holds, also from the cache; nothing to do when there is none."""
        if not self.is_local:
            cached = self._cached(path)
            shutil.rmtree(cached, ignore_errors=True)
            if cached.is_file():
                cached.unlink()
        info = self._fs.get_file_info(self._full(path))
        if info.type == arrow_fs.FileType.Directory:
            self._fs.delete_dir(self._full(path))
        elif info.type != arrow_fs.FileType.NotFound:
            self._fs.delete_file(self._full(path))

    def size(self, path: str) -> tuple[int, int]:
        """(files, bytes) of a file, or of all files in a folder."""
        info = self._fs.get_file_info(self._full(path))
        if info.type != arrow_fs.FileType.Directory:
            return 1, int(info.size or 0)
        below = self._fs.get_file_info(arrow_fs.FileSelector(self._full(path), recursive=True))
        sizes = [int(inner.size or 0) for inner in below if inner.type == arrow_fs.FileType.File]
        return len(sizes), sum(sizes)

    def unfinished(self) -> list[str]:
        """What writers left that were killed: files on their way to a name, folders of indexes in the making."""
        if not self.is_local:
            return []  # an upload that did not end leaves no object
        root = Path(self.root)
        found = [*root.glob(f"{_SCRATCH}/*"), *(path for folder in _WRITTEN for path in root.glob(f"{folder}.*{_UNFINISHED}"))]
        return sorted(path.relative_to(root).as_posix() for path in found)

    def local(self, path: str) -> Path:
        """Local path of an immutable file or folder, which is copied to a cache first when the root is remote."""
        if self.is_local:
            return Path(self._full(path))
        cached = self._cached(path)
        if not cached.exists():
            arriving = cached.with_name(f"{cached.name}.{uuid.uuid4().hex}")
            arriving.parent.mkdir(parents=True, exist_ok=True)
            try:
                arrow_fs.copy_files(self._full(path), str(arriving), source_filesystem=self._fs)
                os.replace(arriving, cached)
            except OSError:
                # Another reader may have brought it meanwhile; what did not arrive whole must not stay.
                shutil.rmtree(arriving, ignore_errors=True)
                arriving.unlink(missing_ok=True)
                if not cached.exists():
                    raise
        return cached

    def _cached(self, path: str) -> Path:
        return user_cache_path("docnav") / content_hash(self.location, length=16) / path

    def has_folder(self, path: str) -> bool:
        """Whether a folder that `upload_folder` put in place is there, whole."""
        return self.exists(path if self.is_local else f"{path}/{_COMPLETE}")

    def upload_folder(self, source: Path, path: str) -> None:
        """Put a local folder in place, whole, under a name that is its content, with a list of its files in it."""
        if self.has_folder(path):
            return
        listed = json.dumps({file.relative_to(source).as_posix(): _print_of(file) for file in _files_in(source)}, indent=1).encode()
        if not self.is_local:
            arrow_fs.copy_files(str(source), self._full(path), destination_filesystem=self._fs)
            self.write(f"{path}/{_COMPLETE}", listed)
            return
        (source / _COMPLETE).write_bytes(listed)
        for file in _files_in(source):
            with file.open("rb") as stream:
                os.fsync(stream.fileno())
        target = Path(self._full(path))
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(source, target)

    def faults_of_folder(self, path: str, with_content: bool = False) -> list[str]:
        """Files of a folder that `upload_folder` put in place which are lost, cut short, or (with_content: read them) changed.

        Nothing is known of a folder from before there was a list.
        """
        folder = self.local(path)
        try:
            text = (folder / _COMPLETE).read_text(encoding="utf-8")
            listed = {str(name): (int(size), str(digest)) for name, (size, digest) in json.loads(text or "{}").items()}
        except FileNotFoundError:
            return [] if folder.is_dir() else [f"{path} is lost"]
        except (ValueError, TypeError, AttributeError):
            return [f"{path}/{_COMPLETE} is damaged"]
        faults = []
        for name, (size, digest) in listed.items():
            file = folder / name
            found = file.stat().st_size if file.is_file() else None
            if found != size:
                faults.append(f"{path}/{name} is lost" if found is None else f"{path}/{name} has {found} bytes instead of {size}")
            elif with_content and _print_of(file)[1] != digest:
                faults.append(f"{path}/{name} is damaged")
        return faults


@contextmanager
def naming_file(path: str | Path) -> Iterator[None]:
    """Say which file a write was for, which an error of the system may not: a person must know which disk is full."""
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise
        if error.errno is None:  # as NumPy has it
            raise OSError(f"{error}: {path}") from error
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def _files_in(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.is_file())


def _print_of(file: Path) -> tuple[int, str]:
    """Size and hash of a file."""
    with file.open("rb") as stream:
        return file.stat().st_size, hashlib.file_digest(stream, "sha256").hexdigest()


def _reached(storage: arrow_fs.FileSystem, root: str, may_make: bool) -> bool:
    """Whether the bucket of a remote root can be looked at, once it was made where the address allows that."""
    bucket = root.split("/", 1)[0]
    try:
        if storage.get_file_info(bucket).type != arrow_fs.FileType.Directory and may_make:
            storage.create_dir(bucket)
        return bool(storage.get_file_info(bucket).type == arrow_fs.FileType.Directory)
    except OSError:
        return False
