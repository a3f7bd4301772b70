"""The systems that can answer a question, by name: docnav itself and the baselines, behind one protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from assets_store.errors import SettingsError
from docnav_agent.budget import Budget
from docnav_agent.controllers import controller_name

if TYPE_CHECKING:
    from assets_store.models.language_model import LanguageModel
    from docnav_agent.evidence import EvidenceItem
    from docnav_agent.search import Search

# Each module has `make_system(search: Search, options: SystemOptions) -> System`, and is imported when its system is asked for.
_MODULES = {
    "docnav": "docnav_agent.agent",
    "bm25": "docnav_agent.baselines.bm25",
    "dense": "docnav_agent.baselines.dense",
    "hybrid": "docnav_agent.baselines.hybrid",
}

MAX_OPTIONS = 26


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier turn of a conversation. speaker: `user` or `agent`."""

    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a question. label: what the answer names it by, such as `A`."""

    label: str
    text: str


Form = Literal["open", "choice", "true_false"]


@dataclass(frozen=True, slots=True)
class Question:
    """A question to a system.

    docs: names of the documents to which the search is limited (file name, stem, relative path or doc_id); empty = all.
    history: earlier turns, oldest first.
    form: how it is answered: in sentences, by one of several options, or by whether its one option is true.
    """

    id: str
    text: str
    docs: tuple[str, ...] = ()
    history: tuple[Turn, ...] = ()
    form: Form = "open"
    options: tuple[Option, ...] = ()

    def __post_init__(self) -> None:
        least, most = {"open": (0, 0), "choice": (2, MAX_OPTIONS), "true_false": (1, 1)}[self.form]
        if not least <= len(self.options) <= most:
            raise SettingsError(f"a question of the form {self.form} has {least} to {most} options, found {len(self.options)}")
        labels = [option.label for option in self.options]
        if len(set(labels)) < len(labels):
            raise SettingsError(f"the options of a question need labels that differ, found {', '.join(labels)}")

    @property
    def query(self) -> str:
        """What to search for: the question, and its options where it has any, as one clause.

        A question such as "Which of these is true?" says little of what it is about; its options do.
        """
        if not self.options:
            return self.text
        return " ".join((self.text, *(option.text for option in self.options))).replace("?", " ").replace("？", " ")


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
    without: parts switched off for an ablation, names of `docnav_agent.ablations.ABLATIONS`.
    answer: `extractive`, `llm` or None for what the settings say.
    model: the language model; None = the one that the settings name.
    """

    controller: str | None = None
    runs_dir: Path | None = None
    without: frozenset[str] = field(default_factory=frozenset)
    answer: str | None = None
    model: LanguageModel | None = None


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
