"""The answer as a language model writes it from question and evidence, each sentence checked before anybody sees it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, create_model, field_validator, model_validator

from assets_store.tokens import count_tokens
from docnav_agent.answer import MARK, Draft, Encode, Quote, Tokenize, Unsupported
from docnav_agent.evidence import EvidenceItem
from docnav_agent.forms import all_required
from docnav_agent.note import clipped
from docnav_agent.passages import evidence_prompt
from docnav_agent.prompts import read_prompt
from docnav_agent.verify import Verified, said_ids, verify

if TYPE_CHECKING:
    from docnav_agent.budget import Spent
    from docnav_agent.model import RunModel
    from docnav_agent.systems import Option, Question

MAX_STATEMENTS = 6
MAX_REASONS = 3
MAX_TEXT = 600
MAX_IDS = 4
MAX_MISSING = 4
UNSUPPORTED = "[unsupported]"
NOT_STATED = "not stated"
VERDICTS = {"true": True, "false": False, NOT_STATED: None}


class Statement(BaseModel):
    """One sentence and the ids of the evidence that says it."""

    model_config = ConfigDict(extra="ignore", json_schema_extra=all_required)

    text: str = Field(max_length=MAX_TEXT)
    evidence: list[str] = Field(default_factory=list, max_length=MAX_IDS)

    @field_validator("text", mode="before")
    @classmethod
    def _line(cls, value: Any) -> Any:
        return clipped(value, MAX_TEXT) if isinstance(value, str) else value

    @field_validator("evidence", mode="before")
    @classmethod
    def _ids(cls, value: Any) -> Any:
        parts = [value] if isinstance(value, str) else value or []
        return [str(part)[:40] for part in parts][:MAX_IDS] if isinstance(parts, list) else parts


class AnswerReply(BaseModel):
    """What all forms of an answer have. A single statement, bare texts, or a text called `answer` are read as a list of statements."""

    model_config = ConfigDict(extra="ignore")

    statements: list[Statement] = Field(max_length=MAX_STATEMENTS)

    @model_validator(mode="before")
    @classmethod
    def _other_name(cls, value: Any) -> Any:
        if isinstance(value, dict) and "statements" not in value and isinstance(value.get("answer"), str):
            return {**value, "statements": value["answer"]}
        return value

    @field_validator("statements", mode="before")
    @classmethod
    def _list(cls, value: Any) -> Any:
        parts = [value] if isinstance(value, str | dict) else value or []
        if not isinstance(parts, list):
            return parts
        made = [{"text": part, "evidence": [part]} if isinstance(part, str) else part for part in parts]
        return [part for part in made if not _is_blank(part)][:MAX_STATEMENTS]


class OpenReply(AnswerReply):
    missing: list[str] = Field(default_factory=list, max_length=MAX_MISSING)

    @field_validator("missing", mode="before")
    @classmethod
    def _lines(cls, value: Any) -> Any:
        parts = [value] if isinstance(value, str) else value or []
        return [clipped(str(part), 100) for part in parts if str(part).strip()][:MAX_MISSING] if isinstance(parts, list) else parts


class ChoiceReply(AnswerReply):
    choice: str = Field(max_length=MAX_TEXT)

    @field_validator("choice", mode="before")
    @classmethod
    def _line(cls, value: Any) -> Any:
        return clipped(value, MAX_TEXT) if isinstance(value, str) else value


class VerdictReply(AnswerReply):
    verdict: str

    @field_validator("verdict", mode="before")
    @classmethod
    def _word(cls, value: Any) -> Any:
        word = str(value).strip().casefold().rstrip(".").replace("_", " ")
        if word not in VERDICTS:
            raise ValueError(f"expected one of {', '.join(VERDICTS)}, found {word[:40]!r}")
        return word


def _is_blank(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(part.get("text"), str) and not part["text"].strip()


@dataclass(frozen=True, slots=True)
class Written:
    """draft: what was written and checked, None where the model gave no valid reply; fault says why."""

    draft: Draft | None
    fault: str = ""


def write_with_model(
    question: Question,
    evidence: Sequence[EvidenceItem],
    model: RunModel,
    spent: Spent,
    *,
    limit: int,
    seconds: float,
    tokenize: Tokenize,
    encode: Encode | None = None,
    mark_unsupported: bool = False,
) -> Written:
    """One call and the check of its sentences.

    evidence: best first; of it only `text` is read. limit: tokens of the prompt. seconds: that the call may take.
    mark_unsupported: sentences without support stay in the answer with a mark, else they are listed apart.
    Raises TypeError for anything that is no EvidenceItem.
    """
    instructions = read_prompt(f"answer_{question.form}")
    data, used = evidence_prompt(question, evidence, limit - count_tokens(instructions), tokenize)
    if not used:
        return Written(Draft("", (), (), by="llm"))
    form = _form(question, [item.evidence_id for item in used])
    outcome = model.ask("answer", instructions, data, form, spent, seconds)
    reply = outcome.value
    if reply is None:
        return Written(None, outcome.fault)
    choice = _chosen(reply.choice, question.options) if isinstance(reply, ChoiceReply) else None
    if isinstance(reply, ChoiceReply) and choice is None:
        return Written(None, f"chose {clipped(reply.choice, 40)!r}, which is none of the options")
    by_id = {item.evidence_id: item for item in used}
    given = " ".join((question.text, *(option.text for option in question.options)))
    checked = [
        found for statement in reply.statements for found in verify(statement.text, statement.evidence, by_id, given, tokenize, encode)
    ]
    named = [name for statement in reply.statements for name in said_ids(statement.evidence) if name in by_id]
    missing = tuple(reply.missing) if isinstance(reply, OpenReply) else ()
    head, verdict = "", None
    if choice is not None:
        head = f"{choice.label}: {_quiet(choice.text)}"
    elif isinstance(reply, VerdictReply):
        verdict = VERDICTS[reply.verdict]
        stated = verdict is not None or any(not sentence.fault for sentence in checked)
        head = f"{reply.verdict.capitalize()}: {_quiet(question.options[0].text)}" if stated else ""
    return Written(_draft(checked, head, named, used, missing, mark_unsupported, choice.label if choice else None, verdict))


def _draft(
    checked: Sequence[Verified],
    head: str,
    named: Sequence[str],
    used: Sequence[EvidenceItem],
    missing: tuple[str, ...],
    mark_unsupported: bool,
    choice: str | None,
    verdict: bool | None,
) -> Draft:
    good = [sentence for sentence in checked if not sentence.fault]
    apart = tuple(Unsupported(sentence.text, sentence.evidence, sentence.fault) for sentence in checked if sentence.fault)
    quotes: list[Quote] = [quote for sentence in good for quote in sentence.quotes]
    pieces = []
    if head:
        # What the reader reads first rests on the evidence of the sentences that carry it, or on the best where none does.
        behind = tuple(dict.fromkeys(name for sentence in good for name in sentence.evidence)) or tuple(named) or (used[0].evidence_id,)
        pieces.append(_marked(head, behind))
    for sentence in checked:
        if not sentence.fault:
            pieces.append(_marked(_quiet(sentence.text), sentence.evidence))
        elif mark_unsupported:
            pieces.append(f"{_quiet(sentence.text)} {UNSUPPORTED}")
    return Draft(
        " ".join(pieces) if good or head else "",
        tuple(quotes),
        missing,
        by="llm",
        carried=bool(good or head),
        choice=choice,
        verdict=verdict,
        unsupported=apart,
        attributed=sum(sentence.attributed for sentence in good),
    )


def _marked(text: str, evidence: Sequence[str]) -> str:
    return " ".join((text, *(f"[{name}]" for name in dict.fromkeys(evidence))))


def _quiet(text: str) -> str:
    """Text whose own marks, from whoever wrote it, cite nothing."""
    return MARK.sub(r"(\1)", text)


def _form(question: Question, ids: Sequence[str]) -> type[AnswerReply]:
    """The form of a reply with the ids and labels that exist; others are read too, and reported."""
    most = MAX_STATEMENTS if question.form == "open" else MAX_REASONS
    items: Any = {"type": "string", "enum": list(ids)}
    cited: Any = (list[str], Field(default_factory=list, max_length=MAX_IDS, json_schema_extra={"items": items, "minItems": 1}))
    statement: Any = create_model("Statement", __base__=Statement, evidence=cited)
    fields: dict[str, Any] = {"statements": (list[statement], Field(json_schema_extra={"maxItems": most}))}
    bases: dict[str, type[AnswerReply]] = {"open": OpenReply, "choice": ChoiceReply, "true_false": VerdictReply}
    if question.form == "choice":
        fields["choice"] = (str, Field(json_schema_extra={"enum": [option.label for option in question.options]}))
    elif question.form == "true_false":
        fields["verdict"] = (str, Field(json_schema_extra={"enum": list(VERDICTS)}))
    make: Any = create_model
    made: type[AnswerReply] = make("Answer", __base__=bases[question.form], **fields)
    made.model_config["json_schema_extra"] = all_required
    made.model_rebuild(force=True)
    return made


def _chosen(said: str, options: Sequence[Option]) -> Option | None:
    """The option that a model means: its label, alone or at the beginning, or its text; None for none of them."""
    words = said.strip().strip("()[].*\"' ")
    for option in options:
        if words.casefold() in (option.label.casefold(), option.text.strip().casefold()):
            return option
    begun = re.match(r"(?:option\s+|answer\s+)?\(?([^\s).:,]+)[).:,]?(?:\s|$)", words, flags=re.IGNORECASE)
    return next((option for option in options if begun and option.label.casefold() == begun[1].casefold()), None)
