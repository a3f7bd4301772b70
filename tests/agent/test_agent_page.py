"""docs/agent.md and docs/run-folder.md agree with the code."""

from __future__ import annotations

import re
from pathlib import Path

from docnav_agent.ablations import ABLATIONS
from docnav_agent.agent import STOP_REASONS
from docnav_agent.controllers import controller_names
from docnav_agent.controllers.reply import StepReply

DOCS = Path(__file__).parents[2] / "docs"


def section(page: str, title: str) -> str:
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.split(r"^#+ ", text.split(f"# {title}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]


def names(text: str) -> set[str]:
    """Names in backquotes in the first column of a table."""
    cells = re.findall(r"^\| (`.+?`) \|", text, flags=re.MULTILINE)
    return {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def test_the_page_names_every_stop_reason_controller_and_ablation() -> None:
    assert names(section("agent.md", "Stop reasons")) == STOP_REASONS
    assert names(section("agent.md", "Controllers")) == set(controller_names())
    assert names(section("agent.md", "Ablations")) == set(ABLATIONS)


def test_the_page_and_the_skill_name_every_field_of_a_reply() -> None:
    page = (DOCS / "agent.md").read_text(encoding="utf-8")
    skill = (DOCS.parent / "docnav_agent" / "prompts" / "navigate.txt").read_text(encoding="utf-8")
    assert all(f"`{name}`" in page and f'"{name}"' in skill for name in StepReply.model_fields)
