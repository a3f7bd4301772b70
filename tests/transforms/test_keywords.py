"""Keywords in any script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docnav_pipeline.transforms.keywords import count_keywords, stop_words


def test_frequent_words_come_first_and_stop_words_not_at_all() -> None:
    text = "The pump and the valve. The pump is loud. Oil the pump, then the valve, then stop."
    assert count_keywords(text, "en", 3) == [("pump", 3), ("valve", 2), ("loud", 1)]


def test_a_phrase_counts_when_it_stands_twice_and_nothing_is_between_its_words() -> None:
    terms = dict(count_keywords("Battery life matters. The battery life of a phone; battery. Life.", "en", 20))
    assert terms["battery life"] == 2
    assert "phone battery" not in terms


def test_case_accents_and_possessives_do_not_part_a_word() -> None:
    assert count_keywords("Café CAFÉ café's", "en", 5)[0] == ("café", 3)


@pytest.mark.parametrize(
    ("text", "language", "term"),
    [
        ("电池寿命很长。电池寿命的测试。手机电池寿命。", "zh", "电池寿命"),
        ("バッテリーの寿命。バッテリー。", "ja", "バッテリー"),
        ("हिन्दी भाषा में लिखा। हिन्दी", "hi", "हिन्दी"),
        ("Die Prüfung der Pumpe und die Prüfung", "de", "prüfung"),
        ("насос и клапан, насос", "ru", "насос"),
    ],
)
def test_scripts_of_all_kinds_have_keywords(text: str, language: str, term: str) -> None:
    assert count_keywords(text, language, 5)[0][0] == term


def test_an_unknown_language_is_read_with_the_english_list() -> None:
    assert stop_words(None) == stop_words("tlh") == stop_words("en-GB")
    assert "and" in stop_words("en")
    assert "system" not in stop_words("en")
    assert "und" in stop_words("de")


@given(st.text(max_size=300), st.sampled_from(["en", "zh", None]), st.integers(1, 8))
def test_any_text_gives_at_most_the_wanted_number_of_counted_terms(text: str, language: str | None, limit: int) -> None:
    found = count_keywords(text, language, limit)
    assert len(found) <= limit
    assert len({term for term, _ in found}) == len(found)
    assert [n for _, n in found] == sorted((n for _, n in found), reverse=True)
