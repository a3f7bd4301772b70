"""Whatever was added, edited, renamed, moved, deleted, broken and mended before: the tables are those of one clean build."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from assets_store.settings import load_settings
from assets_store.store import Store
from docnav_agent.cli import run
from docnav_pipeline.checks import FINDERS
from tests.pipeline.direct import index_directly
from tests.pipeline.equality import assert_equal_indexes, assert_equal_tables
from tests.pipeline.fast import FAST

WORDS = ["pump", "valve", "sensor", "zone", "filter", "schedule", "moisture", "tank", "float", "bell", "hose", "lid", "screw"]
BASES = ("default", "other")
ROUNDS = 5
# One for every run; `EQUALITY_SEEDS=2,3,4` for more by hand when a kind of change or a stage is added.
SEEDS = [int(seed) for seed in os.environ.get("EQUALITY_SEEDS", "1").split(",")]


class History:
    """Two folders, one knowledge base each, and random changes of them. done: what was changed, in order."""

    def __init__(self, seed: int, root: Path) -> None:
        self.random = random.Random(seed)
        self.folders = {kb: root / kb for kb in BASES}
        for folder in self.folders.values():
            folder.mkdir(parents=True)
        self.done: list[str] = []

    def change(self) -> None:
        kinds: dict[str, Callable[[], None]] = {
            "add": self._add, "edit": self._edit, "rename": self._rename, "delete": self._delete, "move": self._move,
            "copy": self._copy, "break": self._break, "mend": self._mend, "row": self._row,
        }  # fmt: skip
        name = self.random.choice(["add", *kinds]) if self._files() else "add"
        kinds[name]()
        self.done.append(name)

    def _files(self, pattern: str = "*.md") -> list[Path]:
        return sorted(path for folder in self.folders.values() for path in folder.glob(pattern))

    def _new(self, suffix: str = ".md", folder: Path | None = None) -> Path:
        return (folder or self.folders[self.random.choice(BASES)]) / f"{self.random.randint(0, 10**6)}{suffix}"

    def _text(self) -> str:
        """A Markdown document of one to four sections, perhaps with a link to another and a name that several share."""
        lines = [f"# On {self.random.choice(WORDS)} {self.random.randint(1, 99)}\n"]
        for section in range(self.random.randint(1, 4)):
            words = " ".join(self.random.choices(WORDS, k=self.random.randint(20, 400)))
            part = f"Part KX-{self.random.randint(100, 103)} is meant."
            lines.append(f"## {section + 1} {self.random.choice(WORDS)}\n\n{words.capitalize()}. {part}\n")
        if names := [path.name for path in self._files()]:
            lines.append(f"See [another]({self.random.choice(names)}) and section 1.\n")
        return "\n".join(lines)

    def _add(self) -> None:
        self._new().write_text(self._text())

    def _edit(self) -> None:
        path = self.random.choice(self._files())
        path.write_text(path.read_text().replace(self.random.choice(WORDS), self.random.choice(WORDS)) + "\nOne more line.\n")

    def _rename(self) -> None:
        path = self.random.choice(self._files())
        path.rename(self._new(folder=path.parent))

    def _delete(self) -> None:
        self.random.choice(self._files()).unlink()

    def _move(self) -> None:
        """To the other knowledge base, under the same name."""
        path = self.random.choice(self._files())
        (other,) = [folder for folder in self.folders.values() if folder != path.parent]
        path.rename(other / path.name)

    def _copy(self) -> None:
        """The same bytes twice."""
        shutil.copyfile(self.random.choice(self._files()), self._new())

    def _break(self) -> None:
        """A document that fails: its file of overrides is wrong, or it is no document at all."""
        if self.random.random() < 0.5:
            path = self.random.choice(self._files())
            path.with_name(path.name + ".docnav.toml").write_text("levels = [\n")
        else:
            self._new(".pdf").write_bytes(b"%PDF-1.7\nnothing of a document")

    def _mend(self) -> None:
        for path in self._files("*.docnav.toml"):
            path.unlink()
        for path in self._files("*.pdf"):
            path.unlink()

    def _row(self) -> None:
        with (self.folders[BASES[0]] / "rows.jsonl").open("a") as stream:
            stream.write(f'{{"id": "R{self.random.randint(0, 10**6)}", "text": "The {self.random.choice(WORDS)} ran dry."}}\n')


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_any_history_ends_in_the_tables_of_a_clean_build(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {**FAST, "DOCNAV_SHARDS": "3"}.items():
        monkeypatch.setenv(name, value)
    history = History(seed, tmp_path / "docs")
    grown, clean = (Store.create(tmp_path / name, load_settings()) for name in ("grown", "clean"))

    def index(store: Store, stop_after: int | None = None) -> None:
        for kb, folder in history.folders.items():
            index_directly(store, folder, kb=kb, stop_after=stop_after)

    for number in range(ROUNDS):
        for _ in range(history.random.randint(1, 5)):
            history.change()
        if number % 3 == 1:  # settings change, and back before the end
            monkeypatch.setenv("DOCNAV_PARAGRAPHS__MAX_TOKENS", "300")
            history.done.append("settings")
        else:
            monkeypatch.delenv("DOCNAV_PARAGRAPHS__MAX_TOKENS", raising=False)
        if number % 2:  # a run that is ended between two stages; the corpus may change before the next
            index(Store.open(grown.location), stop_after=history.random.randint(0, 11))
            history.done.append("interrupted")
        else:
            index(Store.open(grown.location))
    for kb, folder in history.folders.items():  # the last run is the command itself
        assert run(["index", str(folder), "--kb", kb, "--store", grown.location, "--json"]) in (0, 1)
    index(clean)
    one, other = Store.open(grown.location).snapshot(), clean.snapshot()
    said = f"seed {seed}, {' '.join(history.done)}: "
    assert_equal_tables(one, other, said)
    assert_equal_indexes(one, other, said)
    opened = Store.open(grown.location)
    assert {name: find(opened) for name, (_, find) in FINDERS.items()} == {name: [] for name in FINDERS}, said
