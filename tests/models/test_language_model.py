"""The language model: forms of reply, one repair, what is kept, caps, pace, what errors say. The server is a real one on loopback."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, Field

from assets_store.errors import ModelError, OverBudget, RequestRefused, SettingsError
from assets_store.files import Files
from assets_store.models.language_model import LanguageModel, _count, first_object
from assets_store.models.pace import Pace
from assets_store.models.usage import Spending, Usage
from assets_store.settings import LanguageModelSettings
from tests.endpoint import Said, scripted_endpoint


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


def test_a_kept_reply_says_what_it_took_when_it_was_made(tmp_path: Path) -> None:
    with scripted_endpoint(lambda request: '{"name": "red"}') as endpoint:
        LanguageModel(settings(endpoint.base_url), Files(tmp_path)).ask("Name a colour.", "blood", Colour, already=Usage(2, 30, 4))
        again = LanguageModel(settings(endpoint.base_url), Files(tmp_path)).ask("Name a colour.", "blood", Colour)
    assert (again.usage, again.made) == (Usage(), Usage(3, 130, 14))


def test_a_reply_can_be_kept_by_what_it_is_about(tmp_path: Path) -> None:
    with scripted_endpoint(lambda request: '{"name": "red"}') as endpoint:
        model = LanguageModel(settings(endpoint.base_url), Files(tmp_path))
        model.ask("Name a colour.", "blood, said one way", Colour, content="blood")
        model.ask("Name a colour.", "blood, said another way", Colour, content="blood")
        assert model.known("Name a colour.", "blood", Colour) is not None
        assert model.known("Name a colour.", "grass", Colour) is None
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("kept", ["", "{", "[]", '{"reply": {"name": "r"}, "usage": [1, 2, 3]}', '{"name": "red"}'])
def test_a_kept_file_of_another_form_is_asked_again(kept: str, tmp_path: Path) -> None:
    with scripted_endpoint(lambda request: '{"name": "red"}') as endpoint:
        model = LanguageModel(settings(endpoint.base_url), Files(tmp_path))
        model.ask("Name a colour.", "blood", Colour)
        (path,) = (tmp_path / "cache" / "llm").iterdir()
        path.write_text(kept)
        assert model.ask("Name a colour.", "blood", Colour).usage.llm_calls == 1


FAILURES = [Said(status=429, retry_after=0.2), Said(status=500), Said(status=503), Said(delay_s=4)]


@pytest.mark.parametrize("failure", FAILURES, ids=["429", "500", "503", "timeout"])
def test_passing_failures_are_tried_again(failure: Said) -> None:
    replies: Iterator[str | Said] = chain([failure, failure], repeat('{"name": "red"}'))
    with scripted_endpoint(lambda request: next(replies)) as endpoint:
        patient = LanguageModelSettings(base_url=endpoint.base_url, model="made-up", max_retries=5, timeout_s=2)
        started = time.monotonic()
        reply = LanguageModel(patient).ask("Name a colour.", "blood", Colour)
    assert (reply.value, reply.usage) == (Colour(name="red"), Usage(1, 100, 10))
    assert len(endpoint.requests) >= 3
    assert time.monotonic() - started >= 2 * (failure.retry_after or 0)


@pytest.mark.parametrize("broken", ['{"name": "re', '{"colour": "red"}', '{"name": ["red"]}', "", Said(None)])
def test_a_broken_reply_is_repaired_once(broken: str | Said) -> None:
    replies = iter([broken, '{"name": "red"}'])
    with scripted_endpoint(lambda request: next(replies)) as endpoint:
        reply = LanguageModel(settings(endpoint.base_url)).ask("Name a colour.", "blood", Colour)
    assert (reply.value, reply.usage.llm_calls) == (Colour(name="red"), 2)
    assert all(message["content"] for message in endpoint.requests[1]["messages"])


def test_a_reply_that_was_cut_off_is_told_so() -> None:
    with scripted_endpoint(lambda request: Said('{"name": "re', finish_reason="length")) as endpoint:
        reply = LanguageModel(settings(endpoint.base_url)).ask("Name a colour.", "blood", Colour)
    assert reply.fault == "the reply was cut off at the limit of its length"
    assert "and shorter" in endpoint.requests[1]["messages"][-1]["content"]


def test_one_refused_request_costs_no_form_of_reply() -> None:
    with scripted_endpoint(lambda request: 400 if "too long" in str(request["messages"]) else '{"name": "red"}') as endpoint:
        model = LanguageModel(settings(endpoint.base_url))
        with pytest.raises(RequestRefused, match=r"Is llm\.model right"):
            model.ask("Name a colour.", "too long", Colour)
        assert model.ask("Name a colour.", "blood", Colour).value == Colour(name="red")
    assert endpoint.requests[-1]["response_format"]["type"] == "json_schema"


def test_options_that_newer_models_refuse_are_spelled_otherwise() -> None:
    def script(request: dict[str, Any]) -> str | Said:
        wrong = next((name for name in ("max_tokens", "temperature") if name in request), None)
        return Said(status=400, param=wrong) if wrong else '{"name": "red"}'

    with scripted_endpoint(script) as endpoint:
        model = LanguageModel(settings(endpoint.base_url))
        for thing in ("blood", "wine"):
            assert model.ask("Name a colour.", thing, Colour, max_output_tokens=50).value == Colour(name="red")
    assert [request.get("max_completion_tokens") for request in endpoint.requests] == [None, 50, 50, 50]
    assert all(request["response_format"]["type"] == "json_schema" for request in endpoint.requests)


def test_tokens_are_counted_here_where_the_endpoint_states_none() -> None:
    with scripted_endpoint(lambda request: Said('{"name": "red"}', states_usage=False)) as endpoint:
        usage = LanguageModel(settings(endpoint.base_url)).ask("Name a colour.", "blood", Colour).usage
    assert (usage.prompt_tokens, usage.completion_tokens) == (5, 9)


def test_no_call_is_begun_that_could_pass_a_cap() -> None:
    spending = Spending(max_tokens=150)
    with scripted_endpoint(lambda request: '{"name": "red"}') as endpoint:
        model = LanguageModel(settings(endpoint.base_url), spending=spending)
        model.ask("Name a colour.", "blood", Colour, max_output_tokens=50)
        with pytest.raises(OverBudget):
            model.ask("Name a colour.", "grass", Colour, max_output_tokens=50)
    assert (len(endpoint.requests), spending.used) == (1, Usage(1, 100, 10))


def test_a_cap_in_money_counts_by_prices_and_what_is_under_way() -> None:
    spending = Spending(max_cost=1.0, prompt_price=2.0, completion_price=10.0)
    assert spending.cost(Usage(1, 100_000, 50_000)) == pytest.approx(0.7)
    spending.reserve(Usage(1, 100_000, 50_000))
    with pytest.raises(OverBudget):
        spending.reserve(Usage(1, 200_000, 0))
    spending.settle(Usage(1, 100_000, 50_000), Usage(1, 100_000, 0))
    spending.reserve(Usage(1, 200_000, 0))
    assert spending.used == Usage(1, 100_000, 0)


def test_turns_are_spread_over_the_minute_and_corrected() -> None:
    now, slept = [0.0], list[float]()
    pace = Pace(120, clock=lambda: now[0], sleep=slept.append)
    pace.take()
    pace.take()
    pace.take(3)
    assert slept == [0.5, 1.0]
    pace.correct(-2)
    pace.take()
    assert slept == [0.5, 1.0, 1.5]
    now[0] = 60.0
    pace.take()
    assert len(slept) == 3
    Pace(0, sleep=slept.append).take(10**9)
    assert len(slept) == 3


def test_several_threads_ask_one_model() -> None:
    with scripted_endpoint(lambda request: Said('{"name": "red"}', delay_s=0.05)) as endpoint:
        model = LanguageModel(settings(endpoint.base_url, requests_per_minute=6000, tokens_per_minute=10_000_000))
        with ThreadPoolExecutor(8) as pool:
            replies = list(pool.map(lambda n: model.ask("Name a colour.", f"thing {n}", Colour), range(24)))
    assert {reply.usage for reply in replies} == {Usage(1, 100, 10)}
    assert (len(endpoint.requests), model.spending.used) == (24, Usage(24, 2400, 240))
