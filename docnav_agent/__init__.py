"""Answers questions over a document graph: `from docnav_agent import Graph, ask`. Importing this loads nothing heavy."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from docnav_agent.answer import Answer as Answer
    from docnav_agent.answering import ask as ask
    from docnav_agent.answering import ask_stream as ask_stream
    from docnav_agent.budget import Budget as Budget
    from docnav_agent.graph import Graph as Graph
    from docnav_agent.search import Search as Search

_HOMES = {
    "Answer": "docnav_agent.answer",
    "Budget": "docnav_agent.budget",
    "Graph": "docnav_agent.graph",
    "Search": "docnav_agent.search",
    "ask": "docnav_agent.answering",
    "ask_stream": "docnav_agent.answering",
}

__all__ = ["Answer", "Budget", "Graph", "Search", "ask", "ask_stream"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
