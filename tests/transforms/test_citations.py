"""Citation mentions and the entries that they mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docnav_pipeline.transforms.citations import CitationKey, citation_keys, find_citations, glued_marks


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("as shown [12] and [3-5].", ["[12]", "[3-5]"]),
        ("known (Smith et al., 2020; Jones, 2019a).", ["(Smith et al., 2020; Jones, 2019a)"]),
        ("Smith (2020) and van der Berg and Lee (1999) agree", ["Smith (2020)", "van der Berg and Lee (1999)"]),
        ("seen before (see Kim & Park, 2001)", ["(see Kim & Park, 2001)"]),
        ("[12] first entry of a list", []),
        ("In May (2020) and x[0] and (March 2020) and [95,000]", []),
        ("a[3](4) call", []),
    ],
)
def test_mentions_are_found_as_printed(text: str, found: list[str]) -> None:
    assert find_citations(text) == found


@pytest.mark.parametrize(
    ("mention", "keys"),
    [
        ("[3-5]", [CitationKey(3), CitationKey(4), CitationKey(5)]),
        ("[7, 9–10]", [CitationKey(7), CitationKey(9), CitationKey(10)]),
        ("[1-900]", [CitationKey(1)]),
        ("(Smith et al., 2020; Jones, 2019a)", [CitationKey(author="smith", year="2020"), CitationKey(author="jones", year="2019a")]),
        (
            "van der Berg and Lee (1999, 2001)",
            [CitationKey(author="van der berg", year="1999"), CitationKey(author="van der berg", year="2001")],
        ),
    ],
)
def test_mentions_are_spelled_out(mention: str, keys: list[CitationKey]) -> None:
    assert citation_keys(mention) == keys


@given(st.text(alphabet="Smith Lee,&;()[]2019a-–et al.\n", max_size=150))
def test_every_mention_found_means_something(text: str) -> None:
    for mention in find_citations(text):
        assert citation_keys(mention)


def test_labels_and_raised_numbers_are_mentions_too() -> None:
    assert find_citations("as in [RFC8446] and [QUIC-TLS, TLS13]; of pumps.³⁻⁵ Then") == ["[RFC8446]", "[QUIC-TLS, TLS13]", "³⁻⁵"]
    assert [key.label for key in citation_keys("[QUIC-TLS, TLS13]")] == ["QUIC-TLS", "TLS13"]
    assert [key.number for key in citation_keys("³⁻⁵")] == [3, 4, 5]
    assert find_citations("[Note] that [TODO: x] and 5 m² and 10³") == []


def test_numbers_glued_to_words_are_marks_and_numbers_of_names_are_not() -> None:
    assert glued_marks("It was loud.3,4 Noise12 of pumps5–7 too") == ["3,4", "5–7"]
    assert glued_marks("COVID-19, GPT4, version 3.14 and Table12") == []
