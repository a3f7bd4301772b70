"""`docnav outline`: one list for one source, one JSON object for several, and file names of their own."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docnav_agent.cli import run
from docnav_pipeline.commands.outline import file_name


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "guide.md").write_text(f"# The {folder} pump\n\nText.\n\n## Lid\n\nText.\n")
    return tmp_path


def test_one_source_is_a_list_and_several_are_one_object(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sources = [str(docs / folder / "guide.md") for folder in ("old", "new")]
    assert run(["outline", sources[0], "--json"]) == 0
    assert isinstance(json.loads(capsys.readouterr().out), list)
    assert run(["outline", *sources, "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)) == ["guide", "guide-2"]
    assert run(["outline", *sources, "--out", str(docs / "out")]) == 0
    assert sorted(path.name for path in (docs / "out").iterdir()) == ["guide-2.json", "guide.json"]


@given(st.lists(st.text(), min_size=1, max_size=5))
def test_file_names_stay_in_the_folder_and_never_meet(names: list[str]) -> None:
    taken: set[str] = set()
    made = [file_name(name, taken) for name in names]
    assert len(set(made)) == len(names)
    assert all(Path(name).name == name and not name.startswith(".") for name in made)


def test_a_picture_shows_every_heading_and_reads_no_title_as_mathematics(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = docs / "hard.md"
    source.write_text("# Costs\n\nText.\n\n## Up to $5 and $x^$ & 5 < 6\n\nText.\n\n## 費用\n\nText.\n")
    picture = docs / "tree.svg"
    assert run(["outline", str(source), "--picture", str(picture)]) == 0
    drawn = picture.read_text(encoding="utf-8")
    assert "Up to $5 and $x^$ &amp; 5 &lt; 6" in drawn
    assert "費用" in drawn
    assert run(["outline", str(source), "--picture", str(docs / "tree.doc")]) == 2
    assert ".svg, .png, .pdf" in capsys.readouterr().err
