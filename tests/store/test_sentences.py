"""Sentences: nothing lost, spans that hold, and the places where a full stop ends nothing."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets_store.sentences import split_sentences


@given(st.text(alphabet=st.sampled_from("ab A.!?|-1)\n\r 。、；。e.g"), max_size=200) | st.text(max_size=200))
def test_sentences_hold_every_character_and_stand_where_they_say(text: str) -> None:
    sentences = split_sentences(text)
    assert all(text[s.start : s.end] == s.text for s in sentences)
    assert all(one.end <= two.start for one, two in itertools.pairwise(sentences))
    assert "".join("".join(s.text.split()) for s in sentences) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. Smith met J. Doe. They spoke.", ["Dr. Smith met J. Doe.", "They spoke."]),
        ("See Fig. 3 for the pump. It leaks.", ["See Fig. 3 for the pump.", "It leaks."]),
        ("Version 4.2.1 is out. Use it.", ["Version 4.2.1 is out.", "Use it."]),
        ("Tap Settings:\n- Tap Location.\n- Turn it on.", ["Tap Settings:", "- Tap Location.", "- Turn it on."]),
        ("A line that\nruns on. End.", ["A line that\nruns on.", "End."]),
        ("Name | Value\nPump | 3", ["Name | Value", "Pump | 3"]),
        ("第一句。第二句！", ["第一句。", "第二句！"]),
        ('He said "stop." Then left.', ['He said "stop."', "Then left."]),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, expected: list[str]) -> None:
    assert [sentence.text for sentence in split_sentences(text)] == expected
