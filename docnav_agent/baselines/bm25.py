"""BM25 over paragraphs."""

from __future__ import annotations

from docnav_agent.baselines.retriever import Retriever
from docnav_agent.search import Search
from docnav_agent.systems import System, SystemOptions


def make_system(search: Search, options: SystemOptions) -> System:
    """The baseline over a search; no option concerns it."""
    return Retriever("bm25", "bm25", search)
