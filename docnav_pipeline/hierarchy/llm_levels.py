"""Levels by a language model, for documents whose headings nothing certain orders. Off by default; only titles are sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict, Field

from assets_store.files import Files
from assets_store.models.language_model import LanguageModel
from assets_store.models.usage import Usage
from assets_store.settings import HierarchySettings, Settings
from docnav_pipeline.hierarchy.heading import Heading
from docnav_pipeline.parsing.block import Block
from docnav_pipeline.prompts import read_prompt

# Raised when the prompt or what is sent with it changes.
PROMPT_VERSION = "1"
EVIDENCE = "llm"
# Evidence that a model is not asked to overrule.
CERTAIN = frozenset({"override", "bookmark", "contents", "numbering", "source_level"})
_FEWEST = 3  # with fewer headings there is nothing to order
BATCH = 100  # headings per call, so that small models keep track
_SENT_CHARACTERS = 120


class HeadingLevel(BaseModel):
    """The level of one heading. n: its number in the list that was sent."""

    model_config = ConfigDict(extra="ignore")

    n: int = Field(ge=1)
    level: int = Field(ge=1, le=8)


class HeadingLevels(BaseModel):
    """The form of the reply."""

    model_config = ConfigDict(extra="ignore")

    levels: list[HeadingLevel]


@dataclass(frozen=True, slots=True)
class Asked:
    """Headings with the levels of the model, and what asking cost. faults: why replies were left aside, one text per call."""

    headings: tuple[Heading, ...]
    usage: Usage
    faults: tuple[str, ...] = ()


def level_model(settings: Settings, cache: Files | None) -> LanguageModel | None:
    """The model that `hierarchy.llm_levels` asks for; None where it is off. Raises SettingsError where `llm` names none."""
    return LanguageModel(settings.llm, cache, "hierarchy.llm_levels") if settings.hierarchy.llm_levels else None


def is_doubtful(headings: Sequence[Heading], settings: HierarchySettings) -> bool:
    """Whether a document is one to ask about: its headings have a mean confidence below `llm_below`."""
    return len(headings) >= _FEWEST and sum(h.confidence for h in headings) / len(headings) < settings.llm_below


def ask_levels(headings: Sequence[Heading], blocks: Sequence[Block], settings: HierarchySettings, model: LanguageModel) -> Asked:
    """Headings with levels from the model where nothing certain speaks for theirs.

    A reply that leaves headings out changes only those it names. No level jumps by more than one below the heading before it,
    whatever the model says. A call without a usable reply leaves its headings as they were.
    """
    out = list(headings)
    usage, faults = Usage(), []
    instructions = read_prompt("heading_levels")
    for start in range(0, len(out), BATCH):
        numbers = range(start, min(start + BATCH, len(out)))
        if all(is_certain(out[i]) for i in numbers):
            continue
        reply = model.ask(instructions, listing(out, blocks, numbers), HeadingLevels)
        usage += reply.usage
        if reply.value is None:
            faults.append(reply.fault)
            continue
        said = {entry.n - 1: entry.level for entry in reply.value.levels}
        for i in numbers:
            if i in said and not is_certain(out[i]):
                deepest = (out[i - 1].level if i else 0) + 1
                level = min(said[i], deepest, settings.max_level)
                out[i] = replace(out[i], level=level, evidence=(EVIDENCE, *out[i].evidence))
    return Asked(tuple(out), usage, tuple(faults))


def is_certain(heading: Heading) -> bool:
    """Whether evidence other than looks and names decided the level."""
    return not CERTAIN.isdisjoint(heading.evidence)


def listing(headings: Sequence[Heading], blocks: Sequence[Block], numbers: range) -> str:
    """Some headings as lines for the model, those above the first of them in front, so that a later batch knows where it is."""
    shown = [*_open_before(headings, numbers.start), *numbers]
    return "\n".join(_line(i, headings[i], blocks, is_known=i < numbers.start or is_certain(headings[i])) for i in shown)


def _open_before(headings: Sequence[Heading], start: int) -> list[int]:
    """Positions of the headings that heading `start` could stand below, outermost first."""
    found: list[int] = []
    for i in range(start - 1, -1, -1):
        if not found or headings[i].level < headings[found[-1]].level:
            found.append(i)
    return found[::-1]


def _line(i: int, heading: Heading, blocks: Sequence[Block], is_known: bool) -> str:
    size = next((b.size_pt for b in blocks[heading.first_block : heading.first_block + heading.n_blocks] if b.size_pt), None)
    title = " ".join(heading.title.split())[:_SENT_CHARACTERS]
    page = heading.page if heading.page is not None else "-"
    return f"{i + 1} | page {page} | {f'{size:.1f} pt' if size else '-'} | {'=' if is_known else ''}{heading.level} | {title}"
