"""What calls of a language model took, and what those of one run may take."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from assets_store.errors import OverBudget


@dataclass(frozen=True, slots=True)
class Usage:
    """Calls that were made, and the tokens read and written by them: as the endpoint counts them, or counted here where it does not."""

    llm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.llm_calls + other.llm_calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )

    def __sub__(self, other: Usage) -> Usage:
        return Usage(
            self.llm_calls - other.llm_calls,
            self.prompt_tokens - other.prompt_tokens,
            self.completion_tokens - other.completion_tokens,
        )


class Spending:
    """What a run has spent, counted by several threads, under a cap in tokens and one in money; 0 is no cap.

    Prices are those of a million tokens. A call is begun only where what it takes at most still fits beside what was spent and
    what calls under way may take; so a cap is passed at most by what an estimate of a prompt was short of.
    """

    def __init__(self, max_tokens: int = 0, max_cost: float = 0.0, prompt_price: float = 0.0, completion_price: float = 0.0) -> None:
        self.used = Usage()
        self._max_tokens, self._max_cost = max_tokens, max_cost
        self._prices = (prompt_price, completion_price)
        self._reserved = Usage()
        self._lock = threading.Lock()

    @property
    def is_capped(self) -> bool:
        return bool(self._max_tokens or self._max_cost)

    def cost(self, usage: Usage) -> float:
        """Price of some tokens."""
        return (usage.prompt_tokens * self._prices[0] + usage.completion_tokens * self._prices[1]) / 1e6

    def allows(self, usage: Usage) -> bool:
        """Whether a whole run may take this much."""
        return (not self._max_tokens or usage.tokens <= self._max_tokens) and (not self._max_cost or self.cost(usage) <= self._max_cost)

    def fits(self, more: Usage) -> bool:
        """Whether calls that take this much may still be made."""
        return self.allows(self.used + self._reserved + more)

    def reserve(self, most: Usage) -> None:
        """Set aside what a call takes at most; OverBudget where that does not fit."""
        with self._lock:
            if not self.fits(most):
                raise OverBudget("the budget of this run is spent")
            self._reserved += most

    def settle(self, most: Usage, used: Usage) -> None:
        """Give back what was set aside for a call, and count what it took."""
        with self._lock:
            self._reserved -= most
            self.used += used
