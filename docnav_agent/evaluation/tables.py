"""Columns of the result files of an evaluation: what systems did, and how it was scored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from docnav_agent.evaluation.outcome import Fetched, Outcome

OK, FAILED = "ok", "failed"

_COSTS = [
    ("llm_calls", pa.int64()),
    ("prompt_tokens", pa.int64()),
    ("completion_tokens", pa.int64()),
    ("cost", pa.float64()),
    ("seconds", pa.float64()),
]
_EVIDENCE = pa.struct(
    [
        ("doc", pa.string()),
        ("text", pa.string()),
        ("page_start", pa.int64()),
        ("page_end", pa.int64()),
        ("section", pa.list_(pa.string())),
        ("node_id", pa.string()),
        ("n_tokens", pa.int64()),
        ("step", pa.int64()),
    ]
)
# One row is what one system did for one question. key: hash of all that decides it; tries: runs of docnav eval that asked it.
RUNS = pa.schema(
    [
        ("question_id", pa.string()),
        ("key", pa.string()),
        ("status", pa.string()),
        ("error", pa.string()),
        ("tries", pa.int64()),
        ("stop_reason", pa.string()),
        ("steps", pa.int64()),
        ("answer", pa.string()),
        ("answered", pa.bool_()),
        ("choice", pa.string()),
        ("verdict", pa.bool_()),
        ("evidence", pa.list_(_EVIDENCE)),
        *_COSTS,
    ]
)
# One row is one metric of one question. why: JSON with verdicts and reasons; prompts: hashes of the judge's prompts.
SCORES = pa.schema(
    [
        ("question_id", pa.string()),
        ("metric", pa.string()),
        ("key", pa.string()),
        ("status", pa.string()),
        ("error", pa.string()),
        ("tries", pa.int64()),
        ("values", pa.list_(pa.struct([("column", pa.string()), ("value", pa.float64())]))),
        ("why", pa.string()),
        ("judge", pa.string()),
        ("prompts", pa.list_(pa.string())),
        *_COSTS,
    ]
)


def run_row(question_id: str, key: str, tries: int, outcome: Outcome) -> dict[str, Any]:
    """What a system did, as a row of RUNS."""
    return {
        "question_id": question_id,
        "key": key,
        "status": FAILED if outcome.failed else OK,
        "error": storable(outcome.error),
        "tries": tries,
        "stop_reason": outcome.stop_reason,
        "steps": outcome.steps,
        "answer": None if outcome.answer is None else storable(outcome.answer),
        "answered": outcome.answered,
        "choice": outcome.choice,
        "verdict": outcome.verdict,
        "evidence": [
            {
                "doc": item.doc,
                "text": item.text,
                "page_start": item.page_start,
                "page_end": item.page_end,
                "section": list(item.section),
                "node_id": item.node_id,
                "n_tokens": item.n_tokens,
                "step": item.step,
            }
            for item in outcome.evidence
        ],
        "llm_calls": outcome.llm_calls,
        "prompt_tokens": outcome.prompt_tokens,
        "completion_tokens": outcome.completion_tokens,
        "cost": outcome.cost,
        "seconds": round(outcome.seconds, 6),
    }


def storable(text: str) -> str:
    """Text without halves of surrogate pairs, which a model may write and no file can hold."""
    return text.encode("utf-8", errors="replace").decode()


def outcome_of(row: Mapping[str, Any]) -> Outcome:
    """What a row of RUNS tells; of a failed one nothing but its error and what it took."""
    took = {name: row[name] for name in ("steps", "llm_calls", "prompt_tokens", "completion_tokens", "cost", "seconds")}
    if row["status"] == FAILED:
        return Outcome(error=row["error"] or FAILED, stop_reason=row["stop_reason"], **took)
    evidence = tuple(Fetched(**{**item, "section": tuple(item["section"] or ())}) for item in row["evidence"] or ())
    said = {name: row[name] for name in ("answer", "answered", "choice", "verdict", "stop_reason")}
    return Outcome(evidence, **said, **took)
