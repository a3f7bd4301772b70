"""Controllers by name. Each module is imported when its controller is asked for."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING

from assets_store.errors import SettingsError

if TYPE_CHECKING:
    from docnav_agent.controllers.base import Controller
    from docnav_agent.search import Search

# Each module has `make_controller(search: Search) -> Controller`.
_MODULES = {"rules": "docnav_agent.controllers.rules"}

DEFAULT = "rules"


def controller_names() -> list[str]:
    """Names of the controllers that exist."""
    return list(_MODULES)


def controller_name(wanted: str | None) -> str:
    """The controller that a flag or setting means; `auto` and None mean `rules`. Raises SettingsError listing those that exist."""
    if wanted is None or wanted == "auto":
        return DEFAULT
    if wanted not in _MODULES:
        near = get_close_matches(wanted, _MODULES, n=1)
        hint = f" (nearest: {near[0]!r})" if near else ""
        raise SettingsError(f"unknown controller {wanted!r}{hint}; expected one of: {', '.join(_MODULES)}")
    return wanted


def controller(name: str | None, search: Search) -> Controller:
    """A new controller for one run over the graph of a search."""
    made: Controller = import_module(_MODULES[controller_name(name)]).make_controller(search)
    return made
