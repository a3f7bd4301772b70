"""Controllers by name. Each module is imported when its controller is asked for."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING

from assets_store.errors import SettingsError

if TYPE_CHECKING:
    from docnav_agent.controllers.base import Controller
    from docnav_agent.model import RunModel
    from docnav_agent.search import Search

_MODULES = {
    "rules": "docnav_agent.controllers.rules",
    "llm": "docnav_agent.controllers.llm",
    # The control without decisions; an ablation chooses it.
    "fixed": "docnav_agent.controllers.fixed",
}

DEFAULT = "rules"


def controller_names() -> list[str]:
    """Names of the controllers that exist."""
    return list(_MODULES)


def controller_name(wanted: str | None, has_model: bool = False) -> str:
    """The controller that a flag or setting means; `auto` and None mean `llm` where there is a model, and `rules` otherwise.

    Raises SettingsError listing those that exist.
    """
    if wanted is None or wanted == "auto":
        return "llm" if has_model else DEFAULT
    if wanted not in _MODULES:
        near = get_close_matches(wanted, _MODULES, n=1)
        hint = f" (nearest: {near[0]!r})" if near else ""
        raise SettingsError(f"unknown controller {wanted!r}{hint}; expected one of: {', '.join(_MODULES)}")
    return wanted


def controller(name: str | None, search: Search, model: RunModel | None = None, without: Collection[str] = frozenset()) -> Controller:
    """A new controller for one run over the graph of a search. model: for `llm`. without: names of ABLATIONS."""
    known = controller_name(name)
    module = import_module(_MODULES[known])
    made: Controller
    if known == "llm":
        if model is None:
            raise SettingsError("the controller llm needs a language model; set llm.base_url and llm.model in docnav.toml")
        made = module.make_controller(search, model, search.graph.settings.agent, without)
    else:
        made = module.make_controller(search)
    return made
