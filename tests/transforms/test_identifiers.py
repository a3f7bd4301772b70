"""Identifiers and acronyms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docnav_pipeline.transforms.identifiers import (
    acronym_name,
    count_acronyms,
    find_acronyms,
    find_identifiers,
    split_acronym,
)


@pytest.mark.parametrize(
    ("text", "name", "label"),
    [
        ("Press the X-200 down.", "X-200", "ID"),
        ("It meets MIL-STD-810G.", "MIL-STD-810G", "ID"),
        ("as in ISO 9001 and", "ISO 9001", "ID"),
        ("part GT3200, please", "GT3200", "ID"),
        ("call os.path.join() first", "os.path.join()", "API"),
        ("the column doc_version holds", "doc_version", "API"),
        ("class TextEncoder is", "TextEncoder", "API"),
        ("then maxItems is", "maxItems", "API"),
        ("run it with --store DIR", "--store", "COMMAND"),
        ("see /etc/hosts there", "/etc/hosts", "PATH"),
        ("edit docnav.toml now", "docnav.toml", "FILE"),
        ("under 4.2.1 you find", "4.2.1", "CLAUSE"),
        ("Error code E-12 appears", "E-12", "ERROR"),
        ("returns 0x80070005 then", "0x80070005", "ERROR"),
    ],
)
def test_identifiers_of_all_kinds_are_found_whole(text: str, name: str, label: str) -> None:
    assert find_identifiers(text) == {(name, label): 1}


@pytest.mark.parametrize(
    "text", ["non-linear and state-of-the-art", "from 2019-2020", "https://a.b/c_d and x_y@z.com", "I. e. a well-known 3.5"]
)
def test_plain_words_numbers_and_addresses_are_no_identifiers(text: str) -> None:
    assert not find_identifiers(text)


@pytest.mark.parametrize(
    ("text", "short", "long"),
    [
        ("An Evidence Graph (EG) is", "EG", "Evidence Graph"),
        ("with EG (Evidence Graph) as", "EG", "Evidence Graph"),
        ("retrieval-augmented generation (RAG) is", "RAG", "retrieval-augmented generation"),
        ("of the Securities and Exchange Commission (SEC)", "SEC", "Securities and Exchange Commission"),
        ("many Hidden Markov Models (HMMs) were", "HMM", "Hidden Markov Models"),
    ],
)
def test_explained_acronyms_are_found_with_their_long_form(text: str, short: str, long: str) -> None:
    assert find_acronyms(text) == {short: long}


@pytest.mark.parametrize("text", ["the number of items (A)", "the house on the hill (USB)", "as shown (see FIG)", "(EG)"])
def test_brackets_that_explain_nothing_are_no_acronyms(text: str) -> None:
    assert find_acronyms(text) == {}


def test_short_and_long_forms_are_counted_as_one_thing() -> None:
    text = "An Evidence Graph (EG) grows. The EG and each Evidence Graph; EGGS are food."
    assert count_acronyms(text, [("EG", "Evidence Graph")]) == {"Evidence Graph (EG)": 3}
    assert count_acronyms("nothing here", [("EG", "Evidence Graph")]) == {}


def test_the_name_of_an_acronym_can_be_taken_apart() -> None:
    assert split_acronym(acronym_name("EG", "Evidence Graph")) == ("EG", "Evidence Graph")
    assert split_acronym("Evidence Graph") is None


@given(st.text(alphabet="aB1-_./()[] \n§é中", max_size=120))
def test_no_text_breaks_the_search(text: str) -> None:
    assert all(len(name) >= 2 and count >= 1 for (name, _), count in find_identifiers(text).items())
    assert all(long.casefold()[0] == short.casefold()[0] for short, long in find_acronyms(text).items())
