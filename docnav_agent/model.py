"""The language model as one run sees it: calls measured, counted in the budget, kept within its time, and never raising."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import BaseModel
from typing_extensions import override

from assets_store.errors import ModelError
from assets_store.files import Files
from assets_store.ids import content_hash
from assets_store.models.language_model import LanguageModel
from assets_store.tokens import count_tokens

if TYPE_CHECKING:
    from httpx import BaseTransport
    from openai import OpenAI

    from assets_store.settings import LanguageModelSettings, Settings
    from docnav_agent.budget import Spent

MAX_FAULT = 300
T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One request to the model as artifacts hold it.

    purpose: `step`, `check` or `answer`. llm_calls: 0 for a reply from the cache, 2 after a repair.
    estimated_tokens: of the prompt, by our counter; prompt_tokens, completion_tokens: as the endpoint counts them.
    prompt_hash: of instructions and data. fault: why there is no reply, empty for a good one.
    """

    purpose: str
    llm_calls: int
    estimated_tokens: int
    prompt_tokens: int
    completion_tokens: int
    cost: float
    seconds: float
    prompt_hash: str
    fault: str = ""

    def row(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """value: the checked reply, None for none. unreachable: the endpoint did not answer, so that it makes little sense to ask again."""

    value: T | None
    fault: str = ""
    unreachable: bool = False


class EndpointModel(LanguageModel):
    """A LanguageModel whose replies are bounded in time and size. transport: for tests and records; None reaches the network."""

    def __init__(self, settings: LanguageModelSettings, cache: Files | None = None, transport: BaseTransport | None = None) -> None:
        super().__init__(settings, cache)
        self._transport = transport

    @cached_property
    @override
    def _made_client(self) -> OpenAI:
        import httpx

        from assets_store.models.transport import BoundedTransport

        settings = self._settings
        transport = BoundedTransport(self._transport or httpx.HTTPTransport(), settings.timeout_s)
        return super()._made_client.with_options(http_client=httpx.Client(transport=transport, follow_redirects=True))


class RunModel:
    """One run's use of a model. Records stay until they are taken."""

    def __init__(self, model: LanguageModel, settings: LanguageModelSettings) -> None:
        self.name = model.name
        self._model = model
        self._settings = settings
        self._records: list[CallRecord] = []

    def take(self) -> tuple[CallRecord, ...]:
        """Records since the last time."""
        taken, self._records = tuple(self._records), []
        return taken

    def ask(self, purpose: str, instructions: str, data: str, form: type[T], spent: Spent, seconds: float | None = None) -> Outcome[T]:
        """One reply of a form. seconds: for all tries together; None means what the run has left.

        Errors of the endpoint are an outcome: a run has to end with its artifacts, whatever a server does.
        """
        from assets_store.models.transport import time_limit

        limit = spent.llm_limit_reached()
        if limit is not None:
            return Outcome(None, f"no call was made: {limit} was reached", unreachable=True)
        begun = time.monotonic()
        calls = prompt = completion = 0
        fault = ""
        value: T | None = None
        unreachable = False
        try:
            with time_limit(max(0.0, spent.seconds_left if seconds is None else seconds)):
                reply = self._model.ask(instructions, data, form)
            value, fault = reply.value, reply.fault
            calls, prompt, completion = reply.usage.llm_calls, reply.usage.prompt_tokens, reply.usage.completion_tokens
        except ModelError as error:
            # What a call that failed has cost is not known; it counts as one call.
            calls, fault, unreachable = 1, str(error), True
        cost = (prompt * self._settings.prompt_price + completion * self._settings.completion_price) / 1e6
        if calls:
            spent.add_llm_call(prompt, completion, cost, calls=calls)
        self._records.append(
            CallRecord(
                purpose,
                calls,
                count_tokens(instructions) + count_tokens(data),
                prompt,
                completion,
                round(cost, 9),
                round(time.monotonic() - begun, 6),
                content_hash(instructions, data, length=32),
                " ".join(fault.split())[:MAX_FAULT],
            )
        )
        return Outcome(value, fault, unreachable)


def configured(settings: Settings) -> bool:
    """Whether the settings name an endpoint and a model."""
    return bool(settings.llm.base_url and settings.llm.model)


def open_model(settings: Settings, transport: BaseTransport | None = None) -> LanguageModel:
    """The model of the settings, with the cache of the agent. Raises SettingsError where none is named."""
    cache = Files(settings.agent.cache_dir) if settings.agent.cache_dir else None
    return EndpointModel(settings.llm, cache, transport)
