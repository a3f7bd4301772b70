"""Whatever was added, edited, renamed and deleted before: the tables are those of one clean build of what is there now."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from assets_store.store import Store
from docnav_agent.cli import run
from tests.pipeline.fast import FAST

WORDS = ["pump", "valve", "sensor", "zone", "filter", "schedule", "moisture", "tank", "float", "bell", "hose", "lid", "screw"]


def document(random_: random.Random, names: list[str]) -> str:
    """A Markdown document of one to four sections, perhaps with a link to another and a name that several share."""
    lines = [f"# On {random_.choice(WORDS)} {random_.randint(1, 99)}\n"]
    for section in range(random_.randint(1, 4)):
        words = " ".join(random_.choices(WORDS, k=random_.randint(20, 400)))
        lines.append(f"## {section + 1} {random_.choice(WORDS)}\n\n{words.capitalize()}. Part KX-{random_.randint(100, 103)} is meant.\n")
    if names:
        lines.append(f"See [another]({random_.choice(names)}) and section 1.\n")
    return "\n".join(lines)


def change(random_: random.Random, docs: Path) -> str:
    """One random change of a folder; what was done."""
    names = sorted(path.name for path in docs.glob("*.md"))
    what = random_.choice(["add", "add", "edit", "rename", "delete"]) if names else "add"
    if what == "add":
        (docs / f"{random_.randint(0, 10**6)}.md").write_text(document(random_, names))
        return what
    path = docs / random_.choice(names)
    if what == "edit":
        path.write_text(path.read_text().replace(random_.choice(WORDS), random_.choice(WORDS)) + "\nOne more line.\n")
    elif what == "rename":
        path.rename(docs / f"{random_.randint(0, 10**6)}.md")
    else:
        path.unlink()
    return what


@pytest.mark.parametrize("seed", [1])
def test_any_history_ends_in_the_tables_of_a_clean_build(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {**FAST, "DOCNAV_SHARDS": "3"}.items():
        monkeypatch.setenv(name, value)
    random_ = random.Random(seed)
    docs, grown, clean = tmp_path / "docs", str(tmp_path / "grown"), str(tmp_path / "clean")
    docs.mkdir()
    for _ in range(4):
        for _ in range(random_.randint(1, 4)):
            change(random_, docs)
        if any(docs.iterdir()):
            assert run(["index", str(docs), "--store", grown, "--json"]) == 0
    assert run(["index", str(docs), "--store", clean, "--json"]) == 0
    one, other = Store.open(grown).snapshot(), Store.open(clean).snapshot()
    for table in one.manifest["tables"]:
        assert one.read(table).equals(other.read(table)), f"seed {seed}: table {table} depends on its history"
    files = {name: sorted(p.relative_to(s.folder("index")) for p in s.folder("index").rglob("*")) for name, s in (("a", one), ("b", other))}
    assert files["a"] == files["b"]
    for file in files["a"]:
        left, right = one.folder("index") / file, other.folder("index") / file
        assert left.is_dir() or file.name == "search.json" or left.read_bytes() == right.read_bytes(), f"{file} depends on its history"
    shutil.rmtree(tmp_path / "grown")
