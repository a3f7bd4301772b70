"""Pages for people agree with the files and commands that exist."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert missing == []


def test_readme_names_every_command_and_no_other() -> None:
    commands = set(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]["docnav.commands"])
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\| (`.+?`) \|", text.split("| command | does |", 1)[1].split("\n\n", 1)[0], flags=re.MULTILINE)
    named = {re.split(r"[ \[]", name)[0] for cell in cells for name in re.findall(r"`([^`]+)`", cell)}
    assert named == commands
    shell = "\n".join(re.findall(r"^```sh\n(.+?)^```", text, flags=re.MULTILINE | re.DOTALL))
    used = set(re.findall(r"^docnav (\w+)", shell, flags=re.MULTILINE))
    assert used
    assert used <= commands
