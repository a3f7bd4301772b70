"""A language model behind an OpenAI-compatible endpoint: replies as checked JSON, kept by content, paced, calls and tokens counted."""

from __future__ import annotations

import json
import math
import os
import threading
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from assets_store.errors import ModelError, RequestRefused, SettingsError
from assets_store.ids import content_hash
from assets_store.models.pace import Pace
from assets_store.models.usage import Spending, Usage
from assets_store.tokens import count_tokens

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAI

    from assets_store.files import Files
    from assets_store.settings import LanguageModelSettings

# Folder of a store with kept replies.
REPLIES = "cache/llm"
KEY_VARIABLES = ("DOCNAV_API_KEY", "OPENAI_API_KEY")
_NO_KEY = "none"  # the client insists on a key; servers on one's own machine ask for none
_MOST_QUOTED = 300
_MOST_TOKENS = 10_000_000
# What an endpoint answers to a request that it will never take: bad, too large, not processable.
_REFUSALS = frozenset({400, 413, 422})
# Tokens of a model over those of `assets_store.tokens`, at most in the languages that both were compared on.
TOKENIZER_SLACK = 1.25
T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Reply(Generic[T]):
    """What a model said. value: None when no reply was of the asked form, also after it was told so; `fault` says why.

    usage: of calls made now. made: of all calls that led to the value, also where it was kept from an earlier run.
    """

    value: T | None
    usage: Usage
    fault: str = ""
    made: Usage = field(default_factory=Usage)


class LanguageModel:
    """One model of one endpoint, for several threads.

    cache: files below which good replies are kept by the hash of what was asked (REPLIES); None keeps none. asked_by: the
    setting that asks for it, for the message. spending: what calls may take; no cap where None.
    Raises SettingsError where the settings name no endpoint or no model. A call raises ModelError where the endpoint does not
    answer, after the retries of the settings (429, 5xx, timeouts; Retry-After is kept up to two minutes), RequestRefused where it
    refuses this one request, OverBudget where a cap would be passed.
    """

    def __init__(
        self, settings: LanguageModelSettings, cache: Files | None = None, asked_by: str = "", spending: Spending | None = None
    ) -> None:
        if not settings.base_url or not settings.model:
            missing = "llm.base_url" if not settings.base_url else "llm.model"
            raise SettingsError(
                f"{missing} is not set, but {asked_by or 'the command'} asks for a language model; "
                f"set it in docnav.toml or as DOCNAV_{missing.upper().replace('.', '__')}, or switch the use off."
            )
        self.name = settings.model
        self.spending = spending or Spending()
        self._settings = settings
        self._cache = cache
        self._formats = ["json_schema", "json_object", ""]  # what the endpoint has not refused yet, best first
        # Newer models of some vendors take neither the old name of the limit nor a temperature.
        self._limit_name, self._takes_temperature = "max_tokens", True
        self._requests, self._tokens = Pace(settings.requests_per_minute), Pace(settings.tokens_per_minute)
        self._lock = threading.Lock()

    def ask(
        self,
        instructions: str,
        data: str,
        form: type[T],
        content: str = "",
        already: Usage | None = None,
        max_output_tokens: int | None = None,
    ) -> Reply[T]:
        """One reply of a given form. instructions: the same for all of a kind, so that servers can keep them; data: what it is about.

        A reply that is not of the form is sent back once, with what is wrong with it. content: stands for `data` in the name under
        which a reply is kept, where what was asked before about the same content is as good. already: usage of calls that led to
        this one. max_output_tokens: that of the settings where None.
        """
        content = content or data
        known = self.known(instructions, content, form)
        if known is not None:
            return known
        messages = [{"role": "system", "content": instructions}, {"role": "user", "content": data}]
        usage, fault = Usage(), ""
        for _ in range(2):
            text, cut, spent = self._complete(messages, form, max_output_tokens or self._settings.max_output_tokens)
            usage += spent
            try:
                value = form.model_validate(first_object(text))
            except ValueError as error:
                fault = "the reply was cut off at the limit of its length" if cut else _said(error)
                said = [{"role": "assistant", "content": text}] if text else []
                told = f"That is not of the asked form: {fault}. Reply with the JSON object only{', and shorter' if cut else ''}."
                messages = [*messages[:2], *said, {"role": "user", "content": told}]
                continue
            made = (already or Usage()) + usage
            self._keep(self._path(instructions, content, form), value, made)
            return Reply(value, usage, made=made)
        return Reply(None, usage, fault, (already or Usage()) + usage)

    def known(self, instructions: str, content: str, form: type[T]) -> Reply[T] | None:
        """The reply that is kept; None where there is none."""
        if self._cache is None:
            return None
        try:
            kept = json.loads(self._cache.read(self._path(instructions, content, form)))
            return Reply(form.model_validate(kept["reply"]), Usage(), made=Usage(*(int(n) for n in kept["usage"])))
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None  # none, or kept by another version; asked again

    def _path(self, instructions: str, content: str, form: type[BaseModel]) -> str:
        schema = json.dumps(form.model_json_schema(), sort_keys=True)
        return f"{REPLIES}/{content_hash(self.name, instructions, content, schema, length=32)}.json"

    def _keep(self, path: str, value: BaseModel, made: Usage) -> None:
        if self._cache is not None:
            kept = {"reply": value.model_dump(mode="json"), "usage": [made.llm_calls, made.prompt_tokens, made.completion_tokens]}
            self._cache.write(path, json.dumps(kept, ensure_ascii=False).encode())

    def _complete(self, messages: list[dict[str, str]], form: type[BaseModel], most: int) -> tuple[str, bool, Usage]:
        """Text of a reply, whether it was cut off, and what it took."""
        from openai import APIStatusError, OpenAIError

        refusal: APIStatusError | None = None
        formats = list(self._formats)
        try:
            while formats:
                spelling = (self._limit_name, self._takes_temperature)
                try:
                    made = self._call(messages, form, formats[0], spelling, most)
                except APIStatusError as error:
                    if error.status_code not in _REFUSALS:
                        raise
                    refusal = error
                    if not self._learn(error, spelling):
                        formats.pop(0)  # the endpoint may not know this form of reply
                    continue
                with self._lock:  # only now is it known that the form was at fault, and not this request
                    self._formats = [f for f in self._formats if f in formats]
                return made
        except (OpenAIError, ValueError, AttributeError, TypeError) as error:
            # Beside the errors of the client: a server that answers with something else than the protocol has.
            raise ModelError(
                f"the language model {self.name!r} at llm.base_url = {self._settings.base_url} did not answer "
                f"({type(error).__name__}: {self._without_key(str(error))}). Is it running, and is its key in {KEY_VARIABLES[0]}?"
            ) from None
        raise RequestRefused(
            f"the language model {self.name!r} at llm.base_url = {self._settings.base_url} refused a request "
            f"({self._without_key(str(refusal))}). Is llm.model right, and is its window as long as the settings ask for?"
        )

    def _learn(self, error: APIStatusError, spelling: tuple[str, bool]) -> bool:
        """Whether the endpoint named an option that it does not take, and another spelling is left to try."""
        limit_name, has_temperature = spelling
        if error.param == "max_tokens" and limit_name == "max_tokens":
            self._limit_name = "max_completion_tokens"
            return True
        if error.param == "temperature" and has_temperature:
            self._takes_temperature = False
            return True
        return False

    def _call(
        self, messages: list[dict[str, str]], form: type[BaseModel], reply_format: str, spelling: tuple[str, bool], most: int
    ) -> tuple[str, bool, Usage]:
        formats: dict[str, Any] = {
            "json_schema": {"type": "json_schema", "json_schema": {"name": form.__name__, "schema": form.model_json_schema()}},
            "json_object": {"type": "json_object"},
        }
        options: dict[str, Any] = {"response_format": formats[reply_format]} if reply_format else {}
        limit_name, has_temperature = spelling
        options |= {limit_name: most, **({"temperature": 0} if has_temperature else {})}
        client: Any = self._client  # messages and options are built here, which the client's many overloads cannot follow
        read = sum(count_tokens(message["content"]) for message in messages)
        at_most = Usage(1, math.ceil(read * TOKENIZER_SLACK), most)
        self.spending.reserve(at_most)
        usage = Usage()
        try:
            self._requests.take()
            self._tokens.take(at_most.tokens)
            made = client.chat.completions.create(model=self.name, messages=messages, **options)
            choices = made.choices or []
            text = (choices[0].message.content if choices else "") or ""
            usage = Usage(1, _count(made.usage, "prompt_tokens") or read, _count(made.usage, "completion_tokens") or count_tokens(text))
        finally:
            self.spending.settle(at_most, usage)
            self._tokens.correct(usage.tokens - at_most.tokens)
        return text, bool(choices) and choices[0].finish_reason == "length", usage

    @property
    def _client(self) -> OpenAI:
        with self._lock:
            return self._made_client

    @cached_property
    def _made_client(self) -> OpenAI:
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
