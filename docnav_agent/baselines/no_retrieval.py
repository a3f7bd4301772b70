"""No retrieval: nothing is fetched, and a language model answers from what it knows; the floor for every answer."""

from __future__ import annotations

from docnav_agent.budget import Budget
from docnav_agent.search import Search
from docnav_agent.systems import NoParameters, Question, Retrieval, System, SystemOptions, read_parameters

NO_RETRIEVAL = "no_retrieval"


class NoRetrieval:
    """closed_book: an evaluation that asks for answers may ask a language model without evidence; `ask` abstains."""

    name = "no-retrieval"
    closed_book = True

    def retrieve(self, question: Question, budget: Budget) -> Retrieval:
        return Retrieval((), steps=0, llm_calls=0, tokens=0, seconds=budget.start().seconds, stop_reason=NO_RETRIEVAL)


def make_system(search: Search, options: SystemOptions) -> System:
    """The floor; it has no parameters."""
    read_parameters(NoRetrieval.name, NoParameters, options)
    return NoRetrieval()
