"""The controller `llm` with a small local model, beside bm25 with the same answer prompt: 28 questions, run to the end.

usage: python -m benchmarks.agent SHARED WORK [SYSTEM ...]

SHARED holds `tools/unpack_data.py` and `data/qa`; WORK is a folder for the model, stores, run folders and results. The first ten
questions of emanualqa and covid-qa, and the eight short ones of longbench-v2-userguide with their options. Questions that carry `docs`
are asked with them, and those of longbench-v2-userguide with their document. Each result is written when it is there; a run that was
stopped goes on where it was. With DOCNAV_LLM__BASE_URL and DOCNAV_LLM__MODEL set, that model is used.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.local_model import NAME, serving
from benchmarks.page import table, write_part
from docnav_agent.answer import MARK, Answer
from docnav_agent.answering import answer_question
from docnav_agent.budget import Budget
from docnav_agent.graph import Graph
from docnav_agent.run_folder import read_run
from docnav_agent.search import Search
from docnav_agent.systems import Option, Question, SystemOptions

SETS = {"emanualqa": 10, "covid-qa": 10, "longbench-v2-userguide": 8}
SYSTEMS = ("docnav", "bm25")
DOCNAV = str(Path(sys.executable).with_name("docnav"))
# A small model on two cores reads about 75 tokens a second; the limits are on steps and tokens, not on this machine's speed.
MAX_SECONDS = 1800.0
# One slot for each kind of prompt: steps, checks, answers.
SLOTS = 3
SLOT_TOKENS = 5120
MODEL_SETTINGS = {
    "DOCNAV_LLM__TIMEOUT_S": "600",
    "DOCNAV_LLM__MAX_OUTPUT_TOKENS": "500",
    "DOCNAV_LLM__MAX_RETRIES": "1",
}


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    shared, work, systems = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3:] or list(SYSTEMS)
    unpack = [sys.executable, str(shared / "tools/unpack_data.py"), str(work / "qa"), *SETS]
    subprocess.run(unpack, check=True, stdout=subprocess.DEVNULL)
    results = work / "agent" / "results.jsonl"
    results.parent.mkdir(parents=True, exist_ok=True)
    with model(work):
        for name in SETS:
            search = Search(Graph.open(indexed(work, name)))
            for system in systems:
                ask_all(name, search, system, work, results)
    rows = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if row["system"] in systems and row["model"] == os.environ["DOCNAV_LLM__MODEL"]]
    body = summary(rows, systems)
    write_part("agent", "The agent with a small language model", f"python -m benchmarks.agent {sys.argv[1]} WORK", body)
    print(body)
    return 0


@contextmanager
def model(work: Path) -> Iterator[None]:
    """The model of the environment, or the packaged one on loopback."""
    for name, value in MODEL_SETTINGS.items():
        os.environ.setdefault(name, value)
    if os.environ.get("DOCNAV_LLM__BASE_URL"):
        yield
        return
    with serving(work / "model", SLOTS, SLOT_TOKENS) as base_url:
        os.environ |= {"DOCNAV_LLM__BASE_URL": base_url, "DOCNAV_LLM__MODEL": NAME}
        yield


def indexed(work: Path, name: str) -> Path:
    """The store of a set."""
    store = work / "stores" / name
    done = subprocess.run([DOCNAV, "index", str(work / "qa" / name / "documents"), "--store", str(store)], check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"indexing {name} ended with exit status {done.returncode}")
    return store


def questions(work: Path, name: str) -> list[tuple[Question, dict[str, Any]]]:
    """The questions of a set with their lines."""
    lines = [json.loads(line) for line in (work / "qa" / name / "questions_dev.jsonl").read_text(encoding="utf-8").splitlines()]
    if name.startswith("longbench"):
        lines = [line for line in lines if line["length"] == "short"]
    return [(_question(line, name), line) for line in lines[: SETS[name]]]


def _question(line: dict[str, Any], name: str) -> Question:
    docs = line.get("docs") or ([evidence["doc"] for evidence in line["gold_evidence"]] if name.startswith("longbench") else [])
    options = tuple(Option(label, text) for label, text in (line.get("choices") or {}).items())
    return Question(line["id"], line["question"], tuple(dict.fromkeys(docs)), form="choice" if options else "open", options=options)


def ask_all(name: str, search: Search, system: str, work: Path, results: Path) -> None:
    """Ask what has no result yet, and write each as it comes."""
    known = set()
    if results.exists():
        known = {(row["set"], row["id"], row["system"], row["model"]) for row in map(json.loads, results.read_text().splitlines())}
    llm = os.environ["DOCNAV_LLM__MODEL"]
    for question, line in questions(work, name):
        if (name, question.id, system, llm) in known:
            continue
        options = SystemOptions(controller="llm", runs_dir=work / "agent" / "runs", answer="llm")
        budget = Budget.from_settings(search.graph.settings.agent, max_seconds=MAX_SECONDS)
        answer = answer_question(question, search, system, options, budget)
        row = {"set": name, "id": question.id, "system": system, "model": llm, **measured(answer), **scored(answer, line)}
        with results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
        print(f"{name} {question.id} {system}: {row['stop_reason']}, {row['llm_calls']} calls, {row['seconds']:.0f} s", flush=True)


def measured(answer: Answer) -> dict[str, Any]:
    """What the run folder says of the steps, the calls and the citations."""
    run = read_run(answer.run_dir or "")
    calls = [call for part in (*run.steps, run.answer) for call in part.get("calls", [])]
    of_steps = [call for call in calls if call["purpose"] == "step"]
    # A reply of the right form with a target that was never shown is no valid step either.
    wrong = sum(step["action"]["kind"] == "none" and not any(call["fault"] for call in step["calls"]) for step in run.steps)
    marks = set(MARK.findall(answer.answer))
    return {
        "stop_reason": answer.stop_reason,
        "answered": answer.answered,
        "answer_by": answer.answer_by,
        "answer": answer.answer,
        "choice": answer.choice,
        "resolve": bool(marks) and not answer.problems and marks == {citation.evidence_id for citation in answer.citations},
        "intact": not run.problems,
        "step_calls": len(of_steps),
        "valid_steps": sum(not call["fault"] for call in of_steps) - wrong,
        "repaired": sum(call["llm_calls"] > 1 for call in calls),
        "llm_calls": answer.llm_calls,
        "prompt_tokens": answer.prompt_tokens,
        "completion_tokens": answer.completion_tokens,
        "largest_prompt": max((call["prompt_tokens"] // max(1, call["llm_calls"]) for call in calls), default=0),
        "largest_estimate": max((call["estimated_tokens"] for call in calls), default=0),
        "evidence_tokens": answer.evidence_tokens,
        "unsupported": len(answer.unsupported),
        "back_offs": list(answer.back_offs),
        "seconds": round(answer.seconds, 1),
        "run_dir": answer.run_dir,
    }


def scored(answer: Answer, line: dict[str, Any]) -> dict[str, float]:
    """correct: of a choice, 1 for the right label; of an open question, the share of the gold answer's words that the answer holds."""
    if line.get("choices"):
        return {"correct": float(answer.choice == line["answer"])}
    gold = Counter(_words(str(line["answer"])))
    said = Counter(_words(MARK.sub("", answer.answer))) if answer.answered else Counter()
    return {"correct": round(sum((gold & said).values()) / max(1, sum(gold.values())), 4)}


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def summary(rows: Sequence[dict[str, Any]], systems: Sequence[str]) -> str:
    """The tables of the page."""
    head = [
        "set",
        "system",
        "questions",
        "ended",
        "answered",
        "citations resolve",
        "gold words or right choice",
        "calls, median",
        "seconds, median",
    ]
    body = []
    for name in [*SETS, "all"]:
        for system in systems:
            found = [row for row in rows if row["system"] == system and name in (row["set"], "all")]
            if not found:
                continue
            answered = [row for row in found if row["answered"]]
            body.append(
                [
                    name,
                    system,
                    str(len(found)),
                    str(sum(bool(row["stop_reason"]) and row["intact"] for row in found)),
                    str(len(answered)),
                    share(row["resolve"] for row in answered),
                    f"{statistics.fmean(row['correct'] for row in found):.3f}",
                    f"{statistics.median(row['llm_calls'] for row in found):g}",
                    f"{statistics.median(row['seconds'] for row in found):.0f}",
                ]
            )
    own = [row for row in rows if row["system"] == "docnav"]
    text = (
        "One small model decides the steps and writes the answers; bm25 gets the same answer prompt and the same evidence budget. "
        "Right: share of the gold answer's words that the answer holds; of longbench-v2-userguide the share of right choices.\n\n"
        + table(head, body)
    )
    if own:
        steps, valid = sum(row["step_calls"] for row in own), sum(row["valid_steps"] for row in own)
        reasons = ", ".join(f"{reason} {count}" for reason, count in Counter(row["stop_reason"] for row in own).most_common())
        facts = {
            "steps of the controller valid after repair": f"{valid} of {steps} ({valid / max(1, steps):.1%})",
            "replies repaired": sum(row["repaired"] for row in own),
            "calls of the controller per question, median": f"{statistics.median(row['step_calls'] for row in own):g}",
            "largest prompt by the endpoint": f"{max(row['largest_prompt'] for row in own)} tokens",
            "largest prompt by our counter": f"{max(row['largest_estimate'] for row in own)} tokens",
            "answers quoted in place of written": sum(row["answer_by"] == "extractive" for row in own),
            "runs handed to rules": sum(any(line.startswith("controller") for line in row["back_offs"]) for row in own),
            "ends": reasons,
        }
        text += "\n\nOf docnav: " + "; ".join(f"{what}: {value}" for what, value in facts.items()) + "."
    return text


def share(values: Iterator[bool] | Sequence[bool]) -> str:
    """A share in percent with its counts."""
    found = list(values)
    return f"{sum(found)} of {len(found)}" if found else "none"


if __name__ == "__main__":
    sys.exit(main())
