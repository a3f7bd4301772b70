"""Turning postings round on disk equals turning a sparse matrix round in memory, however the rows are cut into pieces."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from assets_store.postings import transpose

rows = st.lists(st.dictionaries(st.integers(0, 7), st.integers(1, 9), max_size=8), max_size=12)


@settings(max_examples=60, deadline=None)
@given(rows, st.integers(1, 5))
def test_pieces_of_any_size_give_the_columns_of_the_matrix(table: list[dict[int, int]], size: int) -> None:
    columns = [np.array(list(row), np.int32) for row in table]
    counts = [np.array(list(row.values()), np.uint16) for row in table]
    pieces = [
        (
            np.array([part.size for part in columns[at : at + size]], np.int64),
            np.concatenate([np.empty(0, np.int32), *columns[at : at + size]]),
            np.concatenate([np.empty(0, np.uint16), *counts[at : at + size]]),
        )
        for at in range(0, len(table), size)
    ]
    flat = np.concatenate([np.empty(0, np.int32), *columns])
    starts = np.concatenate([[0], np.cumsum([part.size for part in columns])]).astype(np.int64)
    values = np.concatenate([np.empty(0, np.uint16), *counts])
    expected = csr_array((values, flat, starts), shape=(len(table), 8)).tocsc()
    with TemporaryDirectory() as folder:
        offsets = transpose(pieces, np.bincount(flat, minlength=8), Path(folder), ("rows", "counts"))
        assert offsets.tolist() == expected.indptr.tolist()
        assert np.load(Path(folder) / "rows.npy").tolist() == expected.indices.tolist()
        assert np.load(Path(folder) / "counts.npy").tolist() == expected.data.tolist()
