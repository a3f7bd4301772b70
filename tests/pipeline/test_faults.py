"""Real faults: a disk that fills up, a store that cannot be written. One clear line, nothing lost, and the next run ends well."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assets_store.collect import collect
from assets_store.settings import load_settings
from assets_store.store import Store
from docnav_agent.cli import run
from docnav_pipeline.checks import FINDERS
from tests.pipeline.direct import index_directly
from tests.pipeline.equality import assert_equal_indexes, assert_equal_tables
from tests.pipeline.fast import FAST

# Without this right, root obeys permissions like everybody else.
_AS_OTHERS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


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
        text = "".join(f"## {n} Care of {name}\n\nOil the {name} {n} times. " + f"It has {n} lids. " * 60 + "\n\n" for n in range(1, 5))
        (folder / f"{name}.md").write_text(f"# On {name}\n\n{text}")
    return folder


@pytest.fixture(scope="module")
def clean(docs: Path, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store of the documents in which nothing went wrong."""
    store = Store.create(tmp_path_factory.mktemp("clean") / "store", load_settings())
    index_directly(store, docs)
    return store


def docnav(*arguments: str, limit: Callable[[], None] | None = None, as_others: bool = False) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, in which faults of the system are real."""
    before = _AS_OTHERS if as_others and os.geteuid() == 0 else []
    command = [*before, sys.executable, "-m", "docnav_agent.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=280, check=False, preexec_fn=limit, env=dict(os.environ))


def assert_told(done: subprocess.CompletedProcess[str], *words: str) -> None:
    """One line says what is wrong, and no traceback."""
    assert done.returncode == 2, done
    errors = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert len(errors) == 1, done.stderr
    assert all(word in errors[0] for word in (*words, "run this again")), errors
    # Where Dagster cannot write its log, its logger tells so by itself, traceback and all.
    assert "Traceback" not in done.stderr or "Exception while writing logger call" in done.stderr, done.stderr


def assert_equal_to(store: Store, clean: Store) -> None:
    assert_equal_tables(store.snapshot(), clean.snapshot())
    assert_equal_indexes(store.snapshot(), clean.snapshot())
    assert {name: find(store) for name, (_, find) in FINDERS.items()} == {name: [] for name in FINDERS}


def at_most(n_bytes: int) -> Callable[[], None]:
    """No file may grow beyond a size, as on a disk that is full by then."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, resource.RLIM_INFINITY))


@pytest.mark.slow
def test_a_run_that_cannot_write_on_is_made_good_by_the_next(docs: Path, clean: Store, tmp_path: Path) -> None:
    store = tmp_path / "store"
    index = ("index", str(docs), "--store", str(store))
    # The registry of roots; the first tables; what Dagster keeps of a run.
    for n_bytes in (100, 3_000, 100_000):
        assert_told(docnav(*index, limit=at_most(n_bytes)), str(store))
    assert docnav(*index).returncode == 0
    assert_equal_to(Store.open(store), clean)


@pytest.mark.slow
@pytest.mark.parametrize("stage", [0, 3, 6, 10])
def test_a_stage_that_finds_the_disk_full_is_made_good_by_the_next_run(stage: int, docs: Path, clean: Store, tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store", load_settings())
    index_directly(store, docs, stop_after=stage)
    held = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, held[1]))
    try:
        with pytest.raises(OSError, match=r"too large|requested and \d+ written"):
            index_directly(store, docs)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, held)
    assert store.log.current_id() is None
    index_directly(store, docs)
    assert_equal_to(Store.open(store.location), clean)
    collect(store, keep=1)
    assert store.files.unfinished() == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[[int], Path]]:
    """Mounts a disk of so many KB; the test is left out where this machine does not let us."""
    folder = tmp_path / "disk"
    folder.mkdir()

    def mount(kilobytes: int) -> Path:
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            pytest.skip(f"no disk can be mounted here: {done.stderr.strip()}")
        return folder

    yield mount
    subprocess.run(["umount", str(folder)], capture_output=True, check=False)


@pytest.mark.slow
def test_a_disk_that_fills_up_while_indexing_and_then_grows(docs: Path, clean: Store, small_disk: Callable[[int], Path]) -> None:
    disk = small_disk(60)
    index = ("index", str(docs), "--store", str(disk / "store"))
    for kilobytes in (60, 1_400):
        subprocess.run(["mount", "-o", f"remount,size={kilobytes}k", str(disk)], check=True)
        assert_told(docnav(*index), str(disk))
    subprocess.run(["mount", "-o", "remount,size=16m", str(disk)], check=True)
    assert docnav(*index).returncode == 0
    assert_equal_to(Store.open(disk / "store"), clean)


def test_a_store_that_cannot_be_written_is_read_and_says_so(clean: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = [Path(clean.location), *(path for path in Path(clean.location).rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    try:
        located = docnav("locate", "bells", "--store", clean.location, as_others=True)
        assert located.returncode == 0, located.stderr
        assert located.stderr == ""
        (tmp_path / "new.md").write_text("# On taps\n\nNew.\n")
        assert_told(docnav("index", str(tmp_path), "--store", clean.location, as_others=True), clean.location, "Permission denied")
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert run(["doctor", "--store", clean.location]) == 0
    assert "FAULT" not in capsys.readouterr().out
