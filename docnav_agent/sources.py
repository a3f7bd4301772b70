"""Where the source files of a run's evidence are now, and whether they are still what was indexed."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from assets_store.errors import DocnavError

if TYPE_CHECKING:
    from assets_store.store import Store


def source_files(store: Store, snapshot: str, doc_ids: Collection[str]) -> dict[str, Path | str]:
    """Per document the file, or why it cannot be used: gone, changed, outside of its root.

    snapshot: the one that the run read; the current one where it was collected since.
    """
    try:
        taken = store.snapshot(snapshot)
    except DocnavError:
        taken = store.snapshot()
    columns = ["doc_id", "root", "uri", "sha256", "media_type"]
    rows = taken.read("documents", columns=columns).filter(pl.col("doc_id").is_in(list(doc_ids))).to_dicts()
    found: dict[str, Path | str] = {row["doc_id"]: _file(row) for row in rows}
    return {doc_id: found.get(doc_id, "the store knows no such document") for doc_id in doc_ids}


def _file(row: dict[str, str]) -> Path | str:
    if row["media_type"] != "application/pdf":
        return "its format has no pages to show"
    root = Path(row["root"]).resolve()
    path = (root / row["uri"]).resolve()
    if not path.is_relative_to(root):
        return "its path leads out of its root"
    if not path.is_file():
        return "the file is not there any more"
    with path.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != row["sha256"]:
            return "the file was changed since it was indexed"
    return path
