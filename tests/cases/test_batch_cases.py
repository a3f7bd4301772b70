"""Faults of other systems with whole batches: blank files, empty successes, sections lost to search. Numbers are those of CASES.md."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import docx
import pytest
from reportlab.pdfgen.canvas import Canvas

from assets_store.store import Store
from docnav_agent.cli import run as docnav
from docnav_pipeline.checks import good_documents_have_text

REPORT = "# Yearly report\n\nThe hall ran all year.\n\n" + "".join(
    f"## {title}\n\n| Name | Number |\n|---|---|\n| {first} | 12 |\n| {second} | 7 |\n\n"
    for title, first, second in (
        ("Crew of the hall", "Osk", "Adrane"),
        ("Spare parts in store", "seal", "float"),
        ("Outages", "March", "June"),
    )
)
GOOD = {
    "a-first.md": "# First\n\nThe inlet opens at noon.\n",
    "m-report.md": REPORT,
    "n-frost.md": "# Winter\n\nGeneral remarks on the season.\n\n## Frostguard\n\nDrain the housing before the first cold night.\n",
    "z-last.txt": "The last file of the batch says that the outlet closes at dusk.\n",
}
BLANK = {
    "b-spaces.md": " \n\t\n   \n",
    "c-wide-spaces.txt": "\u3000\n\u00a0 \u2003\n\ufeff\u200b\n",
    "d-markup.html": "<html><body><p>&nbsp;</p><div> </div></body></html>",
    "e-comment.md": "<!-- nothing but this -->\n",
    "f-rule.md": "---\n\n***\n",
}
# Something is printed in them, but nothing that could be fetched as evidence.
BARE = {
    "g-titles.md": "# Scope\n\n## Terms\n\n# Method\n",
    "h-picture.md": "![](pump.png)\n\n![](valve.png)\n",
    "i-contents.html": "<html><body><ul>" + "".join(f"<li><a href='#{n}'>Part {n}</a></li>" for n in "abc") + "</ul></body></html>",
}


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A store in which blank files stand between good ones, and the folder of the files."""
    folder = tmp_path_factory.mktemp("batch")
    for name, text in {**GOOD, **BLANK, **BARE}.items():
        (folder / name).write_text(text, encoding="utf-8")
    rows = [("r1", "The spare key hangs in the lower hall."), ("r2", " \n "), ("r3", "The gate is painted every spring.")]
    (folder / "j-rows.jsonl").write_text("".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in rows), encoding="utf-8")
    blank = docx.Document()
    for _ in range(3):
        blank.add_paragraph(" ")
    blank.save(str(folder / "k-blank.docx"))
    canvas = Canvas(str(folder / "l-blank.pdf"))
    for _ in range(2):
        canvas.line(10, 10, 300, 10)
        canvas.showPage()
    canvas.save()
    store = str(tmp_path_factory.mktemp("store") / "store")
    assert docnav(["index", str(folder), "--store", store]) == 1
    return store, folder


def documents(store: str) -> dict[str, dict[str, Any]]:
    return {row["uri"]: row for row in Store.open(store).snapshot().read("documents").to_dicts()}


def units(store: str) -> dict[str, int]:
    """Number of units by uri."""
    snapshot = Store.open(store).snapshot()
    counts = dict(snapshot.read("paragraphs")["doc_id"].value_counts().iter_rows())
    return {row["uri"]: counts.get(row["doc_id"], 0) for row in snapshot.read("documents").to_dicts()}


def test_case_40_blank_files_are_marked_empty_and_the_others_are_indexed(indexed: tuple[str, Path]) -> None:
    found = documents(indexed[0])
    good = {*GOOD, "j-rows.jsonl#r1", "j-rows.jsonl#r3"}
    blank = {*BLANK, "j-rows.jsonl#r2", "k-blank.docx", "l-blank.pdf"}
    assert {uri: found[uri]["status"] for uri in good | blank} == dict.fromkeys(good, "ok") | dict.fromkeys(blank, "empty")
    assert all(found[uri]["reason"] for uri in blank)
    assert all(units(indexed[0])[uri] > 0 for uri in good)


def test_case_40_a_second_run_finds_nothing_left_to_do(indexed: tuple[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    before = Store.open(indexed[0]).snapshot().id
    assert docnav(["index", str(indexed[1]), "--store", indexed[0], "--json"]) == 1
    done = json.loads(capsys.readouterr().out)
    assert (done["is_new"], done["snapshot"], done["added"], done["changed"]) == (False, before, 0, 0)


def test_case_42_a_document_without_units_never_counts_as_a_success(indexed: tuple[str, Path]) -> None:
    found, counts = documents(indexed[0]), units(indexed[0])
    assert {uri: counts[uri] for uri, row in found.items() if row["status"] == "ok" and not counts[uri]} == {}
    assert (found["g-titles.md"]["status"], counts["g-titles.md"]) == ("ok", 3)
    assert {uri for uri in BARE if not counts[uri] and not found[uri]["reason"]} == set()
    assert good_documents_have_text(Store.open(indexed[0])) == []


def located(capsys: pytest.CaptureFixture[str], store: str, query: str, level: str) -> list[dict[str, Any]]:
    assert docnav(["locate", query, "--level", level, "--store", store, "--json"]) == 0
    cards: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["nodes"]
    return cards


def test_case_38_a_section_that_holds_a_table_alone_is_found_by_its_title(
    indexed: tuple[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    best = located(capsys, indexed[0], "Spare parts in store", "section")[0]
    assert best["title"] == "Spare parts in store"
    assert docnav(["fetch", best["node_id"], "--store", indexed[0], "--json"]) == 0
    (item,) = json.loads(capsys.readouterr().out)["evidence"]
    assert item["text"] == "Name | Number\nseal | 12\nfloat | 7"


def test_case_33_a_word_that_only_a_heading_has_leads_to_the_text_below_it(
    indexed: tuple[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    best = located(capsys, indexed[0], "Frostguard", "paragraph")[0]
    assert docnav(["fetch", best["node_id"], "--store", indexed[0], "--json"]) == 0
    (item,) = json.loads(capsys.readouterr().out)["evidence"]
    assert item["text"] == "Drain the housing before the first cold night."
