"""Measures that a question names, and the statements that they are computed from."""

from __future__ import annotations

from pathlib import Path

import pytest

from docnav_agent.agent import DocnavSystem
from docnav_agent.budget import Budget
from docnav_agent.controllers import rules
from docnav_agent.controllers.measures import measures_in
from docnav_agent.systems import Question, SystemOptions
from tests.factories import make_search

WORDS = ("rivals", "lenders", "suppliers", "owners")
LETTERS = "".join(f"# Letter {n}\n\nA word on {WORDS[n % 4]}, who wrote about pump {n} this year.\n\n" for n in range(12))
QUESTION = "Has the quick ratio improved against that of rivals, and what do lenders, suppliers and owners say?"
BALANCE = """# Year

| Year | 2023 |
| --- | --- |
| Inventories | 40 |
| Total current assets | 90 |
| Total current liabilities | 60 |
"""


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Has the quick ratio improved?", ["quick ratio"]),
        ("Is SG&A margin above the Gross Margin?", ["gross margin", "SG&A margin"]),
        ("Are quick ratios or grossmargins of use?", []),
        ("What is EBITDA margin?", ["EBITDA margin"]),
        ("How long must the battery charge?", []),
    ],
)
def test_names_are_found_as_whole_words_and_the_longest_counts(question: str, names: list[str]) -> None:
    assert [measure.name for measure in measures_in(question)] == names


def test_a_measure_leads_to_the_statement_with_its_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    search = make_search(tmp_path / "store", {"report.md": LETTERS + BALANCE})

    def place() -> tuple[int, list[str]]:
        run = DocnavSystem(search, SystemOptions()).run(Question("q", QUESTION), Budget(fill=True))
        return next(n for n, item in enumerate(run.evidence) if "Inventories" in item.text), [step.why for step in run.steps]

    with_parts, steps = place()
    assert "what quick ratio is computed from" in steps
    monkeypatch.setattr(rules, "measures_in", lambda question: [])
    without, steps = place()
    assert not any("computed from" in why for why in steps)
    assert with_parts == 0 < without
