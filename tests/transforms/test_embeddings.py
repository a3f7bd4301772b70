"""Vectors of paragraphs: encoded once, reused by the hash of what was encoded."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl
import pytest

from assets_store.models.encoder import EncodedTexts
from assets_store.schemas import EMBEDDINGS
from docnav_pipeline.transforms.embeddings import build_embeddings, encoder_input, vector_column, vector_matrix
from tests.small_corpus import make_corpus

TEXT = "# Start\n\nTurn the key.\n\nTurn the key.\n\n# Stop\n\nTurn the key.\n\nPull the plug."


class CountingEncoder:
    """Vectors that hang on the length of the text, and a list of everything that was encoded."""

    def __init__(self, model_id: str = "counting@1") -> None:
        self.model_id = model_id
        self.texts: list[str] = []

    def encode(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> EncodedTexts:
        self.texts += texts
        if progress is not None:
            progress(len(texts))
        angles = np.array([len(text) for text in texts], np.float32)
        return EncodedTexts(np.stack([np.cos(angles), np.sin(angles)], axis=1), np.ones(len(texts), np.int32))


def test_equal_texts_under_one_path_are_encoded_once() -> None:
    paragraphs = make_corpus({"guide.md": TEXT}).paragraphs
    encoder = CountingEncoder()
    rows, n = build_embeddings(paragraphs, {}, encoder)
    assert n == 3
    assert encoder.texts == ["Start\nTurn the key.", "Stop\nTurn the key.", "Stop\nPull the plug."]
    assert rows.columns == [c.name for c in EMBEDDINGS.columns if c.name != "doc_version"]
    assert rows["paragraph_id"].to_list() == paragraphs["paragraph_id"].to_list()
    assert rows["vector"][0].to_list() == rows["vector"][1].to_list() != rows["vector"][2].to_list()


def test_a_known_vector_costs_no_encoding_and_comes_back_as_it_was() -> None:
    paragraphs = make_corpus({"guide.md": TEXT}).paragraphs
    rows, _ = build_embeddings(paragraphs, {}, CountingEncoder())
    known = {key: (np.array(vector, np.float32), n) for key, vector, n in rows.select("text_hash", "vector", "n_windows").iter_rows()}
    encoder = CountingEncoder()
    again, n = build_embeddings(paragraphs, known, encoder)
    assert n == 0
    assert encoder.texts == []
    assert again.equals(rows)


def test_vectors_of_another_model_are_not_known() -> None:
    paragraphs = make_corpus({"guide.md": "Turn."}).paragraphs
    rows, _ = build_embeddings(paragraphs, {}, CountingEncoder())
    _, n = build_embeddings(paragraphs, {rows["text_hash"][0]: (np.zeros(2, np.float32), 1)}, CountingEncoder("counting@2"))
    assert n == 1


def test_no_paragraph_gives_no_row() -> None:
    rows, n = build_embeddings(make_corpus({}).paragraphs, {}, CountingEncoder())
    assert (rows.height, n) == (0, 0)
    assert rows.schema["vector"] == pl.List(pl.Float32)


def test_the_path_stands_once_before_the_text() -> None:
    assert encoder_input(["Care", "Battery"], "Charge it.") == "Care > Battery\nCharge it."
    assert encoder_input([], "Charge it.") == "Charge it."


def test_matrix_and_column_are_inverse_and_empty_rows_are_left_out() -> None:
    matrix = np.arange(6, dtype=np.float32).reshape(3, 2)
    back, rows = vector_matrix(pl.concat([pl.Series([[]], dtype=pl.List(pl.Float32)), vector_column(matrix)]))
    assert back.tolist() == matrix.tolist()
    assert rows.tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="vectors of one length"):
        vector_matrix(pl.Series([[1.0], [1.0, 2.0]], dtype=pl.List(pl.Float32)))
