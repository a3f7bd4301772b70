"""What a measure that a question names is computed from: its page has the parts and often not the name."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from docnav_agent.controllers.named import plain


@dataclass(frozen=True, slots=True)
class Measure:
    """name: as a question says it. parts: the items of statements that it is computed from."""

    name: str
    parts: str


def measures_in(question: str) -> list[Measure]:
    """Measures that a question names as whole words, one for each list of parts, longest name first."""
    text = plain(question)
    found: dict[str, Measure] = {}
    for name, known in _known():
        if name in text:
            found.setdefault(known.parts, known)
    return list(found.values())


@cache
def _known() -> Sequence[tuple[str, Measure]]:
    """Every name, as it is compared, with its measure; longest first."""
    entries = tomllib.loads(resources.files("docnav_agent").joinpath("measures.toml").read_text(encoding="utf-8"))["measure"]
    pairs = [(plain(name), Measure(name, entry["parts"])) for entry in entries for name in entry["names"]]
    return sorted(pairs, key=lambda pair: (-len(pair[0]), pair[0]))
