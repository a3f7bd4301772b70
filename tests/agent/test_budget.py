"""Budgets: what fits, which limit is named, and when."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assets_store.settings import AgentSettings
from docnav_agent.budget import COST_LIMIT, EVIDENCE_LIMIT, LLM_LIMIT, STEP_LIMIT, TIME_LIMIT, Budget


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_the_first_item_always_fits_and_later_ones_only_within_the_budget() -> None:
    spent = Budget(evidence_tokens=100).start()
    assert spent.fits(5000)
    spent.add_evidence(60)
    assert spent.evidence_left == 40
    assert spent.fits(40)
    assert not spent.fits(41)


def test_each_limit_has_its_name() -> None:
    clock = Clock()
    budget = Budget(max_steps=2, evidence_tokens=10, max_seconds=5, max_llm_tokens=7, max_cost=0.5)
    assert budget.start(clock).limit_reached() is None
    steps, evidence, late, calls, dear = (budget.start(clock) for _ in range(5))
    steps.add_step()
    assert steps.limit_reached() is None
    steps.add_step()
    assert steps.limit_reached() == STEP_LIMIT
    evidence.add_evidence(10)
    assert evidence.limit_reached() == EVIDENCE_LIMIT
    calls.add_llm_call(4, 3)
    assert (calls.limit_reached(), calls.llm_calls, calls.llm_tokens) == (LLM_LIMIT, 1, 7)
    dear.add_llm_call(1, 1, cost=0.5)
    assert dear.limit_reached() == COST_LIMIT
    clock.now += 5
    assert late.limit_reached() == TIME_LIMIT
    assert late.seconds == pytest.approx(5)


def test_settings_hold_where_no_argument_overrides_them() -> None:
    settings = AgentSettings(max_steps=3, budget_tokens=700, max_seconds=9)
    assert Budget.from_settings(settings) == Budget(3, 700, 9.0)
    assert Budget.from_settings(settings, max_steps=5, evidence_tokens=1, fill=True) == Budget(5, 1, 9.0, fill=True)
    limited = Budget.from_settings(AgentSettings(max_llm_tokens=9000, max_cost=0.5))
    assert (limited.max_llm_tokens, limited.max_cost) == (9000, 0.5)


def test_a_repaired_reply_counts_as_two_calls() -> None:
    spent = Budget(max_seconds=5).start(Clock())
    spent.add_llm_call(200, 20, calls=2)
    assert (spent.llm_calls, spent.llm_tokens, spent.seconds_left) == (2, 220, 5)


@pytest.mark.parametrize("name", ["max_steps", "evidence_tokens", "max_seconds"])
def test_a_limit_of_nothing_is_refused(name: str) -> None:
    limits: dict[str, Any] = {name: 0}
    with pytest.raises(ValueError, match=f"{name} must be above 0, found 0"):
        replace(Budget(), **limits)
