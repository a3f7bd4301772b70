"""The reply of a language model to one step: eight short fields, read with tolerance, asked for with the names that were shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, create_model, field_validator

from docnav_agent.actions import DIRECTIONS, LEVELS
from docnav_agent.forms import all_required
from docnav_agent.nodes import EDGE_KINDS
from docnav_agent.note import clipped

ACTIONS = ("fetch", "locate", "navigate", "expand", "answer")
HOWS = ("all", *LEVELS, *DIRECTIONS, *(kind for kind in EDGE_KINDS if kind != "community"))

MAX_FOUND = 240
MAX_MISSING = 3
MAX_MISSING_CHARACTERS = 100
MAX_WHY = 120
MAX_QUERY = 200
MAX_TARGETS = 4
MAX_KEEP = 8

# Words that models say for an action, beside its name.
_ALSO = {
    "read": "fetch", "open": "fetch", "get": "fetch", "fetch_content": "fetch", "search": "locate", "find": "locate", "move": "navigate",
    "go": "navigate", "outline": "navigate", "follow": "expand", "neighbors": "expand", "stop": "answer", "finish": "answer",
    "done": "answer", "end": "answer", "finished": "answer",
}  # fmt: skip
# What stands for nothing: the word, or only names of nodes and evidence.
_NO_FACT = re.compile(r"(?:none|nothing|n/a|[\W_]*|(?:[nN]\d{1,4}|E\d{1,4})(?:\W+(?:[nN]\d{1,4}|E\d{1,4}))*)\.?", re.IGNORECASE)
_NAME = re.compile(r"[nN]\d{1,4}|E\d{1,4}|[^\s,;\[\]\"']+")


class StepReply(BaseModel):
    """One step as a model says it. Text that is too long is cut and other words for an action are understood; an action must be there."""

    model_config = ConfigDict(extra="ignore")

    found: str = Field("", max_length=MAX_FOUND)
    missing: list[str] = Field(
        default_factory=list, max_length=MAX_MISSING, json_schema_extra={"items": {"type": "string", "maxLength": MAX_MISSING_CHARACTERS}}
    )
    keep: list[str] = Field(default_factory=list, max_length=MAX_KEEP)
    why: str = Field("", max_length=MAX_WHY)
    action: str = Field(json_schema_extra={"enum": list(ACTIONS)})
    targets: list[str] = Field(default_factory=list, max_length=MAX_TARGETS)
    query: str = Field("", max_length=MAX_QUERY)
    how: str = Field("all", json_schema_extra={"enum": list(HOWS)})

    @field_validator("found", "why", "query", mode="before")
    @classmethod
    def _line(cls, value: Any, info: Any) -> Any:
        limit = {"found": MAX_FOUND, "why": MAX_WHY, "query": MAX_QUERY}[info.field_name]
        if isinstance(value, list):
            value = "; ".join(str(part) for part in value)
        if not isinstance(value, str | int | float | None):
            return value
        line = clipped(str(value), limit) if value is not None else ""
        return "" if info.field_name == "found" and _NO_FACT.fullmatch(line) else line

    @field_validator("missing", mode="before")
    @classmethod
    def _lines(cls, value: Any) -> Any:
        if value is None:
            return []
        parts = [str(value)] if isinstance(value, str | int | float) else value
        if not isinstance(parts, list):
            return parts
        lines = [clipped(part, MAX_MISSING_CHARACTERS) for part in parts if isinstance(part, str) and part.strip()]
        named = [line for line in lines if not _NO_FACT.fullmatch(line)]
        return list(dict.fromkeys(named))[:MAX_MISSING]

    @field_validator("keep", "targets", mode="before")
    @classmethod
    def _names(cls, value: Any, info: Any) -> Any:
        limit = {"keep": MAX_KEEP, "targets": MAX_TARGETS}[info.field_name]
        if value is None:
            return []
        if isinstance(value, str | int):
            value = _NAME.findall(str(value))
        if not isinstance(value, list):
            return value
        return list(dict.fromkeys(clipped(str(part), 300) for part in value if isinstance(part, str | int) and str(part).strip()))[:limit]

    @field_validator("action", mode="after")
    @classmethod
    def _known(cls, value: str) -> str:
        name = value.strip().casefold()
        name = _ALSO.get(name, name)
        if name not in ACTIONS:
            raise ValueError(f"expected one of {', '.join(ACTIONS)}, found {clipped(value, 40)!r}")
        return name

    @field_validator("how", mode="before")
    @classmethod
    def _word(cls, value: Any) -> Any:
        name = str(value or "all").strip().casefold()
        return name if name in HOWS else "all"


def step_form(actions: Sequence[str], nodes: Sequence[str], evidence: Sequence[str]) -> type[StepReply]:
    """The form with the names that a step may use, for endpoints that keep to a schema.

    Other endpoints may say anything: a name that was not shown is read too, and answered by an observation.
    """

    def names(values: Sequence[str], limit: int) -> Any:
        items: Any = {"type": "string", "enum": list(values)} if values else {"type": "string", "maxLength": 8}
        return (list[str], Field(default_factory=list, max_length=limit, json_schema_extra={"items": items}))

    fields: dict[str, Any] = {
        "keep": names([*nodes, *evidence], MAX_KEEP),
        "action": (str, Field(json_schema_extra={"enum": list(actions)})),
        "targets": names(nodes, MAX_TARGETS),
    }
    made: type[StepReply] = create_model("Step", __base__=StepReply, **fields)
    made.model_config["json_schema_extra"] = all_required
    made.model_rebuild(force=True)
    return made
