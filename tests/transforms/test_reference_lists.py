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
