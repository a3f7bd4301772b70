"""BM25 over paragraphs."""

from __future__ import annotations

from docnav_agent.baselines.parts.retriever import Retriever, rank_by_search
from docnav_agent.search import Search
from docnav_agent.systems import NoParameters, System, SystemOptions, read_parameters


def make_system(search: Search, options: SystemOptions) -> System:
    """The baseline over a search; it has no parameters."""
    read_parameters("bm25", NoParameters, options)
    return Retriever("bm25", rank_by_search(search, "bm25"), search)
