"""What the rules read in a question and in texts: words, nearness, clauses, names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets_store.models.analyzer import analyze
from docnav_agent.asked import Asked, split_question
from docnav_agent.controllers.named import names_title
from docnav_agent.controllers.reading import MAX_CHARACTERS, passages
from docnav_agent.controllers.relevance import QuestionTerms, Terms

terms = Terms(lambda text: analyze(text, "en"))


def question(text: str) -> QuestionTerms:
    return QuestionTerms(text, terms, lambda term: 0.0 if term == "unknown" else 1.0)


def test_a_text_matches_by_share_nearness_and_order() -> None:
    asked = question("notice period of the lease")
    assert asked.words == ["notice", "period", "lease"]
    whole = asked.match("The notice period of this lease is short.")
    assert whole.coverage == pytest.approx(1)
    assert whole.nearness == pytest.approx(1)
    assert whole.order == pytest.approx(1)
    far = asked.match("A notice. " + "Other words stand here between. " * 9 + "The lease.")
    assert far.coverage == pytest.approx(2 / 3)
    assert far.nearness == pytest.approx(1 / 3)
    assert far.order == 0
    assert asked.match("Nothing of it.").words == frozenset()


def test_words_that_the_corpus_lacks_weigh_nothing() -> None:
    asked = question("unknown pump")
    assert asked.weights == [0, 1]


@given(st.text(max_size=80), st.text(max_size=200))
def test_a_match_lies_between_nothing_and_all(asked: str, text: str) -> None:
    match = question(asked).match(text)
    assert 0 <= match.nearness <= match.coverage + 1e-9 <= 1 + 2e-9
    assert 0 <= match.order <= 1 + 1e-9


def test_scripts_without_spaces_match_by_pairs() -> None:
    assert question("电池充电").match("请先给电池充电两小时。").coverage == pytest.approx(1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("How long is the notice period?", Asked("How long is the notice period?")),
        (
            "Consider the lease between Ada and Bob; how long is the notice period?",
            Asked("how long is the notice period?", "Consider the lease between Ada and Bob;"),
        ),
        ("What is the highest total cost? Answer with a number.", Asked("What is the highest total cost?")),
        ("My network setting failed. How do I fix it?", Asked("My network setting failed. How do I fix it?")),
        ("Name the largest pump.", Asked("Name the largest pump.")),
    ],
)
def test_what_is_asked_is_set_apart_when_it_stands_alone(text: str, expected: Asked) -> None:
    assert split_question(text, terms) == expected


@given(st.text(max_size=200).filter(lambda text: bool(text.strip())))
def test_something_is_always_asked(text: str) -> None:
    assert split_question(text, terms).ask.strip()


@pytest.mark.parametrize(
    ("title", "text", "named"),
    [
        ("Ermengarde of Tours", "the son of Ermengarde of Tours.", True),
        ("Mercury (planet)", "How far is Mercury?", True),
        ("Water", "Rinse it with water.", False),
        ("Water", "Who wrote Water?", True),
        ("Tours", "the tourist", False),
        ("Go", "Go there", False),
        ("", "anything", False),
    ],
)
def test_a_title_is_named_by_whole_words_and_a_capital(title: str, text: str, named: bool) -> None:
    assert names_title(title, text) is named


@given(st.text(max_size=3000))
def test_passages_hold_the_whole_text_in_bounded_pieces(text: str) -> None:
    pieces = passages(text)
    assert all(len(piece) <= MAX_CHARACTERS for piece in pieces)
    assert "".join("".join(piece.split()) for piece in pieces) == "".join(text.split())
