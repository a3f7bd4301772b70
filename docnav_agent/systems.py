"""The systems that can answer a question, by name: docnav itself and the baselines, behind one protocol."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel, ConfigDict, ValidationError

from assets_store.errors import SettingsError
from docnav_agent.budget import Budget
from docnav_agent.controllers import controller_name

if TYPE_CHECKING:
    from assets_store.models.language_model import LanguageModel
    from docnav_agent.evaluation.case import Gold
    from docnav_agent.evidence import EvidenceItem
    from docnav_agent.search import Search

# Every module of this package is a system, named by its file; what several of them share lies in its package `parts`.
_BASELINES = "docnav_agent.baselines"
P = TypeVar("P", bound=BaseModel)

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
    """What a system found. evidence: best first; tokens: LLM tokens, read and written; stop_reason: why it ended.

    prompt_tokens, completion_tokens: the two parts of `tokens`. cost: money by the prices of the settings.
    """

    evidence: Sequence[EvidenceItem]
    steps: int
    llm_calls: int
    tokens: int
    seconds: float
    stop_reason: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class SystemOptions:
    """Options of a run; a system reads those that concern it.

    controller: `rules`, `llm` or None for the one that the settings name.
    runs_dir: where run folders go; None = write none.
    without: parts switched off for an ablation, names of `docnav_agent.ablations.ABLATIONS`.
    answer: `extractive`, `llm` or None for what the settings say.
    model: the language model; None = the one that the settings name.
    parameters: of the system itself, by name; each system has a form for them and refuses others.
    gold: gold evidence by id of the question, for the system that is told it. cache_dir: where a system keeps an index of its own.
    """

    controller: str | None = None
    runs_dir: Path | None = None
    without: frozenset[str] = field(default_factory=frozenset)
    answer: str | None = None
    model: LanguageModel | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    gold: Mapping[str, Sequence[Gold]] = field(default_factory=dict)
    cache_dir: Path | None = None


class System(Protocol):
    """Collects evidence for a question. Raises UnknownDocument where `question.docs` names a document that is not there."""

    @property
    def name(self) -> str: ...

    def retrieve(self, question: Question, budget: Budget) -> Retrieval: ...


class NoParameters(BaseModel):
    """The form of a system without parameters of its own."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@runtime_checkable
class Prepares(Protocol):
    """A system that makes an index of its own before its first question."""

    def prepare(self) -> None: ...


@runtime_checkable
class Notices(Protocol):
    """A system with something to say of how it runs; empty for nothing."""

    @property
    def notice(self) -> str: ...


@cache
def _modules() -> dict[str, str]:
    """System → its module, which has `make_system(search: Search, options: SystemOptions) -> System`, and is imported when asked for."""
    package = find_spec(_BASELINES)
    found = pkgutil.iter_modules(package.submodule_search_locations if package else None)
    baselines = {module.name.replace("_", "-"): f"{_BASELINES}.{module.name}" for module in found if not module.ispkg}
    return {"docnav": "docnav_agent.agent", **dict(sorted(baselines.items()))}


def system_names() -> list[str]:
    """Names of the systems, docnav first."""
    return list(_modules())


def system(name: str, search: Search, options: SystemOptions | None = None) -> System:
    """The system of that name over the graph of a search. Raises SettingsError listing the names that exist."""
    modules = _modules()
    if name not in modules:
        near = get_close_matches(name, modules, n=1)
        hint = f" (nearest: {near[0]!r})" if near else ""
        raise SettingsError(f"unknown system {name!r}{hint}; expected one of: {', '.join(modules)}")
    if options is not None and options.controller is not None:
        controller_name(options.controller)  # a wrong name is wrong use, also where the system has no controller
    made: System = import_module(modules[name]).make_system(search, options or SystemOptions())
    return made


def read_parameters(name: str, form: type[P], options: SystemOptions) -> P:
    """The parameters of a system, checked. Raises SettingsError naming what is unknown or out of range."""
    try:
        return form.model_validate(dict(options.parameters))
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}, found {e.get('input')!r}" for e in error.errors())
        raise SettingsError(
            f"parameters of the system {name}: {faults}; expected some of: {', '.join(form.model_fields) or 'none'}"
        ) from error
