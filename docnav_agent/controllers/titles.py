"""How much the titles above a paragraph are like the question: for tables and figures, whose own text says little."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from docnav_agent.search import Search

# Title paths whose vectors are kept per search; a manual has a few thousand.
MAX_KEPT = 20_000

_KEPT: WeakKeyDictionary[Search, dict[str, NDArray[np.float32]]] = WeakKeyDictionary()


class TitleLikeness:
    """Cosines of title paths with one question. Vectors of paths are shared by all runs over a search."""

    def __init__(self, question: str, search: Search) -> None:
        self._search = search
        self._question = question
        self._vector: NDArray[np.float32] | None = None
        self._kept = _KEPT.setdefault(search, {})

    def __call__(self, paths: Sequence[tuple[str, ...]]) -> list[float]:
        """Cosine of each path, cut at 0; 0 for an empty one."""
        texts = [" > ".join(path) for path in paths]
        if len(self._kept) > MAX_KEPT:
            self._kept.clear()
        new = [text for text in dict.fromkeys(texts) if text.strip() and text not in self._kept]
        if new:
            self._kept.update(zip(new, self._search.encode(new), strict=True))
        if self._vector is None:
            self._vector = self._search.encode([self._question])[0]
        return [max(0.0, float(self._kept[text] @ self._vector)) if text.strip() else 0.0 for text in texts]
