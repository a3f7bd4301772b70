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


@dataclass(frozen=True, slots=True)
class Damage:
    """A part of the working state that is lost, or whose content is not what its name says."""

    table: str
    part: str
    file: str
    is_lost: bool

    @property
    def path(self) -> str:
        return f"parts/{self.table}/{self.file}"


def find_damage(store: Store) -> list[Damage]:
    """Damaged parts of all tables. Reads every file."""
    found = []
    for table in TABLES:
        for part in store.heads(table):
            path = f"parts/{table}/{part.file}"
            if not store.files.exists(path):
                found.append(Damage(table, part.name, part.file, is_lost=True))
            elif content_hash(store.files.read(path), length=32) != part.file.removesuffix(".parquet"):
                found.append(Damage(table, part.name, part.file, is_lost=False))
    return found


def damaged_files(store: Store) -> list[str]:
    """What is damaged, with the next step."""
    step = "`docnav doctor --repair` takes it away, and the next `docnav index` makes it anew"
    return [f"{damage.path} is {'lost' if damage.is_lost else 'damaged'}; {step}" for damage in find_damage(store)]


def repair(store: Store) -> list[str]:
    """Take damaged parts out of the working state, so that the next run makes them anew; paths of what was taken out.

    Call it while holding the right to write. The current snapshot stays as it is, damaged, until that run commits another.
    """
    damages = find_damage(store)
    for damage in damages:
        store.files.delete(f"heads/{damage.table}/{damage.part}.json")
        store.files.delete(damage.path)
    return [damage.path for damage in damages]


def _missing_models(store: Store) -> list[str]:
    from docnav_pipeline.stages import EMBEDDINGS, FEATURES

    faults = []
    for stage in (EMBEDDINGS, FEATURES):
        try:
            stage.settings(store.settings)
        except DocnavError as error:
            faults.append(str(error))
    return faults
