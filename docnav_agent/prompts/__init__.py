"""Prompts of the agent: one file per prompt, text only."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from assets_store.ids import content_hash


@cache
def read_prompt(name: str) -> str:
    """Text of a prompt by its stem."""
    return files(__name__).joinpath(f"{name}.txt").read_text(encoding="utf-8").strip()


def prompt_hashes() -> dict[str, str]:
    """Hash of each prompt by its stem: which wording a run was made with."""
    stems = sorted(entry.name.removesuffix(".txt") for entry in files(__name__).iterdir() if entry.name.endswith(".txt"))
    return {stem: content_hash(read_prompt(stem), length=12) for stem in stems}
