"""Examine a store: files against their names, tables against each other, models against the stored vectors."""

from __future__ import annotations

from dataclasses import dataclass

from assets_store.errors import DocnavError, StoreError, StoreVersionError
from assets_store.ids import content_hash
from assets_store.schemas import TABLES
from assets_store.store import Part, Store
from docnav_pipeline.corpus import read_corpus
from docnav_pipeline.roots import read_roots

_CURRENT = "CURRENT"
_STEP = "`docnav doctor --repair` takes it away, and the next `docnav index` makes it anew"
_STEP_CORPUS = "`docnav doctor --repair` takes it away; then run `docnav index` with all the paths that the store was made from at once"
_STEP_SNAPSHOT = "`docnav doctor --repair` takes it away"
_STEP_CURRENT = "`docnav doctor --repair` makes the newest whole one current"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one examination found; no faults means that it holds."""

    check: str
    faults: list[str]


def examine(store: Store) -> list[Finding]:
    """All examinations of the working state and the current snapshot. Reads every file."""
    from docnav_pipeline.checks import FINDERS

    findings = [Finding("records can be read", [f"{broken.fault}; {broken.step}" for broken in find_broken(store)])]
    if not findings[0].faults:  # what they name cannot be looked for otherwise
        findings += [
            Finding("files are what their names say", damaged_files(store)),
            Finding("search indexes are whole", [f"{fault}; {_STEP}" for fault in _index_faults(store)]),
        ]
    is_readable = not any(finding.faults for finding in findings)
    findings.append(Finding("models can be had", _missing_models(store)))
    if not is_readable:
        return findings  # tables with a damaged file cannot be read
    return [*findings, *(Finding(name.replace("_", " "), find(store)) for name, (_, find) in FINDERS.items())]


@dataclass(frozen=True, slots=True)
class Broken:
    """A small file of the store that cannot be read, or names what is not there. step: what mends it."""

    path: str
    fault: str
    step: str


def find_broken(store: Store) -> list[Broken]:
    """Records that say which file is which: heads, the corpus and its roots, snapshots, and which of them is current."""
    found = []
    for path, step in _records(store):
        try:
            _read_record(store, path)
        except StoreVersionError:
            raise
        except StoreError:
            found.append(Broken(path, f"{path} is damaged", step))
    lost = {broken.path for broken in found}
    current = _current_id(store)
    if current is not None and (current not in store.log.ids() or f"snapshots/{current}.json" in lost):
        found.append(Broken(_CURRENT, f"{_CURRENT} names snapshot {current[:80]!r}, which is not there", _STEP_CURRENT))
    return found


def _records(store: Store) -> list[tuple[str, str]]:
    files = store.files
    heads = [f"heads/{table}/{name}" for table in TABLES for name in files.names(f"heads/{table}")]
    corpus = [f"corpus/{name}" for name in files.names("corpus")] + (["sources.json"] if files.exists("sources.json") else [])
    snapshots = [f"snapshots/{name}.json" for name in store.log.ids()]
    return [*((path, _STEP) for path in heads), *((path, _STEP_CORPUS) for path in corpus), *((path, _STEP_SNAPSHOT) for path in snapshots)]


def _read_record(store: Store, path: str) -> None:
    """StoreError when a record is none."""
    folder, _, name = path.rpartition("/")
    key = name.removesuffix(".json")
    try:
        if path.startswith("heads/"):
            Part(**store.files.read_json(path))
        elif folder == "snapshots":
            store.log.manifest(key)
        elif folder == "corpus":
            read_corpus(store, key)
        else:
            read_roots(store)
    except (TypeError, KeyError, AttributeError) as error:
        raise StoreError(f"{path} is damaged: {error}") from error


def _current_id(store: Store) -> str | None:
    """What CURRENT names, also where that is no text."""
    return store.files.read(_CURRENT).decode("utf-8", "backslashreplace") if store.files.exists(_CURRENT) else None


def _index_faults(store: Store) -> list[str]:
    """Files of the current snapshot's search indexes that are lost or damaged."""
    if store.log.current_id() is None:
        return []
    path = f"indexes/{store.snapshot().manifest['index']}"
    return store.files.faults_of_folder(path, with_content=True) if store.files.has_folder(path) else [f"{path} is lost"]


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
    return [f"{damage.path} is {'lost' if damage.is_lost else 'damaged'}; {_STEP}" for damage in find_damage(store)]


def repair(store: Store) -> list[str]:
    """Take away what is damaged, so that the next run makes it anew; paths of what was taken away.

    Call it while holding the right to write. A current snapshot that lacks a file stays as it is until that run commits another;
    where it is lost, the newest whole one becomes current.
    """
    broken = find_broken(store)
    for record in broken:
        if record.path != _CURRENT:
            store.files.delete(record.path)
    current = _current_id(store)
    if current is not None and current not in store.log.ids():
        whole = next((name for name in reversed(store.log.ids()) if _is_whole(store, name)), None)
        if whole is None:
            store.files.delete(_CURRENT)
        else:
            store.log.set_current(whole)
    _put_heads_back(store, {record.path for record in broken})
    damages = find_damage(store)
    for damage in damages:
        store.files.delete(f"heads/{damage.table}/{damage.part}.json")
        store.files.delete(damage.path)
    taken = [*(record.path for record in broken), *(damage.path for damage in damages)]
    if _index_faults(store):
        taken.append(f"indexes/{store.snapshot().manifest['index']}")
        store.files.delete(taken[-1])
    return taken


def _put_heads_back(store: Store, lost: set[str]) -> None:
    """Heads as the current snapshot has them: whatever changed since is found out by the keys that their parts hold."""
    if store.log.current_id() is None:
        return
    for table, parts in store.snapshot().manifest["tables"].items():
        for name, part in parts.items():
            if f"heads/{table}/{name}.json" in lost:
                store.set_head(table, Part(**part))


def _is_whole(store: Store, snapshot_id: str) -> bool:
    """Whether all files are there that a snapshot names."""
    manifest = store.log.manifest(snapshot_id)
    paths = [f"parts/{table}/{part['file']}" for table, parts in manifest["tables"].items() for part in parts.values()]
    return store.files.has_folder(f"indexes/{manifest['index']}") and all(map(store.files.exists, paths))


def _missing_models(store: Store) -> list[str]:
    from docnav_pipeline.stages import EMBEDDINGS, FEATURES

    faults = []
    for stage in (EMBEDDINGS, FEATURES):
        try:
            stage.settings(store.settings)
        except DocnavError as error:
            faults.append(str(error))
    return faults
