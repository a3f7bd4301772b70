"""Tests of character cleaning and line joining."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from docnav_pipeline.parsing.characters import clean_text, flow_text, one_line
from docnav_pipeline.parsing.line_joining import join_lines, words_of


@given(st.text())
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    once = clean_text(text)
    assert clean_text(once) == once
    assert unicodedata.is_normalized("NFC", once)


@given(st.text(alphabet=st.characters(codec="utf-8", categories=["L", "N", "P", "Zs"])))
def test_one_line_keeps_the_words_and_has_no_breaks(text: str) -> None:
    line = one_line(text)
    assert "\n" not in line
    assert line.split() == clean_text(text).split()


def test_ligatures_become_letters_and_unprinted_characters_vanish() -> None:
    assert clean_text("e\ufb03cient\u00ad \u200bof\ufb01ce\x00") == "efficient office"
    assert clean_text("a\r\nb\rc\u2028d") == "a\nb\nc\nd"
    assert clean_text("caf\u0065\u0301") == "caf\u00e9"
    assert clean_text("\ud800") == "\ufffd"


def test_flow_text_keeps_line_breaks_and_drops_spaces_around_them() -> None:
    assert flow_text("  one   two \n  three ") == "one two\nthree"


def test_a_hyphen_at_the_line_end_goes_or_stays_as_the_document_writes_the_word() -> None:
    words = words_of("The installation of a stand-alone pump")
    assert join_lines(["The instal-", "lation begins"], words) == "The installation begins"
    assert join_lines(["a stand-", "alone pump"], words) == "a stand-alone pump"
    assert join_lines(["an un-", "known word"], words) == "an unknown word"
    assert join_lines(["an un-", "known word"], words, drop_hyphens=False) == "an un-known word"
    assert join_lines(["the Navier-", "Stokes equation"], words) == "the Navier-Stokes equation"


def test_scripts_without_spaces_are_joined_without_spaces() -> None:
    assert join_lines(["山路を登り", "ながら"], frozenset()) == "山路を登りながら"
    assert join_lines(["한국어", "문장"], frozenset()) == "한국어 문장"
