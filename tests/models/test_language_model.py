"""The language model: forms of reply, one repair, what is kept, what errors say. The server is a real one on loopback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, Field

from assets_store.errors import ModelError, SettingsError
from assets_store.files import Files
from assets_store.models.language_model import LanguageModel, Usage, _count, first_object
from assets_store.settings import LanguageModelSettings
from tests.endpoint import scripted_endpoint


class Colour(BaseModel):
    name: str = Field(min_length=3)


def settings(base_url: str, **more: Any) -> LanguageModelSettings:
    return LanguageModelSettings(base_url=base_url, model="made-up", max_retries=0, timeout_s=10, **more)


def test_a_good_reply_is_checked_counted_and_kept(tmp_path: Path) -> None:
    with scripted_endpoint(lambda request: 'Here it is:\n```json\n{"name": "red"}\n```') as endpoint:
        model = LanguageModel(settings(endpoint.base_url), Files(tmp_path))
        first = model.ask("Name a colour.", "blood", Colour)
        again = model.ask("Name a colour.", "blood", Colour)
    assert (first.value, first.usage) == (Colour(name="red"), Usage(1, 100, 10))
    assert (again.value, again.usage) == (Colour(name="red"), Usage())
    assert len(endpoint.requests) == 1
    assert endpoint.requests[0]["temperature"] == 0
    assert endpoint.requests[0]["response_format"]["type"] == "json_schema"


def test_a_bad_reply_is_sent_back_once_with_what_is_wrong() -> None:
    replies = iter(['{"name": "r"}', '{"name": "red"}'])
    with scripted_endpoint(lambda request: next(replies)) as endpoint:
        reply = LanguageModel(settings(endpoint.base_url)).ask("Name a colour.", "blood", Colour)
    assert (reply.value, reply.usage.llm_calls) == (Colour(name="red"), 2)
    assert "at least 3 characters" in endpoint.requests[1]["messages"][-1]["content"]


def test_a_model_that_never_replies_in_form_gives_no_value_and_keeps_nothing(tmp_path: Path) -> None:
    with scripted_endpoint(lambda request: "no idea") as endpoint:
        reply = LanguageModel(settings(endpoint.base_url), Files(tmp_path)).ask("Name a colour.", "blood", Colour)
    assert (reply.value, reply.usage.llm_calls, reply.fault) == (None, 2, "no JSON object in the reply")
    assert not list(tmp_path.rglob("*.json"))


def test_an_endpoint_without_schemas_is_asked_in_plainer_forms() -> None:
    def script(request: dict[str, Any]) -> str | int:
        return 400 if "response_format" in request else '{"name": "red"}'

    with scripted_endpoint(script) as endpoint:
        model = LanguageModel(settings(endpoint.base_url))
        assert model.ask("Name a colour.", "blood", Colour).value == Colour(name="red")
        assert model.ask("Name a colour.", "grass", Colour).value == Colour(name="red")
    forms = [request.get("response_format", {}).get("type") for request in endpoint.requests]
    assert forms == ["json_schema", "json_object", None, None]


@pytest.mark.parametrize("status", [401, 500])
def test_an_error_names_the_setting_and_never_the_key(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCNAV_API_KEY", "sk-secret")
    with scripted_endpoint(lambda request: status) as endpoint:
        with pytest.raises(ModelError, match=r"llm\.base_url") as raised:
            LanguageModel(settings(endpoint.base_url)).ask("Name a colour.", "blood", Colour)
        assert endpoint.requests[0]["authorization"] == "Bearer sk-secret"
    assert "sk-secret" not in str(raised.value)


def test_a_server_that_is_not_there_is_an_error_with_a_next_step() -> None:
    with pytest.raises(ModelError, match="Is it running"):
        LanguageModel(settings("http://127.0.0.1:9/v1")).ask("Name a colour.", "blood", Colour)


def test_settings_without_an_endpoint_are_refused() -> None:
    with pytest.raises(SettingsError, match=r"llm\.base_url"):
        LanguageModel(LanguageModelSettings())


@pytest.mark.parametrize("text", ['{"a": 1}', '<think>{no}</think> {"a": 1} {"b": 2}', '```json\n{"a": 1}\n```'])
def test_the_first_object_is_found_whatever_stands_around_it(text: str) -> None:
    assert first_object(text) == json.loads('{"a": 1}')


def test_counts_that_no_model_can_have_are_bounded() -> None:
    assert [_count(type("Used", (), {"prompt_tokens": n})(), "prompt_tokens") for n in (7, -1, 10**20, None, "many")] == [
        7,
        0,
        10_000_000,
        0,
        0,
    ]
