"""The language model that judges answers and evidence: bounded, counted question by question, and never silent about a failure."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, Field

from assets_store.errors import ModelError
from assets_store.files import Files
from assets_store.settings import LanguageModelSettings
from docnav_agent.budget import Budget
from docnav_agent.model import CallRecord, EndpointModel, RunModel

if TYPE_CHECKING:
    from httpx import BaseTransport

    from assets_store.models.language_model import LanguageModel

T = TypeVar("T", bound=BaseModel)

# Statements of a long answer come with their reasons in one reply; with less it is cut off, and a cut reply is no JSON.
MIN_OUTPUT_TOKENS = 8192


class JudgeFailed(ModelError):
    """The judge gave no verdict: it did not answer, or not in the asked form. The question counts as 0 and is judged again."""


class JudgeSettings(LanguageModelSettings):
    """The endpoint of the judge; as section `llm` of docnav.toml."""

    max_output_tokens: int = Field(MIN_OUTPUT_TOKENS, ge=MIN_OUTPUT_TOKENS, le=100_000, description="Tokens that one reply may have.")
    cache_dir: str = Field("", description="Folder in which replies are kept by content; empty for none.")

    @property
    def is_set(self) -> bool:
        return bool(self.base_url and self.model)


class Judge:
    """A judge for many questions, asked by several threads: at most `concurrency` calls are under way at a time.

    model: None is the endpoint of the settings. Raises SettingsError where they name none.
    """

    def __init__(self, settings: JudgeSettings, model: LanguageModel | None = None, transport: BaseTransport | None = None) -> None:
        self.settings = settings
        cache = Files(settings.cache_dir) if settings.cache_dir else None
        self.model = model or EndpointModel(settings, cache, transport)
        self.turns = threading.BoundedSemaphore(settings.concurrency)

    @property
    def name(self) -> str:
        return self.model.name

    def for_question(self) -> JudgeCalls:
        """Calls that are counted together."""
        return JudgeCalls(self)


class JudgeCalls:
    """The judge's calls about one question."""

    def __init__(self, judge: Judge) -> None:
        self.name = judge.name
        self._turns = judge.turns
        self._run = RunModel(judge.model, judge.settings)
        # All tries together; each try has the time-out of the settings.
        self._seconds = judge.settings.timeout_s * (judge.settings.max_retries + 1)
        self._spent = Budget(max_seconds=7 * 86_400).start()

    def ask(self, purpose: str, instructions: str, data: str, form: type[T]) -> T:
        """One verdict. Raises JudgeFailed."""
        with self._turns:
            reply = self._run.ask(purpose, instructions, data, form, self._spent, self._seconds)
        if reply.value is None:
            raise JudgeFailed(f"{purpose}: {reply.fault}")
        return reply.value

    def take(self) -> tuple[CallRecord, ...]:
        """Calls since the last time, each with the hash of its prompt."""
        return self._run.take()


def calls_row(calls: tuple[CallRecord, ...]) -> dict[str, Any]:
    """What calls took together, and the hashes of their prompts."""
    return {
        "llm_calls": sum(call.llm_calls for call in calls),
        "prompt_tokens": sum(call.prompt_tokens for call in calls),
        "completion_tokens": sum(call.completion_tokens for call in calls),
        "cost": sum(call.cost for call in calls),
        "prompts": [call.prompt_hash for call in calls],
    }
