"""A cross-encoder: reads question and paragraph together and gives a score; loaded from this machine, or from the hub where it may."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

from assets_store.errors import ModelError

Score = Callable[[str, Sequence[str]], list[float]]
_BATCH = 16


@lru_cache(maxsize=2)
def load_cross_encoder(name: str) -> Score:
    """(question, texts) → scores, higher is better. name: a folder or a hub name. Raises ModelError where it cannot be had."""
    from assets_store.models.encoder import quiet_loading

    folder = Path(name).expanduser()
    offline = folder.is_dir() or os.environ.get("HF_HUB_OFFLINE", "").strip().upper() in {"1", "ON", "YES", "TRUE"}
    with quiet_loading():
        from sentence_transformers import CrossEncoder

        try:
            model = CrossEncoder(str(folder) if folder.is_dir() else name, local_files_only=offline)
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            raise ModelError(
                f"reranker = {name!r} cannot be loaded as a cross-encoder ({type(error).__name__}: {error}). "
                "Name a folder with its files, or a hub name where HF_HUB_OFFLINE is not set."
            ) from error
    if model.model.config.num_labels != 1:
        raise ModelError(f"reranker = {name!r} gives {model.model.config.num_labels} labels; expected a cross-encoder with one score")

    def score(question: str, texts: Sequence[str]) -> list[float]:
        if not texts:
            return []
        return [float(value) for value in model.predict([(question, text) for text in texts], batch_size=_BATCH, show_progress_bar=False)]

    return score
