"""Fixtures for all tests: the models of the `local` profile, loaded once per run."""

from __future__ import annotations

import pytest
from hypothesis import settings

from assets_store.models.encoder import Encoder, load_encoder
from assets_store.models.entities import EntityRecognizer, load_recognizer
from assets_store.settings import EmbeddingSettings, FeatureSettings

# A busy machine is no failure: the time of one example is not checked.
settings.register_profile("docnav", deadline=None)
settings.load_profile("docnav")


@pytest.fixture(scope="session")
def encoder() -> Encoder:
    """The packaged MiniLM encoder, in float32 so that numbers are the same on every processor."""
    loaded = load_encoder(EmbeddingSettings(device="cpu", dtype="float32"))
    assert isinstance(loaded, Encoder)
    return loaded


@pytest.fixture(scope="session")
def recognizer() -> EntityRecognizer:
    """The packaged English recogniser."""
    loaded = load_recognizer(FeatureSettings())
    assert loaded is not None
    return loaded
