"""Mentions of sections, tables, figures and pages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docnav_pipeline.transforms.references import (
    find_captions,
    find_cross_references,
    is_unit_name,
    label_keys,
    names_other_work,
    normal_number,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see section 4.2 for more", [("section", "4.2")]),
        ("in § 12(b) of this Act", [("section", "12(b)")]),
        ("Table 3 and Figure 2", [("table", "3"), ("figure", "2")]),
        ("see Tables 3-5", [("table", "3"), ("table", "4"), ("table", "5")]),
        ("see Table 5-2", [("table", "5-2")]),
        ("Tables 5-2 and 5-3", [("table", "5-2"), ("table", "5-3")]),
        ("Sections 4.2, 4.3 and 5", [("section", "4.2"), ("section", "4.3"), ("section", "5")]),
        ("as Figures 2A and B show", [("figure", "2A")]),
        ("Appendix B and Annex III", [("appendix", "B"), ("appendix", "III")]),
        ("Chapter 5, Item 1A, Note 7", [("chapter", "5"), ("item", "1A"), ("note", "7")]),
        ("siehe Abschnitt 3.1 und Tabelle 2", [("section", "3.1"), ("table", "2")]),
        ("voir chapitre 4", [("chapter", "4")]),
        ("见第三章和表3、图 2-1", [("chapter", "3"), ("table", "3"), ("figure", "2-1")]),
        ("第４節を見る", [("section", "4")]),
        ("See “Battery care” on page 12.", [("title", "Battery care"), ("page", "12")]),
    ],
)
def test_mentions_are_read_in_many_forms(text: str, found: list[tuple[str, str]]) -> None:
    assert [(r.kind, r.target) for r in find_cross_references(text)] == found


@pytest.mark.parametrize(
    "text", ["in part 2 of them", "a note 7 days later", "Table 2020", "the section I like", "article a day", "no figures here"]
)
def test_plain_text_is_no_mention(text: str) -> None:
    assert [r for r in find_cross_references(text) if r.target != "I"] == []


def test_a_caption_is_no_mention_of_itself() -> None:
    text = "Table 3: Results\nAs Table 4 shows.\nTable 5 shows more."
    assert [(r.kind, r.target) for r in find_cross_references(text)] == [("table", "4"), ("table", "5")]
    assert find_captions(text) == [("table", "3", True), ("table", "5", False)]


def test_a_mention_of_another_work_says_so() -> None:
    (found,) = find_cross_references("under Section 10(b) of the Securities Exchange Act of 1934.")
    assert (found.outside, found.target) == (True, "10(b)")
    assert names_other_work(found.text)
    assert not names_other_work("section 2 of Chapter 4")


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("11 U.S.C. § 704(a)(5), 11 U.S.C. § 8", "704(a)(5)"),
        ("see Section 5.2 of [TLS13]", "5.2"),
        ("in RFC 9000, Section 4", "4"),
        ("Exchange Act Section 10(b)", "10(b)"),
        ("Section 4.e of the Trust Legal Provisions", "4.e"),
        ("Section 154 of title 18", "154"),
    ],
)
def test_a_work_named_before_or_behind_a_mention_holds_its_place(text: str, target: str) -> None:
    found = find_cross_references(text)[0]
    assert (found.target.casefold(), found.outside) == (target, True)
    assert names_other_work(found.text)


@pytest.mark.parametrize(
    ("label", "keys"),
    [
        ("4.2", [("", "4.2")]),
        ("4.2.", [("", "4.2")]),
        ("IV", [("", "IV"), ("", "4")]),
        ("Appendix B", [("appendix", "B")]),
        ("第三章", [("chapter", "3")]),
        ("§ 12", [("section", "12")]),
        ("12a", [("", "12A")]),
    ],
)
def test_labels_of_headings_are_read_like_mentions(label: str, keys: list[tuple[str, str]]) -> None:
    assert label_keys(label) == keys


def test_unit_words_are_no_names() -> None:
    assert is_unit_name("Fig")
    assert is_unit_name("Table 3")
    assert not is_unit_name("Table Mountain")


@given(st.text(alphabet="section Table§12.(b)-–,及第三章“”and\n", max_size=150))
def test_no_text_breaks_the_search(text: str) -> None:
    for reference in find_cross_references(text):
        assert reference.target
        assert reference.kind
    for kind, number, _ in find_captions(text):
        assert kind in {"table", "figure", "listing"}
        assert normal_number(number) == number
