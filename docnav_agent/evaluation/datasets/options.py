"""Option-level questions: each option of a multiple-choice question becomes a question of its own, answered by true or false."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from docnav_agent.evaluation.case import Case


def each_option(case: Case, truths: Mapping[str, bool]) -> Iterator[Case]:
    """A case for each option, named `<question>#<label>`; a question without options stays as it is.

    truths: of each option, by label; an option that it lacks is true where the option is the right answer. For a question that asks
    for the wrong one of its options ("which is not ..."), the two differ, and only the data set knows.
    """
    if case.question.form != "choice":
        yield case
        return
    for option in case.question.options:
        question = replace(case.question, id=f"{case.id}#{option.label}", form="true_false", options=(option,))
        truth = truths.get(option.label, option.label in case.right)
        yield replace(case, question=question, right=(), truth=truth, references=(), group=case.id)


def expanded(cases: Iterable[tuple[Case, Mapping[str, bool]]]) -> list[Case]:
    """All options of all questions, in their order."""
    return [part for case, truths in cases for part in each_option(case, truths)]
