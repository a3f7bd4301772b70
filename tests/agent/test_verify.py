"""The verifier: what a sentence must have in its evidence."""

from __future__ import annotations

import pytest

from assets_store.models.analyzer import analyze
from docnav_agent.evidence import EvidenceItem
from docnav_agent.verify import Verified, said_ids, verify

TEXTS = {
    "E01": "The notice period of the lease is 30 days. Either party may end it in writing.",
    "E02": "Orla Works sold 1,577 lamps in Brenn and 423 lamps elsewhere.",
}


def verified(text: str, *cited: str, given: str = "How long is the notice period?") -> list[Verified]:
    items = {
        name: EvidenceItem(evidence_id=name, node_id=f"d/p-{name}", doc="d.md", doc_id="d", text=held, n_tokens=9)
        for name, held in TEXTS.items()
    }
    return verify(text, cited, items, given, lambda words: analyze(words, "en"))


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("The notice period is 30 days.", "E01"),
        ("It is 30 days", "E1"),
        ("Either party ends the lease in writing.", "[E01]"),
        ('The lease says: "Either party may end it in writing".', "E01"),
        ("Orla Works sold 1577 lamps in Brenn.", "E02"),
        ("Orla Works sold 1,577 + 423 = 2,000 lamps.", "E02"),
    ],
)
def test_a_sentence_that_its_evidence_says_is_carried(text: str, cited: str) -> None:
    (found,) = verified(text, cited)
    assert (found.fault, found.attributed) == ("", False)
    assert TEXTS[found.evidence[0]][found.quotes[0].start :].startswith(found.quotes[0].text)


@pytest.mark.parametrize(
    ("text", "cited", "fault"),
    [
        ("The notice period is 99 days.", "E01", "says 99"),
        ("The notice period is 30 days.", "E09", ""),
        ("Marble floors adorn the ballroom.", "E09", "cites E09, which is no evidence"),
        ("Marble floors adorn the ballroom.", "E01", "shares no word"),
        ("The lease forbids dogs, cats, parrots and pianos.", "E01", "of its words"),
        ("The lease was signed by Zoltan in writing.", "E01", "names 'Zoltan'"),
        ('It says "either party may end it by telephone call".', "E01", "quotes"),
        ("Orla Works sold 1,577 lamps for 12 euro in 1999.", "E02", "says 12"),
        ("The notice period is 30 days.", "", ""),
    ],
)
def test_what_evidence_lacks_is_named(text: str, cited: str, fault: str) -> None:
    (found,) = verified(text, cited)
    assert fault in found.fault
    # A citation that is wrong is mended where other evidence carries the sentence.
    assert found.attributed == (not fault)


def test_each_sentence_has_its_own_verdict_and_marks_inside_count() -> None:
    good, bad = verified("The notice period is 30 days [E1]. The rent is 900 euro (E02).")
    assert (good.text, good.evidence, good.fault) == ("The notice period is 30 days.", ("E01",), "")
    assert "900" in bad.fault


def test_what_the_question_says_needs_no_evidence() -> None:
    assert verified("Orla Works made the Lumo 7 lamps.", "E02", given="Who made the Lumo 7 lamps?")[0].fault == ""


@pytest.mark.parametrize(("said", "ids"), [("E1", ("E01",)), ("[E01, E2]", ("E01", "E02")), ("none", ()), ("E123", ("E123",))])
def test_ids_are_read_as_models_say_them(said: str, ids: tuple[str, ...]) -> None:
    assert said_ids([said]) == ids
