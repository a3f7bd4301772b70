"""Printed labels are read, and prose that looks like one is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docnav_pipeline.hierarchy.numbering import cjk_value, read_labels, roman_value, split_label


@pytest.mark.parametrize(
    ("title", "label", "rest"),
    [
        ("2.1 Scope", "2.1", "Scope"),
        ("2.1. Scope", "2.1", "Scope"),
        ("3) Results", "3", "Results"),
        ("Appendix A Tables", "Appendix A", "Tables"),
        ("APPENDIX B: Tables", "APPENDIX B", "Tables"),
        ("Chapter 3", "Chapter 3", ""),
        ("Chapter Three: The Pump", "Chapter Three", "The Pump"),
        ("CHAPTER TWENTYTWO", "CHAPTER TWENTYTWO", ""),
        ("Chapter Thirty-one: Wells", "Chapter Thirty-one", "Wells"),
        ("Part IV. Trade", "Part IV", "Trade"),
        ("Item 1A. Risk Factors", "Item 1A", "Risk Factors"),
        ("Article 5 – Duties", "Article 5", "Duties"),
        ("§ 12 Notice", "§ 12", "Notice"),
        ("A.1 Data", "A.1", "Data"),
        ("IV. Findings", "IV", "Findings"),
        ("b. Costs", "b", "Costs"),
        ("第三章 方法", "第三章", "方法"),
        ("第12条 期限", "第12条", "期限"),
        ("一、总则", "一", "总则"),
        ("Kapitel 2 Aufbau", "Kapitel 2", "Aufbau"),
    ],
)
def test_label_is_split_from_its_title(title: str, label: str, rest: str) -> None:
    assert split_label(title) == (label, rest)


@pytest.mark.parametrize(
    "title",
    ["(a) first case", "A model of pumps", "I think so", "2023 was a good year", "Scope", "24/7 Support", "Section 4 describes how", ""],
)
def test_text_without_a_label_is_left_whole(title: str) -> None:
    assert split_label(title) == ("", title)


def test_ambiguous_letter_keeps_both_readings() -> None:
    assert {(label.kind, label.path) for label in read_labels("I. Scope")} == {("upper_roman", (1,)), ("upper", (9,))}


def test_lettered_labels_count_from_one() -> None:
    assert [label.path for label in read_labels("Appendix B.3 Tables")] == [(2, 3)]
    assert [label.path for label in read_labels("C.2.1 Tables")] == [(3, 2, 1)]


@given(st.integers(1, 3999))
def test_roman_numbers_are_read_back(value: int) -> None:
    symbols = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL")]
    symbols += [(10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]
    text, left = "", value
    for worth, symbol in symbols:
        text += symbol * (left // worth)
        left %= worth
    assert roman_value(text) == value
    assert roman_value(text.lower()) == value


@pytest.mark.parametrize(
    ("text", "value"), [("三", 3), ("十", 10), ("二十一", 21), ("一百零五", 105), ("12", 12), ("１２", 12), ("甲", None)]
)
def test_chinese_numbers_are_read(text: str, value: int | None) -> None:
    assert cjk_value(text) == value


@given(st.text(max_size=60))
def test_splitting_loses_no_letter(title: str) -> None:
    label, rest = split_label(title)
    before = "".join(c for c in title if c.isalnum())
    assert "".join(c for c in label + rest if c.isalnum()) == before
