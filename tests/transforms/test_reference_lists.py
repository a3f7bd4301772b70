"""Reference lists: which paragraphs hold them, their entries, and the entry that a mention means."""

from __future__ import annotations

import pytest

from docnav_pipeline.transforms.citations import CitationKey
from docnav_pipeline.transforms.reference_lists import ReferenceList, author_names, is_reference_title, reference_paragraphs, split_entries
from tests.small_corpus import make_corpus


def test_numbers_and_names_lead_to_the_paragraph_of_their_entry() -> None:
    references = ReferenceList(
        [
            ("p1", "[1] Adams, B. On pumps. 2001.\n[2] Smith, J., Lee, K. Valves, 2019."),
            ("p2", "[3] Smith, J. (2020a). Tanks.\nMüller, A. 1999. Wasser."),
        ]
    )
    assert [references.find(CitationKey(n)) for n in (1, 2, 3, 4)] == ["p1", "p1", "p2", None]
    assert references.find(CitationKey(author="smith", year="2019")) == "p1"
    assert references.find(CitationKey(author="smith", year="2020a")) == "p2"
    assert references.find(CitationKey(author="müller", year="1999")) == "p2"
    assert references.find(CitationKey(author="smi", year="2019")) is None


@pytest.mark.parametrize("title", ["References", "7. References", "VII. REFERENCES", "Literaturverzeichnis", "参考文献", "A. Bibliography"])
def test_headings_of_reference_lists_are_known(title: str) -> None:
    assert is_reference_title(title)


@pytest.mark.parametrize("title", ["Reference voltage", "Cross references in text", "", "Notes"])
def test_other_headings_are_none(title: str) -> None:
    assert not is_reference_title(title)


def test_entries_are_told_apart_by_marks_lines_and_blank_lines() -> None:
    numbered = [
        ("p1", "[1] Adams, B. On pumps.\nJournal 33:1877–1901, 2001. [2] Boole, C. See [7] on valves. 2002."),
        ("p2", "[3] Crane, D. 2003."),
    ]
    assert [(e.number, e.paragraph_id, e.years) for e in split_entries(numbered)] == [
        (1, "p1", ("2001",)),
        (2, "p1", ("2002",)),
        (3, "p2", ("2003",)),
    ]
    named = [("p1", "Adams, B. On pumps. 2001.\n\nBoole, C. On valves that"), ("p2", "go on for long. 2002.\n\nCrane, D. 2003.")]
    assert [e.text for e in split_entries(named)] == [
        "Adams, B. On pumps. 2001.",
        "Boole, C. On valves that\ngo on for long. 2002.",
        "Crane, D. 2003.",
    ]
    labelled = [("p1", "[RFC20] Cerf, V. ASCII. 1969.\n[TLS13] Rescorla, E. TLS. 2018.")]
    assert [e.label for e in split_entries(labelled)] == ["RFC20", "TLS13"]
    plain = [("p1", "1. Adams, B. On pumps. Volume\n12. Made Press. 2001.\n2. Boole, C. 2002.")]
    assert [e.number for e in split_entries(plain)] == [1, 2]


@pytest.mark.parametrize(
    ("entry", "names"),
    [
        ("Smith, J., Lee, K. (2019). On pumps.", ("smith", "lee")),
        ("Smith J, Lee K, Moor A. On pumps. 2019", ("smith", "lee")),
        ("J. van Smith and K.-L. Lee. On pumps. 2019", ("smith", "lee")),
        ("Jane Smith, Kim Lee. 2019. On pumps.", ("smith", "lee")),
    ],
)
def test_authors_are_read_in_the_usual_orders(entry: str, names: tuple[str, ...]) -> None:
    assert author_names(entry) == names


def test_a_second_author_or_a_letter_decides_between_entries_of_one_name_and_year() -> None:
    entries = ReferenceList([("p1", "Smith, J., Lee, K. Pumps. 2019a."), ("p2", "Smith, J., Moor, A. Valves. 2019b.")])
    assert entries.find(CitationKey(author="smith", year="2019b")) == "p2"
    assert entries.find(CitationKey(author="smith", year="2019", second="moor")) == "p2"
    assert entries.find(CitationKey(author="smith", year="2019")) is None


def test_a_list_without_a_heading_is_a_run_of_entries() -> None:
    text = "# Talk\n\nAs told [2].\n\n[1] Adams. On pumps. 2001.\n\n[2] Boole. On valves. 2002.\n\n[3] Crane. On tanks. https://example.org"
    corpus = make_corpus({"talk.md": text})
    assert reference_paragraphs(corpus.paragraphs)["text"].str.slice(0, 3).to_list() == ["[1]", "[2]", "[3]"]
    steps = make_corpus({"steps.md": "# Steps\n\n[1] Turn it on.\n\n[2] Wait.\n\n[3] Turn it off."})
    assert reference_paragraphs(steps.paragraphs).height == 0
