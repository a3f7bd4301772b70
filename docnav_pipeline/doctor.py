"""Examine a store: files against their names, tables against each other, models against the stored vectors."""

from __future__ import annotations

from dataclasses import dataclass

from assets_store.errors import DocnavError
from assets_store.ids import content_hash
from assets_store.schemas import TABLES
from assets_store.store import Store


@dataclass(frozen=True, slots=True)
class Finding:
    """What one examination found; no faults means that it holds."""

    check: str
    faults: list[str]


def examine(store: Store) -> list[Finding]:
    """All examinations of the working state and the current snapshot. Reads every file."""
    from docnav_pipeline.checks import FINDERS

    hashes = Finding("files are what their names say", damaged_files(store))
    findings = [hashes, Finding("models can be had", _missing_models(store))]
    if hashes.faults:
        return findings  # tables with a damaged file cannot be read
    return [*findings, *(Finding(name.replace("_", " "), find(store)) for name, (_, find) in FINDERS.items())]


def damaged_files(store: Store) -> list[str]:
    """Parts of the working state that are lost, or whose content is not what their name says."""
    faults = []
    for table in TABLES:
        for part in store.heads(table):
            path = f"parts/{table}/{part.file}"
            if not store.files.exists(path):
                faults.append(f"{path} is lost; delete heads/{table}/{part.name}.json and run `docnav index` to rebuild it")
            elif content_hash(store.files.read(path), length=32) != part.file.removesuffix(".parquet"):
                faults.append(f"{path} is damaged; delete it and heads/{table}/{part.name}.json, then run `docnav index` to rebuild it")
    return faults


def _missing_models(store: Store) -> list[str]:
    from docnav_pipeline.stages import EMBEDDINGS, FEATURES

    faults = []
    for stage in (EMBEDDINGS, FEATURES):
        try:
            stage.settings(store.settings)
        except DocnavError as error:
            faults.append(str(error))
    return faults
