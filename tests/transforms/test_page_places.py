"""Links to pages and to points on them."""

from __future__ import annotations

import pytest

from docnav_pipeline.transforms.page_places import PagePlaces, is_page, shown_target


@pytest.fixture
def places() -> PagePlaces:
    """A page of two columns: a heading and a paragraph in the left one, two paragraphs in the right one."""
    found = PagePlaces()
    found.add(5, (0.1, 0.10, 0.45, 0.12), "heading", "2.1 Care of pumps")
    found.add(5, (0.1, 0.14, 0.48, 0.50), "left", "")
    found.add(5, (0.52, 0.10, 0.9, 0.30), "right", "")
    found.add(5, (0.52, 0.32, 0.9, 0.60), "below", "")
    return found


@pytest.mark.parametrize(
    ("fragment", "node_id", "fit"),
    [
        ("page=5&left=0.1&top=0.095", "heading", 1.0),
        ("page=5&left=0.1&top=0.2", "left", 1.0),
        ("page=5&left=0.508&top=0.2", "right", 1.0),
        ("page=5&left=0.52&top=0.298", "below", 1.0),
        ("page=5", "heading", 0.4),
        ("page=5&left=x&top=7", "heading", 0.4),
        ("page=6", None, 0.0),
    ],
)
def test_a_point_means_what_holds_it_or_begins_next_below_it(places: PagePlaces, fragment: str, node_id: str | None, fit: float) -> None:
    assert places.find(fragment, "4") == (node_id, fit)


def test_a_link_that_names_a_heading_of_the_page_leads_to_it(places: PagePlaces) -> None:
    assert places.find("page=5&left=0.52&top=0.2", "Care of pumps") == ("heading", 1.0)
    assert places.find("page=5", "of pumps 12") == ("heading", 1.0)


def test_page_targets_are_shown_as_people_say_them() -> None:
    assert is_page("page=5&top=0.3")
    assert not is_page("pages")
    assert shown_target("#page=5&top=0.3") == "page 5"
    assert shown_target("other.pdf#page=5") == "other.pdf page 5"
    assert shown_target("#care") == "#care"
