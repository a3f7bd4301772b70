"""The page docs/benchmarks.md: one part per script, replaced when the script runs again."""

from __future__ import annotations

import platform
import re
from datetime import UTC, datetime
from pathlib import Path

import psutil

PAGE = Path(__file__).resolve().parent.parent / "docs" / "benchmarks.md"
_HEAD = """# Benchmarks

Each part is written by the script that it names; run the script again to replace it. Timings depend on the machine and on what
else runs there, so read ratios inside one run, not seconds between runs.
"""


def write_part(name: str, title: str, command: str, body: str) -> None:
    """Replace one part of the page. name: stable key of the part; command: how it was made, from the project's root."""
    text = (PAGE.read_text(encoding="utf-8") if PAGE.exists() else "") or _HEAD
    part = f"<!-- part: {name} -->\n## {title}\n\nCommand: `{command}`, {machine()}\n\n{body.strip()}\n<!-- end: {name} -->\n"
    pattern = re.compile(rf"<!-- part: {re.escape(name)} -->\n.*?<!-- end: {re.escape(name)} -->\n", re.DOTALL)
    text = pattern.sub(lambda _: part, text) if pattern.search(text) else f"{text.rstrip()}\n\n{part}"
    PAGE.write_text(text, encoding="utf-8")


def machine() -> str:
    """Date and size of the machine in one phrase."""
    memory = psutil.virtual_memory().total / 2**30
    return f"{datetime.now(UTC):%Y-%m-%d}, {psutil.cpu_count()} cores, {memory:.0f} GiB, Python {platform.python_version()}"


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows])
