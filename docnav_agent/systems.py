"""The systems that can answer a question, by name: docnav itself and the baselines, behind one protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from assets_store.errors import SettingsError
from docnav_agent.budget import Budget
from docnav_agent.controllers import controller_name

if TYPE_CHECKING:
    from docnav_agent.evidence import EvidenceItem
    from docnav_agent.search import Search

# Each module has `make_system(search: Search, options: SystemOptions) -> System`, and is imported when its system is asked for.
_MODULES = {
    "docnav": "docnav_agent.agent",
    "bm25": "docnav_agent.baselines.bm25",
    "dense": "docnav_agent.baselines.dense",
    "hybrid": "docnav_agent.baselines.hybrid",
}


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier turn of a conversation. speaker: `user` or `agent`."""

    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question to a system.

    docs: names of the documents to which the search is limited (file name, stem, relative path or doc_id); empty = all.
    history: earlier turns, oldest first.
    """

    id: str
    text: str
    docs: tuple[str, ...] = ()
    history: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What a system found. evidence: best first; tokens: LLM tokens, read and written; stop_reason: why it ended."""

    evidence: Sequence[EvidenceItem]
    steps: int
    llm_calls: int
    tokens: int
    seconds: float
    stop_reason: str


@dataclass(frozen=True, slots=True)
class SystemOptions:
    """Options of a run; a system reads those that concern it.

    controller: `rules`, `llm` or None for the one that the settings name.
    runs_dir: where run folders go; None = write none.
    without: parts switched off for an ablation.
    """

    controller: str | None = None
    runs_dir: Path | None = None
    without: frozenset[str] = field(default_factory=frozenset)


class System(Protocol):
    """Collects evidence for a question. Raises UnknownDocument where `question.docs` names a document that is not there."""

    @property
    def name(self) -> str: ...

    def retrieve(self, question: Question, budget: Budget) -> Retrieval: ...


def system_names() -> list[str]:
    """Names of the systems, docnav first."""
    return list(_MODULES)


def system(name: str, search: Search, options: SystemOptions | None = None) -> System:
    """The system of that name over the graph of a search. Raises SettingsError listing the names that exist."""
    if name not in _MODULES:
        near = get_close_matches(name, _MODULES, n=1)
        hint = f" (nearest: {near[0]!r})" if near else ""
        raise SettingsError(f"unknown system {name!r}{hint}; expected one of: {', '.join(_MODULES)}")
    if options is not None and options.controller is not None:
        controller_name(options.controller)  # a wrong name is wrong use, also where the system has no controller
    made: System = import_module(_MODULES[name]).make_system(search, options or SystemOptions())
    return made
