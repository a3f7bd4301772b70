"""Names of documents: file name, stem, relative path and doc_id lead to all documents that they match."""

import pytest

from assets_store.errors import UnknownDocument
from assets_store.names import find_documents, name_index

INDEX = name_index(
    [
        ("pump-1", "Pump.md", "guides/Pump.md"),
        ("pump-2", "Pump.md", "old/Pump.md"),
        ("paper-3", "paper-1.2", "rows.jsonl#paper-1.2"),
        ("row-4", "r2", "rows.jsonl#r2"),
    ]
)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Pump.md", ["pump-1", "pump-2"]),
        ("pump", ["pump-1", "pump-2"]),
        ("guides/Pump.md", ["pump-1"]),
        ("./old/Pump", ["pump-2"]),
        ("pump-2", ["pump-2"]),
        ("paper-1.2", ["paper-3"]),
        ("rows.jsonl", ["paper-3", "row-4"]),
    ],
)
def test_a_name_leads_to_all_that_it_matches(name: str, found: list[str]) -> None:
    assert find_documents(INDEX, name, "a store") == found


def test_the_id_of_a_line_has_no_suffix() -> None:
    with pytest.raises(UnknownDocument, match=r"nearest: .*paper-1"):
        find_documents(INDEX, "paper-1", "a store")
