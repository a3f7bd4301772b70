"""A language model behind an OpenAI-compatible endpoint: replies as checked JSON, kept by content, calls and tokens counted."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from assets_store.errors import ModelError, SettingsError
from assets_store.ids import content_hash

if TYPE_CHECKING:
    from openai import OpenAI

    from assets_store.files import Files
    from assets_store.settings import LanguageModelSettings

KEY_VARIABLES = ("DOCNAV_API_KEY", "OPENAI_API_KEY")
_NO_KEY = "none"  # the client insists on a key; servers on one's own machine ask for none
_MOST_QUOTED = 300
_MOST_TOKENS = 10_000_000
T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Usage:
    """Calls that were made, and the tokens read and written by them as the endpoint counts them."""

    llm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.llm_calls + other.llm_calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )


@dataclass(frozen=True, slots=True)
class Reply(Generic[T]):
    """What a model said. value: None when no reply was of the asked form, also after it was told so; `fault` says why."""

    value: T | None
    usage: Usage
    fault: str = ""


class LanguageModel:
    """One model of one endpoint.

    cache: files below which good replies are kept by the hash of what was asked (`cache/llm/`); None keeps none.
    Raises SettingsError where the settings name no endpoint or no model, and on a call ModelError where the endpoint does not
    answer, after the retries of the settings.
    """

    def __init__(self, settings: LanguageModelSettings, cache: Files | None = None) -> None:
        if not settings.base_url or not settings.model:
            missing = "llm.base_url" if not settings.base_url else "llm.model"
            raise SettingsError(f"{missing} is not set, but a language model is asked for; set it in docnav.toml, or switch the use off.")
        self.name = settings.model
        self._settings = settings
        self._cache = cache
        self._formats = ["json_schema", "json_object", ""]  # what the endpoint has not refused yet, best first

    def ask(self, instructions: str, data: str, form: type[T]) -> Reply[T]:
        """One reply of a given form. instructions: the same for all of a kind, so that servers can keep them; data: what it is about.

        A reply that is not of the form is sent back once, with what is wrong with it.
        """
        schema = form.model_json_schema()
        key = content_hash(self.name, instructions, data, json.dumps(schema, sort_keys=True), length=32)
        known = self._known(key, form)
        if known is not None:
            return Reply(known, Usage())
        messages = [{"role": "system", "content": instructions}, {"role": "user", "content": data}]
        usage, fault = Usage(), ""
        for _ in range(2):
            text, spent = self._complete(messages, form.__name__, schema)
            usage += spent
            try:
                value = form.model_validate(first_object(text))
            except ValueError as error:
                fault = _said(error)
                messages = [
                    *messages,
                    {"role": "assistant", "content": text},
                    {"role": "user", "content": f"That is not of the asked form: {fault}. Reply with the JSON object only."},
                ]
                continue
            self._keep(key, value)
            return Reply(value, usage)
        return Reply(None, usage, fault)

    def _known(self, key: str, form: type[T]) -> T | None:
        path = f"cache/llm/{key}.json"
        if self._cache is None or not self._cache.exists(path):
            return None
        try:
            return form.model_validate_json(self._cache.read(path))
        except ValidationError:
            return None  # kept by another version; asked again

    def _keep(self, key: str, value: BaseModel) -> None:
        if self._cache is not None:
            self._cache.write(f"cache/llm/{key}.json", value.model_dump_json().encode())

    def _complete(self, messages: list[dict[str, str]], name: str, schema: dict[str, Any]) -> tuple[str, Usage]:
        from openai import BadRequestError, OpenAIError, UnprocessableEntityError

        try:
            while True:
                try:
                    return self._call(messages, name, schema)
                except (BadRequestError, UnprocessableEntityError):
                    if len(self._formats) == 1:
                        raise
                    self._formats.pop(0)  # the endpoint does not know this form of reply
        except (OpenAIError, ValueError, AttributeError, TypeError) as error:
            # Beside the errors of the client: a server that answers with something else than the protocol has.
            raise ModelError(
                f"the language model {self.name!r} at llm.base_url = {self._settings.base_url} did not answer "
                f"({type(error).__name__}: {self._without_key(str(error))}). Is it running, and is its key in {KEY_VARIABLES[0]}?"
            ) from None

    def _call(self, messages: list[dict[str, str]], name: str, schema: dict[str, Any]) -> tuple[str, Usage]:
        formats: dict[str, Any] = {
            "json_schema": {"type": "json_schema", "json_schema": {"name": name, "schema": schema}},
            "json_object": {"type": "json_object"},
        }
        options = {"response_format": formats[self._formats[0]]} if self._formats[0] else {}
        client: Any = self._client  # messages and options are built here, which the client's many overloads cannot follow
        made = client.chat.completions.create(
            model=self.name, messages=messages, temperature=0, max_tokens=self._settings.max_output_tokens, **options
        )
        text = made.choices[0].message.content if made.choices else ""
        used = made.usage
        return text or "", Usage(1, _count(used, "prompt_tokens"), _count(used, "completion_tokens"))

    @cached_property
    def _client(self) -> OpenAI:
        from openai import OpenAI

        settings = self._settings
        return OpenAI(base_url=settings.base_url, api_key=_key(), timeout=settings.timeout_s, max_retries=settings.max_retries)

    def _without_key(self, text: str) -> str:
        key = _key()
        return " ".join((text if key == _NO_KEY else text.replace(key, "***")).split())[:_MOST_QUOTED]


def first_object(text: str) -> Any:
    """The first JSON object in a text, whatever stands around it; ValueError where there is none."""
    decoder = json.JSONDecoder()
    at = text.find("{")
    while at >= 0:
        try:
            return decoder.raw_decode(text, at)[0]
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
    raise ValueError("no JSON object in the reply")


def _count(used: Any, name: str) -> int:
    """A count of tokens as the endpoint states it; 0 where it states none, bounded so that nonsense stays storable."""
    value = getattr(used, name, None)
    return min(max(int(value), 0), _MOST_TOKENS) if isinstance(value, (int, float)) else 0


def _key() -> str:
    return next((os.environ[name] for name in KEY_VARIABLES if os.environ.get(name)), _NO_KEY)


def _said(error: ValueError) -> str:
    if isinstance(error, ValidationError):
        return "; ".join(f"{'.'.join(map(str, fault['loc'])) or 'reply'}: {fault['msg']}" for fault in error.errors()[:5])
    return str(error)
