"""Lexical tokens: identifiers whole and in pieces, stop words, stems, scripts without spaces."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets_store.models.analyzer import analyze


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("X-200", {"x-200", "x200", "200"}),
        ("4.2.1", {"4.2.1"}),
        ("10.20.30", {"10.20.30", "10", "20", "30"}),
        ("snake_case", {"snake_case", "snake", "case"}),
        ("/etc/hosts", {"etc/hosts", "etc", "host"}),
        ("maxRetryCount", {"maxretrycount", "max", "retri", "count"}),
        ("C++ and C#", {"c++", "c#"}),
        ("user@site", {"user@site", "user", "site"}),
        ("1,234,567", {"1,234,567", "1234567"}),
        ("E03", {"e03"}),
    ],
)
def test_identifiers_are_kept_whole_and_in_pieces(text: str, expected: set[str]) -> None:
    assert expected <= set(analyze(text, "en"))


def test_hyphenated_and_joined_spellings_meet() -> None:
    assert set(analyze("e-mail", "en")) & set(analyze("email", "en"))
    assert set(analyze("Wi-Fi", "en")) & set(analyze("wifi", "en"))
    assert set(analyze("1,000", "en")) & set(analyze("1000", "en"))


def test_stop_words_go_and_words_are_stemmed_by_language() -> None:
    assert analyze("The pumps are running", "en") == ["pump", "run"]
    assert analyze("Die Pumpen laufen", "de") == analyze("Pumpe laufen", "de")
    assert analyze("Die Pumpen laufen", None) == ["die", "pumpen", "laufen"]


def test_words_that_manuals_are_about_are_no_stop_words() -> None:
    words = "system computer page fill fire call first number"
    assert len(analyze(words, "en")) == len(words.split())


def test_scripts_without_spaces_become_bigrams_beside_words() -> None:
    assert analyze("使用说明 E03", "zh") == ["使用", "用说", "说明", "e03"]
    assert analyze("机", "zh") == ["机"]
    assert analyze("ภาษา", "th") == ["ภา", "าษ", "ษา"]


def test_combining_marks_do_not_cut_a_word() -> None:
    assert analyze("पुस्तकें", None) == ["पुस्तकें"]


def test_composed_and_decomposed_letters_are_the_same_word() -> None:
    assert analyze("Übergröße", "de") == analyze(unicodedata.normalize("NFD", "Übergröße"), "de")


def test_invisible_characters_do_not_cut_a_word() -> None:
    assert analyze("instal\u00adlation", "en") == analyze("installation", "en")


def test_runs_too_long_for_a_word_are_left_out() -> None:
    assert analyze("A" * 100_000 + " pump", "en") == ["pump"]


def test_a_long_run_of_joined_pieces_is_read_in_time_that_grows_with_its_length() -> None:
    assert len(analyze("ab-" * 100_000, "en")) == 100_000


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300), st.sampled_from(["en", "de", "zh", "hi", "xx", None]))
def test_any_text_gives_tokens_that_are_words_in_the_form_a_query_gets(text: str, language: str | None) -> None:
    tokens = analyze(text, language)
    assert tokens == analyze(text, language)
    assert all(token and token == token.strip() for token in tokens)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["pump", "X-200", "4.2.1", "valve", "机器", "über"]), max_size=20))
def test_tokens_of_texts_joined_by_a_space_are_the_tokens_of_each(words: list[str]) -> None:
    assert analyze(" ".join(words), "en") == [token for word in words for token in analyze(word, "en")]
