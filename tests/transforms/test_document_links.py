"""Links to other files: which documents hold some, and which files they may mean."""

from __future__ import annotations

import polars as pl

from docnav_pipeline.transforms.document_links import linked_files


def test_only_links_that_may_lead_to_another_file_count() -> None:
    links = {
        "a": ["#top", "https://example.org/x.html", "mailto:a@example.org"],
        "b": ["../guide/start%20here.md#one", "sub/"],
        "c": [],
    }
    layout = pl.DataFrame(
        {"doc_id": list(links), "links": [[{"text": "", "target": target} for target in targets] for targets in links.values()]},
        schema={"doc_id": pl.String, "links": pl.List(pl.Struct({"text": pl.String, "target": pl.String}))},
    )
    assert linked_files(layout) == ({"b"}, {"start here.md"})
