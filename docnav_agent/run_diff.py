"""What differs between two stored runs: how they were asked, what they did, what they fetched, what they answered."""

from __future__ import annotations

from typing import Any

from docnav_agent.run_folder import StoredRun
from docnav_agent.walk_map import targets_of

ASKED = ("question", "form", "options", "docs", "system", "controller", "without", "model", "prompts", "snapshot", "budget")
ANSWERED = ("answer", "answered", "answer_by", "choice", "verdict", "stop_reason", "missing", "back_offs", "unsupported", "problems")
SPENT = ("steps", "evidence_tokens", "llm_calls", "prompt_tokens", "completion_tokens", "cost", "seconds")


def run_diff(one: StoredRun, other: StoredRun) -> dict[str, Any]:
    """JSON form of the difference.

    asked, answered: key → [first, second], keys that differ only. spent: the same for all keys, since seconds always differ.
    steps: per step both actions, or null where one run had ended, and whether they are equal.
    evidence: nodes that one run fetched alone, nodes of both, and those of both whose text is not the same.
    """
    nodes = [{str(item.get("node_id")): item for item in run.evidence.values()} for run in (one, other)]
    both = [node_id for node_id in nodes[0] if node_id in nodes[1]]
    return {
        "runs": [str(one.path), str(other.path)],
        "intact": not one.problems and not other.problems,
        "asked": _differing(one.run, other.run, ASKED),
        "steps": _steps(one, other),
        "evidence": {
            "first": [node_id for node_id in nodes[0] if node_id not in nodes[1]],
            "second": [node_id for node_id in nodes[1] if node_id not in nodes[0]],
            "both": both,
            "changed": [node_id for node_id in both if nodes[0][node_id].get("text") != nodes[1][node_id].get("text")],
        },
        "answered": _differing(one.answer, other.answer, ANSWERED),
        "spent": {key: [one.answer.get(key), other.answer.get(key)] for key in SPENT},
    }


def same(diff: dict[str, Any]) -> bool:
    """Whether two runs did and said the same; what they spent does not count."""
    evidence = diff["evidence"]
    apart = evidence["first"] or evidence["second"] or evidence["changed"]
    return not (diff["asked"] or diff["answered"] or apart or any(not step["equal"] for step in diff["steps"]))


def said(action: dict[str, Any] | None) -> str:
    """An action in one line."""
    if action is None:
        return "ended"
    words = [str(action.get(name)) for name in ("query", "level", "direction") if action.get(name)]
    targets = targets_of({"action": action})
    return " ".join([str(action.get("kind")).upper(), *words, *targets[:3], *(["…"] if len(targets) > 3 else [])])


def _steps(one: StoredRun, other: StoredRun) -> list[dict[str, Any]]:
    rows = []
    for number in range(max(len(one.steps), len(other.steps))):
        actions = [run.steps[number].get("action") if number < len(run.steps) else None for run in (one, other)]
        first, second = (action if isinstance(action, dict) else None for action in actions)
        rows.append({"step": number + 1, "equal": first == second, "actions": [first, second]})
    return rows


def _differing(one: dict[str, Any], other: dict[str, Any], keys: tuple[str, ...]) -> dict[str, list[Any]]:
    return {key: [one.get(key), other.get(key)] for key in keys if one.get(key) != other.get(key)}
