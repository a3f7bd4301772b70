"""From a question to a checked answer: retrieval by one system, the answer step, the run folder; whole or as it comes."""

from __future__ import annotations

import re
from collections.abc import Collection, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from assets_store.errors import SettingsError
from docnav_agent.agent import INSUFFICIENT_EVIDENCE, NOTHING_FOUND, DocnavSystem, Run, Step, run_header
from docnav_agent.answer import Answer, Draft, check, cite
from docnav_agent.budget import Budget, Spent
from docnav_agent.evidence import EvidenceItem, total_tokens
from docnav_agent.model import RunModel, configured, open_model
from docnav_agent.quoted_answer import write_answer
from docnav_agent.run_folder import RunFolder
from docnav_agent.systems import Form, Option, Question, Retrieval, System, SystemOptions, Turn, system
from docnav_agent.written_answer import write_with_model

if TYPE_CHECKING:
    from assets_store.store import Store
    from docnav_agent.graph import Graph
    from docnav_agent.search import Search

# A sentence of an answer ends with its marks.
_SENTENCE_END = re.compile(r"(?<=\])\s+(?!\[)")
ANSWERERS = ("auto", "extractive", "llm")
# Why quoted sentences stand in for an answer that was written, but says what its evidence does not.
NOT_CARRIED = "no written sentence was carried by its evidence"


@dataclass(frozen=True, slots=True)
class Event:
    """Something that a run has just done.

    kind: `step` (an action was performed), `sentence` (a checked sentence of the answer) or `answer` (the end, always last).
    """

    kind: Literal["step", "sentence", "answer"]
    step: Step | None = None
    text: str = ""
    answer: Answer | None = None


class AskOptions(TypedDict, total=False):
    """Options of `ask` and `ask_stream`.

    system, controller: who collects the evidence. docs: names to which the search is limited: file name, stem, relative path or doc_id.
    history: earlier turns. labels: access labels of the reader.
    form, choices: `choice` with two or more options, `true_false` with the one that is judged; options get the labels A, B, ...
    budget: None takes the limits of docnav.toml. runs_dir: folder of run folders, ".retrieval_run" by default; None writes none.
    answer: who writes the answer, one of ANSWERERS. without: parts switched off, names of ABLATIONS.
    """

    system: str
    controller: str | None
    docs: Sequence[str]
    history: Sequence[Turn]
    labels: Collection[str]
    form: Form
    choices: Sequence[str]
    budget: Budget | None
    runs_dir: str | Path | None
    answer: str | None
    without: Collection[str]


def ask(question: str, store: Graph | Store | str | Path | None = None, **options: Unpack[AskOptions]) -> Answer:
    """Answer a question from the documents of a store, with citations.

    store: an open graph, a store or its folder; None reads DOCNAV_STORE, then ".docnav".
    Raises a DocnavError for an empty question, an unknown system, controller or document, and a store that cannot be read.
    """
    return _last(ask_stream(question, store, **options))


def ask_stream(question: str, store: Graph | Store | str | Path | None = None, **options: Unpack[AskOptions]) -> Iterator[Event]:
    """The same as events: each step when it is done, each sentence of the answer once it is checked, the answer."""
    from docnav_agent.graph import Graph
    from docnav_agent.search import Search

    if not question.strip():
        raise SettingsError("the question is empty; give at least one word")
    graph = store if isinstance(store, Graph) else Graph.open(store, labels=options.get("labels", ()))
    runs_dir = options.get("runs_dir", ".retrieval_run")
    of_system = SystemOptions(
        controller=options.get("controller"),
        runs_dir=None if runs_dir is None else Path(runs_dir),
        without=frozenset(options.get("without", ())),
        answer=options.get("answer"),
    )
    asked = Question(
        "ask",
        question,
        tuple(options.get("docs", ())),
        tuple(options.get("history", ())),
        options.get("form", "open"),
        labelled(options.get("choices", ())),
    )
    budget = options.get("budget") or Budget.from_settings(graph.settings.agent)
    return stream_answer(asked, Search(graph), options.get("system", "docnav"), of_system, budget)


def labelled(choices: Sequence[str]) -> tuple[Option, ...]:
    """Options with the labels A, B, C, ..."""
    return tuple(Option(chr(ord("A") + number), text) for number, text in enumerate(choices))


def answer_question(
    question: Question, search: Search, name: str, options: SystemOptions, budget: Budget, made: System | None = None
) -> Answer:
    """Run one system, write the answer from its evidence, check it and keep the run. options.runs_dir None keeps none.

    made: the system, where it was made already with these options and no runs_dir.
    """
    return _last(stream_answer(question, search, name, options, budget, made))


def stream_answer(
    question: Question, search: Search, name: str, options: SystemOptions, budget: Budget, made: System | None = None
) -> Iterator[Event]:
    """The same as events. What is wrong use raises before the first one."""
    made = made or system(name, search, replace(options, runs_dir=None))
    agent = made if isinstance(made, DocnavSystem) else None
    controller = agent.controller if agent is not None else ""
    model = _model(search, options, agent)
    if question.docs:
        # Before a run folder is made: a name that matches nothing is an error of use, not a run.
        search.graph.resolve_documents(question.docs)
    folder = None
    if options.runs_dir is not None:
        header = run_header(question, budget, search, name, controller, options.without, model.name if model is not None else "")
        folder = RunFolder(options.runs_dir, agent.header(question, budget, model) if agent is not None else header)
    return _events(question, search, name, options, budget, made, model, folder)


def _events(
    question: Question,
    search: Search,
    name: str,
    options: SystemOptions,
    budget: Budget,
    made: Any,
    model: RunModel | None,
    folder: RunFolder | None,
) -> Iterator[Event]:
    spent = budget.start()
    back_offs: list[str] = []
    calls: list[dict[str, Any]] = []
    missing: tuple[str, ...] = ()
    if isinstance(made, DocnavSystem):
        run = yield from _steps(made.walk(question, spent, folder, model))
        found = run.retrieval()
        back_offs += [made.notice] if made.notice else []
        back_offs += run.back_offs
        calls += [call.row() for call in run.calls]
        missing = run.note.missing_so_far if model is not None else ()
    else:
        found = made.retrieve(question, budget)
        spent.steps, spent.llm_calls = found.steps, found.llm_calls
        spent.prompt_tokens, spent.completion_tokens, spent.cost = found.prompt_tokens, found.completion_tokens, found.cost
        if folder is not None:
            folder.write_step(1, _whole_step(name, found), sorted(found.evidence, key=lambda item: item.evidence_id))
    draft, fault = _written(question, search, options, found.evidence, model, spent)
    if fault:
        back_offs.append(f"answer: {fault}")
    if model is not None:
        calls += [call.row() for call in model.take()]
    missing = draft.missing or missing
    problems = check(draft, found.evidence, search.graph)
    answer = Answer(
        question=question.text,
        answer=draft.text if draft.answers else _abstention(missing, bool(found.evidence)),
        citations=cite(draft, found.evidence) if draft.answers else (),
        stop_reason=_reason(found.stop_reason, draft.answers, bool(found.evidence)),
        missing=missing,
        answered=draft.answers and not problems,
        system=name,
        controller=made.controller if isinstance(made, DocnavSystem) else "",
        snapshot=search.graph.snapshot.id,
        run_dir=None if folder is None else str(folder.path),
        steps=found.steps,
        llm_calls=spent.llm_calls,
        tokens=spent.llm_tokens,
        evidence_tokens=total_tokens(found.evidence),
        seconds=spent.seconds,
        problems=problems,
        evidence=tuple(found.evidence),
        answer_by=draft.by,
        choice=draft.choice,
        verdict=draft.verdict,
        unsupported=draft.unsupported,
        back_offs=tuple(back_offs),
        prompt_tokens=spent.prompt_tokens,
        completion_tokens=spent.completion_tokens,
        cost=round(spent.cost, 9),
    )
    if folder is not None:
        folder.write_answer({**answer.row(), "evidence": [item.evidence_id for item in found.evidence], "calls": calls})
    if answer.answered:
        for sentence in _SENTENCE_END.split(answer.answer):
            yield Event("sentence", text=sentence)
    yield Event("answer", answer=answer)


def _steps(walk: Generator[Step, None, Run]) -> Generator[Event, None, Run]:
    while True:
        try:
            step = next(walk)
        except StopIteration as end:
            run: Run = end.value
            return run
        yield Event("step", step=step)


def _last(events: Iterator[Event]) -> Answer:
    answer = None
    for event in events:
        answer = event.answer
    assert answer is not None
    return answer


def _model(search: Search, options: SystemOptions, agent: DocnavSystem | None) -> RunModel | None:
    """The model of a run; None where neither controller nor answer needs one. Raises SettingsError for a wrong answerer."""
    settings = search.graph.settings
    wanted = options.answer or settings.agent.answer
    if wanted not in ANSWERERS:
        raise SettingsError(f"unknown answerer {wanted!r}; expected one of: {', '.join(ANSWERERS)}")
    if agent is not None and (model := agent.run_model()) is not None:
        return model
    if wanted != "llm":
        return None
    if options.model is None and not configured(settings):
        raise SettingsError("an answer by a language model needs llm.base_url and llm.model in docnav.toml")
    return RunModel(options.model or open_model(settings), settings.llm)


def _written(
    question: Question, search: Search, options: SystemOptions, evidence: Sequence[EvidenceItem], model: RunModel | None, spent: Spent
) -> tuple[Draft, str]:
    """The draft, and why it is no written one where that was wanted; a written draft that abstains stays one."""
    settings = search.graph.settings
    fault = ""
    written = None
    if model is not None and (options.answer or settings.agent.answer) != "extractive" and evidence:
        written = write_with_model(
            question,
            evidence,
            model,
            spent,
            limit=settings.agent.answer_tokens,
            seconds=settings.llm.timeout_s,
            tokenize=search.query_tokens,
            encode=search.encode,
            mark_unsupported=settings.agent.unsupported == "mark",
        )
        if written.draft is not None and (written.draft.answers or not written.draft.unsupported):
            return written.draft, ""
        fault = written.fault or NOT_CARRIED
        fault = " ".join(f"quoted sentences stand in for a written answer: {fault}".split())
    quoted = write_answer(question.text, evidence, search.query_tokens, search.encode)
    if written is not None and written.draft is not None:
        quoted = replace(quoted, unsupported=written.draft.unsupported)
    return quoted, fault


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
        "controller": "",
        "action": {"kind": "retrieve", "system": name},
        "why": f"{name} ranks all paragraphs once and takes the best",
        "tools": ["search", "fetch_content"],
        "observation": {"status": "ok" if found.evidence else "empty", "message": f"{len(found.evidence)} paragraphs", "nodes": []},
        "new_findings": {"nodes": 0, "evidence": [item.evidence_id for item in found.evidence]},
        "note": None,
        "seconds": round(found.seconds, 6),
        "calls": [],
    }
