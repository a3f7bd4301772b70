"""The hardest questions of a data set, and what each system fetched for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assets_store.terminal import printable
from docnav_agent.evaluation.case import Case
from docnav_agent.evaluation.metrics.evidence import Wanted, within
from docnav_agent.evaluation.outcome import Fetched
from docnav_agent.evaluation.results import Pair
from docnav_agent.evaluation.tables import outcome_of

MAX_ITEMS = 8
MAX_TEXT = 600
MAX_ANSWER = 1200


@dataclass(frozen=True, slots=True)
class Item:
    """One fetched paragraph. gold: numbers of the gold items, from 1, of which it holds some."""

    place: str
    text: str
    gold: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """What one system did for a question. more: items that are not shown."""

    system: str
    value: float | None
    values: tuple[tuple[str, float], ...]
    answer: str
    error: str
    stop_reason: str
    items: tuple[Item, ...]
    more: int


@dataclass(frozen=True, slots=True)
class HardQuestion:
    """mean: of the headline statistic over systems."""

    case_id: str
    text: str
    options: tuple[str, ...]
    history: tuple[str, ...]
    references: tuple[str, ...]
    gold: tuple[str, ...]
    mean: float
    systems: tuple[Told, ...]


def hardest_questions(pairs: Sequence[Pair], column: str, n: int) -> list[HardQuestion]:
    """Questions of one data set with the lowest mean of a column over its systems, lowest first, equal ones in their order."""
    if not pairs:
        return []
    values = {pair.system: pair.values() for pair in pairs}
    scored = []
    for at, case in enumerate(pairs[0].data_set.cases):
        own = [rows[at][column] for rows in values.values() if column in rows[at]]
        if own:
            scored.append((sum(own) / len(own), at, case))
    return [
        _question(case, mean, pairs, {system: rows[at] for system, rows in values.items()}, column) for mean, at, case in sorted(scored)[:n]
    ]


def _question(case: Case, mean: float, pairs: Sequence[Pair], values: dict[str, dict[str, float]], column: str) -> HardQuestion:
    question = case.question
    return HardQuestion(
        case.id,
        shown(question.text, MAX_ANSWER),
        tuple(f"{option.label}: {shown(option.text, MAX_TEXT)}" for option in question.options),
        tuple(f"{turn.speaker}: {shown(turn.text, MAX_TEXT)}" for turn in question.history),
        tuple(shown(text, MAX_ANSWER) for text in (*case.references, *case.right)),
        tuple(_gold(gold) for gold in case.gold),
        mean,
        tuple(_told(case, pair, values[pair.system], column) for pair in pairs),
    )


def _gold(gold: Any) -> str:
    where = ", ".join(part for part in (gold.doc, gold.section, f"page {gold.page}" if gold.page is not None else "") if part)
    return f"{shown(where, MAX_TEXT)}: {shown(gold.text, MAX_TEXT)}" if gold.text else shown(where, MAX_TEXT)


def _told(case: Case, pair: Pair, values: dict[str, float], column: str) -> Told:
    row = pair.runs[case.id]
    outcome = outcome_of(row)
    return Told(
        pair.system,
        values.get(column),
        tuple(sorted(values.items())),
        shown(outcome.answer or "", MAX_ANSWER),
        shown(outcome.error, MAX_ANSWER),
        outcome.stop_reason,
        tuple(_item(case, item) for item in outcome.evidence[:MAX_ITEMS]),
        max(0, len(outcome.evidence) - MAX_ITEMS),
    )


def _item(case: Case, item: Fetched) -> Item:
    pages = "" if item.page_start is None else f"page {item.page_start}"
    where = ", ".join(part for part in (item.doc, " > ".join(item.section), pages) if part)
    wanted = [Wanted(gold) for gold in case.located]
    held = tuple(number for number, want in enumerate(wanted, start=1) if any(want.share(piece) >= 0.2 for piece in within([item], None)))
    return Item(shown(where, MAX_TEXT), shown(item.text, MAX_TEXT), held)


def shown(text: str, most: int) -> str:
    """Text for people: control and direction characters made visible, cut with an ellipsis."""
    made = printable(" ".join(text.split()))
    return made if len(made) <= most else f"{made[:most]}…"
