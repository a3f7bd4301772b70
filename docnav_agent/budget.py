"""Steps, tokens, seconds and money: the limits of a run and what it has spent, one object for every system."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from assets_store.settings import AgentSettings

STEP_LIMIT = "step_limit"
EVIDENCE_LIMIT = "evidence_limit"
TIME_LIMIT = "time_limit"
LLM_LIMIT = "llm_limit"
COST_LIMIT = "cost_limit"


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one run.

    max_steps: actions, or searches of a system without actions.
    evidence_tokens: tokens of fetched source text, counted by `assets_store.tokens`.
    max_seconds: wall clock.
    max_llm_tokens, max_cost: tokens read and written by a language model, money in the unit of the price list; None = no limit.
    fill: go on collecting evidence up to `evidence_tokens` when the question could be answered already, so that systems are
        compared at equal budgets.
    """

    max_steps: int = 12
    evidence_tokens: int = 6000
    max_seconds: float = 120.0
    max_llm_tokens: int | None = None
    max_cost: float | None = None
    fill: bool = False

    def __post_init__(self) -> None:
        for name, value in (("max_steps", self.max_steps), ("evidence_tokens", self.evidence_tokens), ("max_seconds", self.max_seconds)):
            if value <= 0:
                raise ValueError(f"{name} must be above 0, found {value}")

    @classmethod
    def from_settings(
        cls,
        settings: AgentSettings,
        *,
        max_steps: int | None = None,
        evidence_tokens: int | None = None,
        max_seconds: float | None = None,
        fill: bool = False,
    ) -> Budget:
        """Limits of docnav.toml, where an argument does not override them."""
        return cls(
            max_steps=settings.max_steps if max_steps is None else max_steps,
            evidence_tokens=settings.budget_tokens if evidence_tokens is None else evidence_tokens,
            max_seconds=settings.max_seconds if max_seconds is None else max_seconds,
            max_llm_tokens=settings.max_llm_tokens or None,
            max_cost=settings.max_cost or None,
            fill=fill,
        )

    def start(self, clock: Callable[[], float] = time.monotonic) -> Spent:
        """Counters at zero, with the clock running. clock: seconds from any origin, never backwards."""
        return Spent(self, clock, clock())


@dataclass(slots=True)
class Spent:
    """What a run has used of its budget."""

    budget: Budget
    clock: Callable[[], float] = field(repr=False)
    started: float = field(repr=False)
    steps: int = 0
    evidence_tokens: int = 0
    llm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0

    @property
    def seconds(self) -> float:
        """Wall-clock seconds since the start."""
        return self.clock() - self.started

    @property
    def llm_tokens(self) -> int:
        """Tokens read and written by a language model."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def evidence_left(self) -> int:
        """Evidence tokens that may still be fetched."""
        return max(0, self.budget.evidence_tokens - self.evidence_tokens)

    @property
    def seconds_left(self) -> float:
        """Seconds until the time limit; below 0 after it."""
        return self.budget.max_seconds - self.seconds

    def fits(self, n_tokens: int) -> bool:
        """Whether an evidence item of this size may be added; the first item always may, however long it is."""
        return self.evidence_tokens == 0 or n_tokens <= self.evidence_left

    def add_step(self) -> None:
        self.steps += 1

    def add_evidence(self, n_tokens: int) -> None:
        self.evidence_tokens += n_tokens

    def add_llm_call(self, prompt_tokens: int, completion_tokens: int, cost: float = 0.0, calls: int = 1) -> None:
        """Count what a reply took. calls: 2 where it had to be asked for again."""
        self.llm_calls += calls
        self.prompt_tokens += prompt_tokens
        self.completion_tokens += completion_tokens
        self.cost += cost

    def limit_reached(self) -> str | None:
        """Name of the first limit that is used up, None while there is room."""
        budget = self.budget
        if self.evidence_tokens >= budget.evidence_tokens:
            return EVIDENCE_LIMIT
        if self.steps >= budget.max_steps:
            return STEP_LIMIT
        if self.seconds >= budget.max_seconds:
            return TIME_LIMIT
        return self.llm_limit_reached()

    def llm_limit_reached(self) -> str | None:
        """Name of the limit of tokens or money that is used up, None while a call may be made."""
        budget = self.budget
        if budget.max_llm_tokens is not None and self.llm_tokens >= budget.max_llm_tokens:
            return LLM_LIMIT
        if budget.max_cost is not None and self.cost >= budget.max_cost:
            return COST_LIMIT
        return None
