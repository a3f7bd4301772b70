"""Prompts of the evaluation: one file per prompt, text only."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def read_prompt(name: str) -> str:
    """Text of a prompt by its stem."""
    return files(__name__).joinpath(f"{name}.txt").read_text(encoding="utf-8").strip()
