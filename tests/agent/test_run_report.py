"""The page of a run: what it shows, that nothing in it acts, and pages of source files with boxes."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from reportlab.pdfgen.canvas import Canvas

from docnav_agent.answer import Answer
from docnav_agent.answering import answer_question
from docnav_agent.budget import Budget
from docnav_agent.cli import run
from docnav_agent.commands.report import report
from docnav_agent.page_images import page_images
from docnav_agent.run_folder import RunFolder, read_run
from docnav_agent.run_report import run_report
from docnav_agent.sources import _file, source_files
from docnav_agent.systems import Question, SystemOptions
from docnav_agent.walk_map import walk_map
from tests.factories import MadeDocument, make_search, make_store

HOSTILE = '<script>alert(1)</script><img src="http://attacker.invalid/x" onerror="alert(2)">'
MANUAL = MadeDocument(
    "manual.md",
    f"# Cleaning\n\nRinse the pump with water every week. {HOSTILE}\n\n# Safety\n\nSwitch the pump off first.",
    title=f"Pump {HOSTILE}",
    pages=(1, 2),
)


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Answer:
    folder = tmp_path_factory.mktemp("report")
    search = make_search(folder / "store", [MANUAL])
    options = SystemOptions(runs_dir=folder / "runs", controller="rules")
    return answer_question(Question("q", f"When is the pump rinsed? {HOSTILE}"), search, "docnav", options, Budget())


class Acts(HTMLParser):
    """Tags and attributes that could act or load something."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "iframe", "object", "embed", "link", "form", "base"):
            self.found.append(tag)
        for name, value in attrs:
            if name.startswith("on") or (name in ("src", "href", "action") and not str(value).startswith(("#", "data:image/jpeg"))):
                self.found.append(f"{tag} {name}={value}")
            if name == "id":
                self.ids.append(str(value))


def test_the_page_shows_answer_walk_and_evidence_and_nothing_in_it_acts(asked: Answer) -> None:
    page = run_report(read_run(asked.run_dir or ""))
    parser = Acts()
    parser.feed(page)
    assert parser.found == []
    assert set(parser.ids) == {item.evidence_id for item in asked.evidence}
    assert "Rinse the pump with water every week." in page
    assert f'<a href="#{asked.citations[0].evidence_id}">' in page
    assert "<svg" in page
    assert 'style="left:10.00%;top:10.00%;width:80.00%;height:10.00%"' in page
    assert "&lt;script&gt;" in page
    assert "<script" not in page


def test_the_map_marks_what_was_shown_fetched_and_cited(asked: Answer) -> None:
    stored = read_run(asked.run_dir or "")
    drawn = walk_map(stored.steps, stored.evidence, [citation.evidence_id for citation in asked.citations])
    assert {mark.kind for mark in drawn.marks} == {"shown", "target", "fetched"} - {"target"} or {mark.kind for mark in drawn.marks} >= {
        "shown",
        "fetched",
    }
    assert [row.depth for row in drawn.rows][:2] == [0, 1]
    assert any(row.cited for row in drawn.rows)
    assert all(0 < mark.x < drawn.width and 0 < mark.y < drawn.height for mark in drawn.marks)


def test_the_command_writes_the_page_and_reports_tampering(asked: Answer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(asked.run_dir or "")
    arguments = [str(folder), "--out", str(tmp_path / "run.html"), "--store", str(tmp_path / "none")]
    assert run(arguments, command=report) == 0
    page = (tmp_path / "run.html").read_text()
    assert "Pages are blank, because the store cannot be read" in page
    assert str(tmp_path / "run.html") in capsys.readouterr().err
    forged = RunFolder(tmp_path, {"question": HOSTILE, "options": "x", "without": 7, "model": ["m"]}, run_id="forged").path
    data: dict[str, Any] = {
        "answer": {"a": HOSTILE},
        "citations": [7],
        "steps": HOSTILE,
        "unsupported": [{"text": HOSTILE}],
        "missing": "x",
    }
    (forged / "answer.json").write_text(json.dumps(data))
    (forged / "step_artifacts" / "001.json").write_text(json.dumps({"action": [], "observation": {"nodes": [{"path": HOSTILE}, 3]}}))
    assert run([str(forged), "--out", str(tmp_path / "forged.html")], command=report) == 1
    page = (tmp_path / "forged.html").read_text()
    assert "This run was changed" in page
    assert not re.search("<(script|img)", page)


def pdf(path: Path) -> Path:
    canvas = Canvas(str(path))
    for text in ("one", "two"):
        canvas.drawString(72, 700, text)
        canvas.showPage()
    canvas.save()
    return path


def test_pages_of_the_source_are_drawn_with_the_boxes(asked: Answer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = pdf(tmp_path / "manual.pdf")
    monkeypatch.setattr("docnav_agent.run_report.source_files", lambda store, snapshot, doc_ids: dict.fromkeys(doc_ids, source))
    page = run_report(read_run(asked.run_dir or ""), str(Path(asked.run_dir or "").parents[1] / "store"))
    parser = Acts()
    parser.feed(page)
    assert parser.found == []
    assert page.count("data:image/jpeg;base64,/9j/") == len({(item.doc_id, item.page_start) for item in asked.evidence})


def test_a_file_that_cannot_be_drawn_says_why(tmp_path: Path) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.4 nothing follows")
    images, fault = page_images(broken, [1])
    assert images == {}
    assert "cannot be drawn" in fault
    images, fault = page_images(pdf(tmp_path / "good.pdf"), [2, 9])
    assert list(images) == [2]
    assert "1 of its pages" in fault


def test_a_source_that_is_not_what_was_indexed_is_not_shown(tmp_path: Path) -> None:
    source = pdf(tmp_path / "x.pdf")
    row = {"doc_id": "x", "root": str(tmp_path), "uri": "x.pdf", "sha256": "0" * 64, "media_type": "application/pdf"}
    assert "was changed" in str(_file(row))
    import hashlib

    assert _file(row | {"sha256": hashlib.sha256(source.read_bytes()).hexdigest()}) == source.resolve()
    assert "leads out" in str(_file(row | {"uri": "../../etc/passwd"}))
    assert "not there" in str(_file(row | {"uri": "y.pdf"}))
    store = make_store(tmp_path / "store", [MANUAL])
    found = source_files(store, "gone", [MANUAL.doc_id, "other"])
    assert found == {MANUAL.doc_id: "its format has no pages to show", "other": "the store knows no such document"}
