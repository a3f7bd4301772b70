"""Parts of the agent that can be switched off, by name, to measure what each is worth. Applied where actions are performed."""

from __future__ import annotations

import re
from collections.abc import Collection
from difflib import get_close_matches

from assets_store.errors import SettingsError
from docnav_agent.actions import Expand, Fetch, Locate, Navigate

# Switch → what a run goes without.
ABLATIONS = {
    "HS": "hierarchical search: LOCATE finds paragraphs only, and never inside a scope",
    "SN": "structural navigation: no NAVIGATE",
    "LN": "lateral navigation: no EXPAND",
    "SC": "state control: a fixed sequence of moves instead of decisions",
    "EF": "evidence fetching: no FETCH, the snippets of search hits are the evidence",
    "NOTE": "the note: the controller `llm` sees question, last result and nodes only",
}


def parse_ablations(text: str) -> frozenset[str]:
    """Switches of a text such as "HS, LN", in either case. Raises SettingsError listing those that exist."""
    names = [name.upper() for name in re.split(r"[,\s]+", text) if name]
    for name in names:
        if name not in ABLATIONS:
            near = get_close_matches(name, ABLATIONS, n=1)
            hint = f" (nearest: {near[0]!r})" if near else ""
            raise SettingsError(f"unknown ablation {name!r}{hint}; expected some of: {', '.join(ABLATIONS)}")
    return frozenset(names)


def refusal(action: Locate | Navigate | Expand | Fetch, without: Collection[str]) -> str:
    """Why an action cannot be done in a run without some parts; empty where it can."""
    if isinstance(action, Navigate) and "SN" in without:
        return "NAVIGATE is switched off (SN)"
    if isinstance(action, Expand) and "LN" in without:
        return "EXPAND is switched off (LN)"
    if isinstance(action, Fetch) and "EF" in without:
        return "FETCH is switched off (EF)"
    if isinstance(action, Locate) and "HS" in without and (action.level != "paragraph" or action.scope):
        return "LOCATE finds paragraphs of everything only (HS)"
    return ""
