"""Labels that belong to the outline are told from those of lists."""

from __future__ import annotations

from docnav_pipeline.hierarchy.numbering import read_labels
from docnav_pipeline.hierarchy.sequence import find_sequence


def depths(titles: list[str], logits: list[float] | None = None, styles: list[int] | None = None) -> dict[str, int]:
    found = find_sequence([read_labels(t) for t in titles], logits or [2.0] * len(titles), styles or [-1] * len(titles))
    return {titles[i]: numbered.depth for i, numbered in found.items()}


def test_decimals_nest_by_their_numbers() -> None:
    titles = ["1 Aim", "2 Method", "2.1 Data", "2.1.1 Wells", "2.2 Pumps", "3 End"]
    assert list(depths(titles).values()) == [1, 1, 2, 3, 2, 1]


def test_mixed_schemes_nest_by_their_order() -> None:
    titles = ["I. Aim", "A. Wells", "1. Deep", "a. Old", "b. New", "2. Flat", "B. Pumps", "II. End"]
    assert list(depths(titles).values()) == [1, 2, 3, 4, 4, 3, 2, 1]


def test_letter_i_goes_on_after_h_and_roman_one_opens() -> None:
    titles = [f"{letter}. Case" for letter in "ABCDEFGHIJ"]
    found = find_sequence([read_labels(t) for t in titles], [2.0] * 10, [-1] * 10)
    assert [n.label.path[0] for n in found.values()] == list(range(1, 11))


def test_list_items_between_sections_are_no_part_of_the_outline() -> None:
    titles = ["1 Aim", "1.1 Wells", "1. open the lid", "2. turn the key", "3. close it", "1.2 Pumps", "2 End"]
    logits = [3.0, 3.0, -3.5, -3.5, -3.5, 3.0, 3.0]
    assert set(depths(titles, logits)) == {"1 Aim", "1.1 Wells", "1.2 Pumps", "2 End"}


def test_items_count_through_the_parts() -> None:
    titles = ["Part I Shop", "Item 1. Goods", "Item 1A. Risks", "Item 2. Rooms", "Part II Money", "Item 3. Cash", "Item 4. Tax"]
    assert list(depths(titles).values()) == [1, 2, 2, 2, 1, 2, 2]


def test_appendix_letters_stand_beside_the_sections_that_they_are_set_like() -> None:
    titles = ["1 Aim", "1.1 Wells", "2 End", "A Proofs", "A.1 First", "B Tables"]
    assert list(depths(titles, styles=[1, 2, 1, 1, 2, 1]).values()) == [1, 2, 1, 1, 2, 1]


def test_numbers_that_end_in_another_mark_are_another_scheme() -> None:
    titles = ["1 Aim", "1.1 Wells", "1. Oil", "2. Water", "3. Sand", "1.2 Pumps", "2 End", "3 Notes"]
    assert list(depths(titles).values()) == [1, 2, 3, 3, 3, 2, 1, 1]


def test_no_labels_give_no_sequence() -> None:
    assert find_sequence([[], []], [1.0, 1.0], [0, 0]) == {}
