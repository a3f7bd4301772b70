"""Samples in the event log outlive the documents, so they hold no text of any."""

from pathlib import Path

from assets_store.schemas import TABLES
from docnav_pipeline.assets.common import sample_markdown
from tests.factories import MadeDocument, make_store


def test_samples_hold_no_text_of_documents(tmp_path: Path) -> None:
    store = make_store(tmp_path / "store", [MadeDocument("lease.md", "# Xylograph\n\nXylograph Xylograph.", title="Xylograph")])
    shown = {name: sample_markdown(store, spec) for name, spec in TABLES.items()}
    assert "Xylograph" not in "".join(shown.values())
    assert "| paragraph_id |" in shown["paragraphs"]
