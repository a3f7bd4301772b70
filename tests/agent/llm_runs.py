"""Runs against a scripted endpoint: a real HTTP server on loopback, which says what a test scripts for each purpose."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from assets_store.settings import AgentSettings, LanguageModelSettings, Settings
from assets_store.store import Store
from docnav_agent.graph import Graph
from docnav_agent.prompts import read_prompt
from docnav_agent.search import Search
from tests.factories import HashingEncoder, MadeDocument, make_store

Said = dict[str, Any] | str | int
Reply = Said | Callable[[str], Said]
Script = Callable[[dict[str, Any]], str | int]

PURPOSES = {"navigate": "step", "sufficiency": "check", "answer_open": "answer", "answer_choice": "answer", "answer_true_false": "answer"}
ENOUGH = {"because": "it is there", "enough": "yes", "missing": []}

LEASE = MadeDocument("lease.md", "# Notice\n\nThe notice period is 30 days.\n\n# Rent\n\nThe rent is 900 euro a month.")
PUMP = MadeDocument("pump.md", "# Cleaning\n\nRinse the pump with water every week.\n\n# Safety\n\nSwitch the pump off first.")
SECRET = MadeDocument("secret.md", "# Notice\n\nThe hidden notice period is 99 days.", labels=("board",))


# Stores by their documents: making one takes longer than most tests here, and none of them writes to it.
_STORES: dict[tuple[MadeDocument, ...], Store] = {}


def purpose_of(request: dict[str, Any]) -> str:
    """Which call of the agent a request is."""
    said = request["messages"][0]["content"]
    return next(purpose for stem, purpose in PURPOSES.items() if said == read_prompt(stem))


def data_of(request: dict[str, Any]) -> str:
    """The changing part of a request."""
    return str(request["messages"][1]["content"])


def names_in(data: str, words: str = "") -> list[str]:
    """Names of the nodes on the menu, those whose line holds some words."""
    return [match[1] for match in re.finditer(r"^(n\d+) (.*)$", data, flags=re.MULTILINE) if words in match[2]]


def evidence_in(data: str, words: str = "") -> list[str]:
    """Ids of the passages of an answer's prompt, those that hold some words."""
    return [match[1] for match in re.finditer(r"^\[(E\d+)\] (.*)$", data, flags=re.MULTILINE) if words in match[2]]


def step(action: str, targets: Sequence[str] = (), **more: Any) -> dict[str, Any]:
    """A reply to a step."""
    return {
        "found": "", "missing": ["the answer"], "keep": [], "why": "as scripted", "action": action, "targets": list(targets),
        "query": "", "how": "all", **more,
    }  # fmt: skip


def statement(text: str, *evidence: str) -> dict[str, Any]:
    return {"text": text, "evidence": list(evidence)}


def script(replies: Mapping[str, Sequence[Reply]]) -> Script:
    """Replies in order by purpose, the last one again and again. A reply may be made from the data of its request."""
    left = {purpose: list(given) for purpose, given in replies.items()}

    def say(request: dict[str, Any]) -> str | int:
        given = left[purpose_of(request)]
        reply = given.pop(0) if len(given) > 1 else given[0]
        said = reply(data_of(request)) if callable(reply) else reply
        return json.dumps(said) if isinstance(said, dict) else said

    return say


def fetch_all(data: str) -> dict[str, Any]:
    """A step that fetches the first nodes of the menu."""
    return step("fetch", names_in(data)[:4])


def open_search(
    folder: Path,
    base_url: str,
    documents: Sequence[MadeDocument] = (LEASE, PUMP),
    labels: Sequence[str] = (),
    llm: Mapping[str, Any] | None = None,
    **agent: Any,
) -> Search:
    """Search over made-up documents with a model at an endpoint. llm, agent: settings of these sections."""
    values = {"timeout_s": 5.0, "max_retries": 0, **(llm or {})}
    settings = Settings(shards=2, llm=LanguageModelSettings(base_url=base_url, model="made-up", **values), agent=AgentSettings(**agent))
    key = tuple(documents)
    if key not in _STORES:
        _STORES[key] = make_store(folder / "store", documents)
    store = _STORES[key]
    return Search(Graph(store.snapshot(), settings, labels), HashingEncoder())
