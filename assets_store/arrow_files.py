"""Arrow files of the search indexes: opened memory-mapped, with the version of what they hold checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from assets_store.errors import SchemaError, StoreVersionError


def open_mapped(path: Path, wanted: str) -> pa.Table:
    """A file as a table whose columns are mapped pages. wanted: its format.

    Raises SchemaError where it cannot be read, StoreVersionError where another version wrote it.
    """
    try:
        reader = pa.ipc.open_file(pa.memory_map(str(path)))
    except (OSError, pa.ArrowInvalid) as error:
        raise SchemaError(f"cannot open the search index file {path}: {error}; run `docnav index` again to write it anew") from error
    found = (reader.schema.metadata or {}).get(b"format", b"").decode()
    if found != wanted:
        raise StoreVersionError(
            f"{path.name} has format {found or 'none'}, this version reads {wanted}; run `docnav index` to write it anew"
        )
    return reader.read_all()


def new_file(path: Path, schema: pa.Schema, format_name: str) -> pa.RecordBatchFileWriter:
    """A writer of such a file."""
    return pa.ipc.new_file(str(path), schema.with_metadata({"format": format_name}))


def numbers(values: pa.Array) -> NDArray[Any]:
    """A column of whole numbers without nulls as a read-only array in its own width."""
    width = {8: np.int8, 32: np.int32, 64: np.int64}[values.type.bit_width]
    # Not to_numpy(): it imports pandas where that is installed, which takes longer than opening the snapshot.
    return np.frombuffer(values.buffers()[1] or b"", dtype=width, count=len(values), offset=values.offset * values.type.bit_width // 8)
