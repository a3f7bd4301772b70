"""Vectors of paragraphs: each different text with its path is encoded once, and not at all when its vector is known."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from assets_store.ids import content_hash
from assets_store.models.encoder import TextEncoder
from assets_store.rows import empty_rows
from assets_store.schemas import EMBEDDINGS

_SCHEMA = empty_rows(EMBEDDINGS, without=["doc_version"]).schema
_PATH_SEPARATOR = " > "

Known = Mapping[str, tuple[npt.NDArray[np.float32], int]]


def encoder_input(path: Sequence[str], text: str) -> str:
    """What is encoded for a paragraph: the titles above it once, then its text."""
    return f"{_PATH_SEPARATOR.join(path)}\n{text}" if path else text


def build_embeddings(
    paragraphs: pl.DataFrame,
    known: Known,
    encoder: TextEncoder,
    progress: Callable[[int], None] | None = None,
    elsewhere: Callable[[Collection[str]], Known] | None = None,
) -> tuple[pl.DataFrame, int]:
    """Rows of `embeddings` (without doc_version), one per paragraph in the order given, and how many texts were encoded.

    paragraphs: doc_id, paragraph_id, path, text. known: text_hash -> (vector float32 [dim], n_windows) of vectors made before; the
    hash covers the model, so vectors of another model never match. elsewhere: asked for the hashes that are not among them, as after
    a rename. progress: called with the number of texts encoded since its last call.
    """
    inputs = [encoder_input(path, text) for path, text in zip(paragraphs["path"].to_list(), paragraphs["text"], strict=True)]
    hashes = [content_hash(encoder.model_id, text) for text in inputs]
    new = {key: text for key, text in zip(hashes, inputs, strict=True) if key not in known}
    if new and elsewhere is not None:
        known = {**known, **elsewhere(new.keys())}
        new = {key: text for key, text in new.items() if key not in known}
    encoded = encoder.encode(list(new.values()), progress) if new else None
    row_of = {key: row for row, key in enumerate(new)}
    vectors: list[npt.NDArray[np.float32]] = []
    n_windows: list[int] = []
    for key in hashes:
        if encoded is not None and key in row_of:
            vectors.append(encoded.vectors[row_of[key]])
            n_windows.append(int(encoded.n_windows[row_of[key]]))
        else:
            vector, windows = known[key]
            vectors.append(np.asarray(vector, np.float32))
            n_windows.append(windows)
    rows = paragraphs.select("doc_id", "paragraph_id").with_columns(
        vector=vector_column(np.stack(vectors)) if vectors else pl.Series(dtype=pl.List(pl.Float32)),
        text_hash=pl.Series(hashes, dtype=pl.String),
        model=pl.lit(encoder.model_id),
        n_windows=pl.Series(n_windows, dtype=pl.Int32),
    )
    return rows.select(_SCHEMA.names()).cast(_SCHEMA), len(new)


def vector_column(matrix: npt.NDArray[np.float32]) -> pl.Series:
    """Rows of a matrix [n, dim] as a list column, without a Python object per number."""
    return pl.Series(np.ascontiguousarray(matrix, np.float32)).cast(pl.List(pl.Float32))


def vector_matrix(column: pl.Series) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """A list column as a matrix [n_filled, dim] and the rows [n_filled] of the column that hold a vector; empty lists are left out.

    Raises ValueError when vectors differ in length.
    """
    lengths = column.list.len().fill_null(0).to_numpy()
    filled = np.flatnonzero(lengths)
    if not len(filled):
        return np.zeros((0, 0), np.float32), filled.astype(np.int64)
    dim = int(lengths[filled[0]])
    if (lengths[filled] != dim).any():
        raise ValueError(
            f"expected vectors of one length, found {sorted(set(lengths[filled].tolist()))}: were they made by different models?"
        )
    flat = column.gather(filled).explode().to_numpy().astype(np.float32, copy=False)
    return flat.reshape(len(filled), dim), filled.astype(np.int64)
