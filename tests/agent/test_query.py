"""Tokens of a query in a corpus of one or several languages."""

from __future__ import annotations

import pytest

from docnav_agent.query import query_analyses


def test_one_language_is_taken_as_it_is() -> None:
    assert query_analyses("How do the pumps start?", ["en"]) == [["pump", "start"]]


def test_function_words_show_the_language_of_a_question() -> None:
    languages = ["de", "en", "fr"]
    assert query_analyses("How do the pumps start?", languages) == [["pump", "start"]]
    assert query_analyses("Wie startet man die Pumpen?", languages) == query_analyses("Wie startet man die Pumpen?", ["de"])


def test_words_alone_are_looked_up_in_every_language() -> None:
    assert query_analyses("Pumpen", ["de", "en"]) == [["pump"], ["pumpen"]]


def test_documents_of_unknown_language_hold_unstemmed_words_without_the_function_words_of_the_question() -> None:
    assert query_analyses("How do the pumps start?", ["en", None]) == [["pump", "start"], ["pumps", "start"]]
    assert query_analyses("the pumps", [None]) == [["pumps"]]
    assert query_analyses("the pumps", []) == [["pumps"]]


def test_a_query_of_function_words_has_no_analysis() -> None:
    assert query_analyses("Who is it?", ["en"]) == []
    assert query_analyses("", ["en", None]) == []


@pytest.mark.parametrize(
    ("query", "languages", "tokens"),
    [
        ("What is the valve torque?", [None], [["valve", "torque"]]),
        ("What is the valve torque?", [], [["valve", "torque"]]),
        ("Wie hoch ist der Druck?", [None], [["hoch", "druck"]]),
        ("valve torque", [None], [["valve", "torque"]]),
        ("What are the valves?", ["en", "de"], [["valv"]]),
    ],
)
def test_function_words_are_left_out_whatever_the_corpus_knows_of_its_language(
    query: str, languages: list[str | None], tokens: list[list[str]]
) -> None:
    assert query_analyses(query, languages) == tokens
