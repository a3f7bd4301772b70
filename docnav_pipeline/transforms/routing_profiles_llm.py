"""Routing profiles of the scopes in R_d, written by a language model from the profiles and texts below each."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Annotated

import polars as pl
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from assets_store.errors import OverBudget, RequestRefused, SettingsError
from assets_store.files import Files
from assets_store.ids import content_hash
from assets_store.models.language_model import LanguageModel, Reply
from assets_store.models.usage import Spending, Usage
from assets_store.sentences import one_line
from assets_store.settings import Settings
from docnav_pipeline.prompts import read_prompt
from docnav_pipeline.transforms.routing_profiles_cost import PART_TOKENS
from docnav_pipeline.transforms.routing_profiles_input import (
    PROMPT_VERSION,
    UNFINISHED,
    UNSEEN,
    Scope,
    named,
    pack,
    render,
    shortened,
    shown,
)

# How a profile was made: by the model, or not by it and why.
LLM = "llm"
NO_TEXT, OVER_BUDGET = "extractive:no_text", UNFINISHED
INVALID, REFUSED = "extractive:invalid_reply", "extractive:refused"
_PATH_TOKENS = 80
_TASK = "Write the profile of the scope."


def _plain(text: str) -> str:
    if UNSEEN.search(text):
        raise ValueError("holds characters that print nothing")
    line = one_line(text)
    if not line:
        raise ValueError("is empty")
    return line


def _distinct(names: list[str]) -> list[str]:
    return list({name.casefold(): name for name in reversed(names)}.values())[::-1]


_Summary = Annotated[str, Field(min_length=1, max_length=900), AfterValidator(_plain)]
_Name = Annotated[str, Field(min_length=1, max_length=120), AfterValidator(_plain)]


class ScopeProfile(BaseModel):
    """The form of the reply. White space is brought to single spaces and repeated names are dropped; what is too long or unprintable
    makes the reply invalid."""

    model_config = ConfigDict(extra="ignore")

    summary: _Summary
    key_concepts: Annotated[list[_Name], Field(min_length=1, max_length=12), AfterValidator(_distinct)]
    subtopics: Annotated[list[_Name], Field(max_length=12), AfterValidator(_distinct)]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the profile of one scope was made. value: None where the extractive one stays. made: what asking took, now or earlier."""

    made_by: str
    value: ScopeProfile | None = None
    made: Usage = field(default_factory=Usage)


def profile_model(settings: Settings, cache: Files | None = None) -> LanguageModel | None:
    """The model that `profiles.routing` asks for, with the caps of one run; None where it is `extractive`.

    Raises SettingsError where `llm` names none, or a cap in money has no price to count by.
    """
    profiles, llm = settings.profiles, settings.llm
    if profiles.routing != "llm":
        return None
    if profiles.max_cost and not (llm.prompt_price or llm.completion_price):
        raise SettingsError(
            f"profiles.max_cost is {profiles.max_cost}, but llm.prompt_price and llm.completion_price are 0, so that it caps nothing; "
            "set the prices of a million tokens, or cap tokens with profiles.max_tokens."
        )
    spending = Spending(profiles.max_tokens, profiles.max_cost, llm.prompt_price, llm.completion_price)
    return LanguageModel(llm, cache, 'profiles.routing = "llm"', spending)


class ProfileWriter:
    """Asks about scopes bottom-up, several at a time, and counts.

    counts: as `cached` scopes whose reply was kept from before, as `asked` those asked about, as `answered` those with a reply.
    """

    def __init__(self, model: LanguageModel, settings: Settings) -> None:
        self.model = model
        self.counts: Counter[str] = Counter()
        self._settings = settings
        self._instructions = read_prompt("routing_profile")
        self._lock = threading.Lock()

    def known(self, scope: Scope) -> Outcome | None:
        """The profile that is kept for a scope of this content; None where there is none."""
        kept = self.model.known(self._instructions, scope.content, ScopeProfile)
        return Outcome(LLM, kept.value, kept.made) if kept is not None else None

    def write(
        self,
        scopes: Iterable[Scope],
        profiles: Mapping[str, tuple[str, Sequence[str]]],
        chosen: Collection[str],
        settled: Collection[str] = (),
        advance: Callable[[int], None] = lambda n: None,
    ) -> dict[str, Outcome]:
        """Outcome of every scope that is not settled, by node id.

        profiles: summary and key concepts that each scope has without being asked about; scopes above are shown them where the model
        wrote none. chosen: node ids of the scopes that may be asked about, the others are over budget. settled: node ids of scopes
        whose profile stays as it is. advance: called for each scope asked about.
        Raises ModelError where the endpoint does not answer; what was answered before is kept.
        """
        now = dict(profiles)
        outcomes: dict[str, Outcome] = {}
        ordered = sorted((s for s in scopes if s.node_id not in settled), key=lambda s: (s.rank, s.node_id))
        with ThreadPoolExecutor(self._settings.llm.concurrency) as pool:
            try:
                for _, group in groupby(ordered, key=lambda s: s.rank):
                    for scope, outcome in pool.map(partial(self._one, now, chosen, advance), list(group)):
                        outcomes[scope.node_id] = outcome
                        if outcome.value is not None:
                            now[scope.node_id] = (outcome.value.summary, outcome.value.key_concepts)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return outcomes

    def _one(
        self, profiles: Mapping[str, tuple[str, Sequence[str]]], chosen: Collection[str], advance: Callable[[int], None], scope: Scope
    ) -> tuple[Scope, Outcome]:
        known = self.known(scope)
        if known is not None:
            self._count("cached")
            return scope, known
        if scope.node_id not in chosen:
            return scope, Outcome(OVER_BUDGET)
        self._count("asked")
        try:
            reply = self._ask(scope, render(scope, profiles, self._settings.profiles))
        except OverBudget:
            return scope, Outcome(OVER_BUDGET)
        except RequestRefused:
            self._probe()
            return scope, Outcome(REFUSED)
        finally:
            advance(1)
        self._count("answered")
        return scope, Outcome(LLM if reply.value is not None else INVALID, reply.value, reply.made)

    def _count(self, what: str) -> None:
        with self._lock:
            self.counts[what] += 1

    def _probe(self) -> None:
        """Raise RequestRefused where the endpoint refuses also what nothing is wrong with: then its settings are, and not the scope."""
        with self._lock:
            if not self.counts["answered"]:
                uncached = LanguageModel(self._settings.llm, None, spending=self.model.spending)
                uncached.ask(self._instructions, fenced(("Pumps",), ["- text: A pump moves water."], _TASK), ScopeProfile)
                self.counts["answered"] += 1

    def _ask(self, scope: Scope, lines: list[str]) -> Reply[ScopeProfile]:
        """One call where the lines fit it; else one for each part, and then one over the profiles of the parts."""
        settings = self._settings.profiles
        made = Usage()
        parts = pack(lines, settings.input_tokens)
        while len(parts) > 1:
            lines = []
            for number, part in enumerate(parts, 1):
                message = fenced(scope.path, part, f"This is part {number} of {len(parts)} of the scope; write the profile of this part.")
                reply = self.model.ask(self._instructions, message, ScopeProfile, max_output_tokens=settings.output_tokens)
                made += reply.made
                if reply.value is None:
                    return Reply(None, Usage(), reply.fault, made)
                lines.append(_part_line(number, reply.value))
            parts = pack(lines, settings.input_tokens)
        message = fenced(scope.path, parts[0], _TASK)
        limit = settings.output_tokens
        return self.model.ask(self._instructions, message, ScopeProfile, scope.content, already=made, max_output_tokens=limit)


def fenced(path: Sequence[str], lines: Sequence[str], task: str) -> str:
    """A message with text of a document as data, then what to do with it.

    The fence is made from the data, so that no text can hold its own; and `shown` has left no pointed bracket in the text.
    """
    data = "\n".join([f"scope: {shortened(shown(' > '.join(path)), _PATH_TOKENS)}", *lines])
    name = content_hash(data, length=16)
    return f"<data {name}>\n{data}\n</data {name}>\n{task} Reply with the JSON object only."


def with_outcomes(rows: pl.DataFrame, outcomes: Mapping[str, Outcome], model: str) -> pl.DataFrame:
    """Rows of `routing_profiles` with what the model wrote in place of the extractive profile, and everywhere how it was made.

    rows: all extractive. A scope without an outcome has no text below it.
    """
    made = []
    for row in rows.iter_rows(named=True):
        outcome = outcomes.get(row["node_id"], Outcome(NO_TEXT))
        said = outcome.value.model_dump() if outcome.value is not None else {}
        asked = {"model": model, "prompt_version": PROMPT_VERSION} if outcome.made.llm_calls else {}
        tokens = {"prompt_tokens": outcome.made.prompt_tokens, "completion_tokens": outcome.made.completion_tokens}
        made.append({**row, **said, **asked, **tokens, "made_by": outcome.made_by})
    return pl.DataFrame(made, schema=rows.schema)


def _part_line(number: int, profile: ScopeProfile) -> str:
    text = shortened(shown(profile.summary), PART_TOKENS // 2)
    parts = f" (parts: {shortened(shown('; '.join(profile.subtopics)), PART_TOKENS // 5)})" if profile.subtopics else ""
    return f"- part {number}: {text}{parts}{named(profile.key_concepts)}"
