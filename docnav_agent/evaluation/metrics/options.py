"""Option-level accuracy: each option of a question is judged for itself as true or false.

option_accuracy     share of options judged right
option_balanced     mean of the accuracy on true and on false options: three false options of four make `always false` look good otherwise
option_f1           F1 of the class `true`
option_question     share of questions whose options are all judged right, so that exactly the right ones are accepted

All in 0..1. An option without a verdict ("not stated", an abstention, a failure) is judged wrong, and for F1 it is not accepted.
Applies to questions of the form `true_false` whose truth is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from docnav_agent.evaluation.case import Case
from docnav_agent.evaluation.metrics.base import Measured, MetricSettings, Statistic, Tools, mean_of
from docnav_agent.evaluation.outcome import Outcome

ACCURACY, QUESTION = "option_accuracy", "option_question"
_ON_TRUE, _ON_FALSE, _HITS, _SIZE = "option_on_true", "option_on_false", "option_f1_hits", "option_f1_size"

_BALANCED = ((_ON_TRUE, ""), (_ON_FALSE, ""))


class Options:
    name = "options"
    version = "1"

    @property
    def statistics(self) -> list[Statistic]:
        return [
            mean_of(ACCURACY, "option accuracy", "Share of options that were judged right as true or false."),
            Statistic("option_balanced", "balanced accuracy", "Mean of the accuracy on true and on false options.", _BALANCED),
            Statistic("option_f1", "F1 of true", "F1 of accepting the options that are true.", ((_HITS, _SIZE),)),
            mean_of(QUESTION, "question accuracy", "Share of questions of which every option was judged right."),
        ]

    def columns(self, case: Case) -> tuple[str, ...]:
        if case.truth is None:
            return ()
        return (ACCURACY, _ON_TRUE if case.truth else _ON_FALSE, _HITS, _SIZE)

    def measure(self, case: Case, outcome: Outcome, tools: Tools) -> Measured:
        if case.truth is None:
            return Measured({})
        right = float(outcome.verdict is case.truth)
        accepted = outcome.verdict is True
        hit = accepted and case.truth
        return Measured(
            {
                ACCURACY: right,
                _ON_TRUE if case.truth else _ON_FALSE: right,
                _HITS: 2.0 * hit,
                _SIZE: float(accepted) + float(case.truth),
            },
            {"verdict": outcome.verdict},
        )


def with_questions(cases: Sequence[Case], values: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """Values by case, with the accuracy of a whole question at its first option. A question with an option not asked yet has none."""
    found = {name: dict(own) for name, own in values.items()}
    groups: dict[str, list[Case]] = {}
    for case in cases:
        if case.truth is not None:
            groups.setdefault(case.group, []).append(case)
    for group in groups.values():
        own = [found.get(case.id, {}).get(ACCURACY) for case in group]
        if all(value is not None for value in own):
            found[group[0].id][QUESTION] = float(all(own))
    return found


def make_metric(settings: MetricSettings) -> Options:
    """No setting concerns it."""
    return Options()
