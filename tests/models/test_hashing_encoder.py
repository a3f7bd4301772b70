"""The hashing encoder: unit vectors, the same in every process, nearer for texts that share words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets_store.errors import ModelError
from assets_store.models.encoder import encoder_id, load_encoder
from assets_store.models.hashing_encoder import HashingEncoder
from assets_store.settings import EmbeddingSettings


@given(st.lists(st.text(), min_size=1, max_size=5))
def test_every_text_has_a_vector_of_length_one(texts: list[str]) -> None:
    encoded = HashingEncoder(64).encode(texts)
    assert encoded.vectors.shape == (len(texts), 64)
    assert np.allclose(np.linalg.norm(encoded.vectors, axis=1), 1, atol=1e-5)


def test_shared_words_make_texts_near() -> None:
    wells, pumps, noise = HashingEncoder(256).encode(["deep wells run dry", "deep wells need pumps", "the train leaves at noon"]).vectors
    assert wells @ pumps > wells @ noise + 0.2


def test_the_numbers_stay_the_same() -> None:
    vector = HashingEncoder(16).encode(["deep wells"]).vectors[0]
    assert np.flatnonzero(vector).tolist() == [2, 10, 13]


def test_a_setting_names_it_with_its_dimensions() -> None:
    encoder = load_encoder(EmbeddingSettings(model="hashing-512"))
    assert encoder.model_id == encoder_id("hashing-512") == "hashing-512@1"
    assert encoder_id("hashing") == "hashing-256@1"
    with pytest.raises(ModelError, match="16 to 4096 dimensions"):
        load_encoder(EmbeddingSettings(model="hashing-9999"))
