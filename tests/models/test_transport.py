"""Requests bounded in time and size, recorded, and replayed without an endpoint."""

from __future__ import annotations

import time
from pathlib import Path

import httpx
import pytest
from pydantic import BaseModel

from assets_store.errors import ModelError
from assets_store.models.transport import BoundedTransport, RecordingTransport, ReplayTransport, time_limit
from assets_store.settings import LanguageModelSettings
from docnav_agent.model import EndpointModel
from tests.agent.faulty_endpoint import FAULTS, faulty_endpoint
from tests.endpoint import scripted_endpoint


class Colour(BaseModel):
    name: str


def settings(base_url: str) -> LanguageModelSettings:
    return LanguageModelSettings(base_url=base_url, model="made-up", max_retries=0, timeout_s=5)


def test_what_was_recorded_is_replayed_without_an_endpoint_and_without_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCNAV_API_KEY", "sk-secret")
    record = tmp_path / "calls.jsonl"
    replies = iter(['{"name": "red"}', '{"name": "green"}'])
    with scripted_endpoint(lambda request: next(replies)) as endpoint:
        model = EndpointModel(settings(endpoint.base_url), transport=RecordingTransport(httpx.HTTPTransport(), record))
        first = [model.ask("Name a colour.", what, Colour) for what in ("blood", "grass")]
    again = EndpointModel(settings("http://127.0.0.1:9/v1"), transport=ReplayTransport(record))
    assert [again.ask("Name a colour.", what, Colour) for what in ("blood", "grass", "blood")] == [*first, first[0]]
    assert "sk-secret" not in record.read_text()
    with pytest.raises(ModelError, match="did not answer"):
        again.ask("Name a colour.", "the sky", Colour)


def test_a_reply_that_drips_or_swells_is_ended() -> None:
    with faulty_endpoint(FAULTS["slow stream"]) as base_url:
        client = httpx.Client(transport=BoundedTransport(httpx.HTTPTransport(), timeout_s=0.5))
        begun = time.monotonic()
        with pytest.raises(httpx.ReadTimeout, match="took too long"):
            client.post(f"{base_url}/x", content=b"{}")
        assert time.monotonic() - begun < 60
    with faulty_endpoint(FAULTS["huge reply"]) as base_url:
        client = httpx.Client(transport=BoundedTransport(httpx.HTTPTransport(), timeout_s=60, max_bytes=1000))
        with pytest.raises(httpx.ReadError, match="longer than 1000 bytes"):
            client.post(f"{base_url}/x", content=b"{}")


def test_no_request_begins_after_the_time_limit() -> None:
    with scripted_endpoint(lambda request: "{}") as endpoint:
        client = httpx.Client(transport=BoundedTransport(httpx.HTTPTransport(), timeout_s=5))
        with time_limit(0.0), pytest.raises(httpx.ReadTimeout, match="no time is left"):
            client.post(f"{endpoint.base_url}/x", content=b"{}")
        assert endpoint.requests == []
        assert client.post(f"{endpoint.base_url}/x", json={"model": "m"}).status_code == 200
