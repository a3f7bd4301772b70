"""From a question to a checked answer: retrieval by one system, the answer step, the run folder."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assets_store.errors import SettingsError
from docnav_agent.agent import INSUFFICIENT_EVIDENCE, NOTHING_FOUND, DocnavSystem, run_header
from docnav_agent.answer import Answer, check, cite, write_answer
from docnav_agent.budget import Budget
from docnav_agent.evidence import total_tokens
from docnav_agent.run_folder import RunFolder
from docnav_agent.systems import Question, Retrieval, SystemOptions, Turn, system

if TYPE_CHECKING:
    from assets_store.store import Store
    from docnav_agent.graph import Graph
    from docnav_agent.search import Search


def ask(
    question: str,
    store: Graph | Store | str | Path | None = None,
    *,
    system: str = "docnav",
    controller: str | None = None,
    docs: Sequence[str] = (),
    history: Sequence[Turn] = (),
    budget: Budget | None = None,
    runs_dir: str | Path | None = ".retrieval_run",
    labels: Collection[str] = (),
) -> Answer:
    """Answer a question from the documents of a store, with citations.

    store: an open graph, a store or its folder; None reads DOCNAV_STORE, then ".docnav".
    docs: names to which the search is limited: file name, stem, relative path or doc_id. labels: access labels of the reader.
    runs_dir: folder of run folders; None writes none.
    Raises a DocnavError for an empty question, an unknown system, controller or document, and a store that cannot be read.
    """
    from docnav_agent.graph import Graph
    from docnav_agent.search import Search

    if not question.strip():
        raise SettingsError("the question is empty; give at least one word")
    graph = store if isinstance(store, Graph) else Graph.open(store, labels=labels)
    options = SystemOptions(controller=controller, runs_dir=None if runs_dir is None else Path(runs_dir))
    asked = Question("ask", question, tuple(docs), tuple(history))
    return answer_question(asked, Search(graph), system, options, budget or Budget())


def answer_question(question: Question, search: Search, name: str, options: SystemOptions, budget: Budget) -> Answer:
    """Run one system, write the answer from its evidence, check it and keep the run. options.runs_dir None keeps none."""
    made = system(name, search, replace(options, runs_dir=None))
    controller = made.controller if isinstance(made, DocnavSystem) else ""
    if question.docs:
        # Before a run folder is made: a name that matches nothing is an error of use, not a run.
        search.graph.resolve_documents(question.docs)
    folder = None
    if options.runs_dir is not None:
        folder = RunFolder(options.runs_dir, run_header(question, budget, search, name, controller))
    spent = budget.start()
    found = made.run(question, budget, folder).retrieval() if isinstance(made, DocnavSystem) else made.retrieve(question, budget)
    if folder is not None and not isinstance(made, DocnavSystem):
        folder.write_step(1, _whole_step(name, found), sorted(found.evidence, key=lambda item: item.evidence_id))
    draft = write_answer(question.text, found.evidence, search.query_tokens, search.encode)
    problems = check(draft, found.evidence, search.graph)
    answer = Answer(
        question=question.text,
        answer=draft.text if draft.answers else _abstention(draft.missing, bool(found.evidence)),
        citations=cite(draft, found.evidence),
        stop_reason=_reason(found.stop_reason, draft.answers, bool(found.evidence)),
        missing=draft.missing,
        answered=draft.answers and not problems,
        system=name,
        controller=controller,
        snapshot=search.graph.snapshot.id,
        run_dir=None if folder is None else str(folder.path),
        steps=found.steps,
        llm_calls=found.llm_calls,
        tokens=found.tokens,
        evidence_tokens=total_tokens(found.evidence),
        seconds=spent.seconds,
        problems=problems,
        evidence=tuple(found.evidence),
    )
    if folder is not None:
        folder.write_answer({**answer.row(), "evidence": [item.evidence_id for item in found.evidence]})
    return answer


def _reason(stop: str, answers: bool, any_evidence: bool) -> str:
    if answers:
        return stop
    return INSUFFICIENT_EVIDENCE if any_evidence else NOTHING_FOUND


def _abstention(missing: Sequence[str], any_evidence: bool) -> str:
    text = "The documents hold no sentence that answers this." if any_evidence else "Nothing was found for this question."
    return f"{text} Not found: {', '.join(missing)}." if missing else text


def _whole_step(name: str, found: Retrieval) -> dict[str, Any]:
    """The one step of a system without actions."""
    return {
        "action": {"kind": "retrieve", "system": name},
        "why": f"{name} ranks all paragraphs once and takes the best",
        "tools": ["search", "fetch_content"],
        "observation": {"status": "ok" if found.evidence else "empty", "message": f"{len(found.evidence)} paragraphs", "nodes": []},
        "new_findings": {"nodes": 0, "evidence": [item.evidence_id for item in found.evidence]},
        "note": None,
        "seconds": round(found.seconds, 6),
    }
