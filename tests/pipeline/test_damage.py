"""Records and indexes of a store that are damaged: named in one line, found by `doctor`, mended by `doctor --repair` and `index`."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assets_store.settings import load_settings
from assets_store.store import Store
from docnav_agent.cli import run
from docnav_pipeline.doctor import examine, repair
from tests.pipeline.direct import index_directly
from tests.pipeline.equality import assert_equal_indexes, assert_equal_tables
from tests.pipeline.fast import FAST


@pytest.fixture(scope="module", autouse=True)
def fast() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**FAST, "DOCNAV_SHARDS": "2"}.items():
            patch.setenv(name, value)
        yield


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    for name in ("wells", "pumps", "bells"):
        (folder / f"{name}.md").write_text(f"# On {name}\n\nAll about {name}.\n\n## Care\n\nOil the {name}.\n")
    return folder


@pytest.fixture(scope="module")
def good(docs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with one snapshot, to be copied."""
    folder = tmp_path_factory.mktemp("good") / "store"
    index_directly(Store.create(folder, load_settings()), docs)
    return folder


@pytest.fixture
def store(good: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(good, tmp_path / "store"))


def first(store: Path, pattern: str) -> Path:
    return sorted(store.glob(pattern))[0]


def cut(pattern: str, share: float = 0.5) -> Callable[[Path], None]:
    """Damage that cuts the first file of a pattern short."""

    def damage(store: Path) -> None:
        path = first(store, pattern)
        path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])

    return damage


def put(name: str, content: bytes) -> Callable[[Path], None]:
    """Damage that replaces a file."""

    def damage(store: Path) -> None:
        (store / name).write_bytes(content)

    return damage


def lose(pattern: str) -> Callable[[Path], None]:
    """Damage that takes the first file of a pattern away."""
    return lambda store: first(store, pattern).unlink()


MENDED = {
    "CURRENT is garbage": (put("CURRENT", b"\xff\xfe"), "CURRENT"),
    "CURRENT is empty": (put("CURRENT", b""), "CURRENT"),
    "CURRENT names a lost snapshot": (put("CURRENT", b"000009-00000000"), "CURRENT"),
    "the snapshot is lost": (lose("snapshots/*.json"), "CURRENT"),
    "the snapshot is cut short": (cut("snapshots/*.json"), "snapshots/"),
    "a head is half written": (cut("heads/tree/*.json"), "heads/tree/"),
    "a head says something else": (put("heads/tree/00.json", b'{"name": 1}'), "heads/tree/00.json"),
    "a table is cut short": (cut("parts/tree/*.parquet"), "parts/tree/"),
    "a corpus table is lost": (lose("parts/communities/*.parquet"), "parts/communities/"),
    "the corpus is half written": (cut("corpus/*.json"), "corpus/"),
    "the roots are half written": (cut("sources.json"), "sources.json"),
    "vectors are cut short": (cut("indexes/*/paragraph/vectors.f32"), "paragraph/vectors.f32"),
    "nodes are cut short": (cut("indexes/*/nodes.arrow"), "nodes.arrow"),
    "an index file is lost": (lose("indexes/*/search.json"), "search.json"),
}


@pytest.mark.parametrize("fault", MENDED)
def test_damage_is_named_and_mended(fault: str, store: Path, good: Path, docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    damage, name = MENDED[fault]
    damage(store)
    assert run(["locate", "wells", "--store", str(store)]) in (0, 2)
    said = capsys.readouterr().err
    assert "fault of docnav" not in said
    assert not said or ("docnav doctor" in said and said.count("\n") == 1), said
    opened = Store.open(store)
    faults = [line for finding in examine(opened) for line in finding.faults]
    assert any(name in line and "docnav doctor --repair" in line for line in faults), faults
    with opened.writing():
        assert any(name in path or path.startswith("indexes/") for path in repair(opened))
    index_directly(Store.open(store), docs)
    assert not [line for finding in examine(Store.open(store)) for line in finding.faults]
    mended, clean = Store.open(store).snapshot(), Store.open(good).snapshot()
    assert_equal_tables(mended, clean)
    assert_equal_indexes(mended, clean)


def newer(name: str, **values: int) -> Callable[[Path], None]:
    """A JSON file as a newer docnav would write it."""

    def damage(store: Path) -> None:
        path = first(store, name)
        path.write_text(json.dumps({**json.loads(path.read_text()), **values}))

    return damage


REFUSED = {
    "a newer format": (newer("store.json", format=99), ("written by a newer docnav", "Upgrade docnav")),
    "a newer schema": (newer("store.json", schema_version=99), ("written by a newer docnav", "Upgrade docnav")),
    "a newer snapshot": (newer("snapshots/*.json", schema_version=99), ("written by a newer docnav", "Upgrade docnav")),
    "a store.json without facts": (put("store.json", b"{}"), ("store.json is damaged", "expected")),
    "a store.json that is half written": (cut("store.json"), ("store.json is damaged",)),
    "settings that are no TOML": (put("docnav.toml", b"shards = [\n"), ("docnav.toml is not valid TOML", "Mend it")),
    "settings that are no text": (put("docnav.toml", b"\xff\xff"), ("docnav.toml is damaged",)),
    "settings that are lost": (lose("docnav.toml"), ("docnav.toml is lost", "shards = 2")),
}


@pytest.mark.parametrize("fault", REFUSED)
def test_a_store_that_cannot_be_understood_is_left_as_it_is(
    fault: str, store: Path, docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damage, words = REFUSED[fault]
    damage(store)
    before = {path: path.read_bytes() for path in store.rglob("*") if path.is_file() and path.name != ".lock"}
    for command in (["locate", "wells"], ["status"], ["doctor"], ["index", str(docs)]):
        assert run([*command, "--store", str(store)]) == 2, command
        said = capsys.readouterr().err
        assert all(word in said for word in words), said
        assert said.count("\n") == 1
    assert {path: path.read_bytes() for path in store.rglob("*") if path.is_file() and path.name != ".lock"} == before
