"""Whether evidence is enough to answer, judged by a call of its own that sees question and evidence only.

Never the call that navigates: a model that has searched is quick to find that it has found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from assets_store.tokens import count_tokens
from docnav_agent.forms import all_required
from docnav_agent.note import clipped
from docnav_agent.passages import evidence_prompt
from docnav_agent.prompts import read_prompt

if TYPE_CHECKING:
    from docnav_agent.budget import Spent
    from docnav_agent.evidence import EvidenceItem
    from docnav_agent.model import RunModel
    from docnav_agent.systems import Question

MAX_MISSING = 3
MAX_CHARACTERS = 100


class SufficiencyReply(BaseModel):
    """The judgement as a model says it."""

    model_config = ConfigDict(extra="ignore", json_schema_extra=all_required)

    because: str = Field("", max_length=200)
    enough: Literal["yes", "no"]
    missing: list[str] = Field(default_factory=list, max_length=MAX_MISSING)

    @field_validator("because", mode="before")
    @classmethod
    def _line(cls, value: Any) -> Any:
        return clipped(value, 200) if isinstance(value, str) else ""

    @field_validator("enough", mode="before")
    @classmethod
    def _yes_or_no(cls, value: Any) -> Any:
        if isinstance(value, bool):
            return "yes" if value else "no"
        return value.strip().casefold().rstrip(".") if isinstance(value, str) else value

    @field_validator("missing", mode="before")
    @classmethod
    def _lines(cls, value: Any) -> Any:
        parts = [value] if isinstance(value, str) else value or []
        if not isinstance(parts, list):
            return parts
        return [clipped(part, MAX_CHARACTERS) for part in parts if isinstance(part, str) and part.strip()][:MAX_MISSING]


@dataclass(frozen=True, slots=True)
class Sufficiency:
    """missing: what a careful reader lacks; at least one line where the evidence is not enough."""

    enough: bool
    missing: tuple[str, ...]


def check_sufficiency(
    question: Question,
    evidence: Sequence[EvidenceItem],
    model: RunModel,
    spent: Spent,
    limit: int,
    tokenize: Callable[[str], Sequence[str]],
) -> Sufficiency | None:
    """One judgement, or None where no valid one could be had. limit: tokens of the prompt; tokenize: text → search terms."""
    instructions = read_prompt("sufficiency")
    data, _ = evidence_prompt(question, evidence, limit - count_tokens(instructions), tokenize)
    reply = model.ask("check", instructions, data, SufficiencyReply, spent).value
    if reply is None:
        return None
    if reply.enough == "yes":
        return Sufficiency(True, ())
    return Sufficiency(False, tuple(reply.missing) or (reply.because or "an answer to the question",))
