"""The page of a graph report: whole, self-contained, the same every time, and harmless whatever documents say."""

from __future__ import annotations

import base64
import hashlib
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag

from assets_store.ids import document_id
from docnav_pipeline.report.graph_page import render_graph_page
from docnav_pipeline.report.graph_report import graph_report
from tests.factories import MadeDocument, make_store, make_tables

SCRIPT = "<script>alert(1)</script>"
TEMPLATE = "{{ 7 * 7 }} {% include 'graph.css' %}"
BIDI = "safe\u202etxt.exe\u2066 \x1b[31m"
HOSTILE = MadeDocument(
    'a"><img src=x onerror=alert(1)>.md',
    f"# {SCRIPT}\n\nOne.\n\n## {TEMPLATE}\n\nTwo.\n\n# {BIDI}\n\nThree.\n\n# ]]> &amp; $x^2$ \\frac \ufffe\n\nFour.",
    title=SCRIPT,
    labels=("secret",),
)
PLAIN = MadeDocument("plain.md", "# Ground\n\nOne.\n\n## Deeper\n\nTwo.", pages=(1, 2))


@pytest.fixture
def page(tmp_path: Path) -> str:
    tree = make_tables([HOSTILE, PLAIN])["tree"]
    nodes = dict(tree.select("title", "node_id").iter_rows())
    paragraphs = tree.filter(kind="paragraph")["node_id"].to_list()
    edges = [
        {"source_id": paragraphs[0], "target_id": nodes[TEMPLATE], "kind": "cross_reference", "why": f"mentions “{SCRIPT}” {BIDI}"},
        {"source_id": paragraphs[1], "target_id": f"{SCRIPT}{BIDI}{TEMPLATE}", "kind": "citation", "weight": 0.0, "status": "candidate"},
        {"source_id": paragraphs[0], "target_id": paragraphs[-1], "kind": "entity", "why": "shares <b>bold</b>"},
    ]
    groups = [[document_id("default", "", document.name)] for document in (HOSTILE, PLAIN)]
    return render_graph_page(graph_report(make_store(tmp_path / "store", [HOSTILE, PLAIN], edges, groups).snapshot()))


def test_text_of_documents_stays_text(page: str) -> None:
    soup = BeautifulSoup(page, "lxml")
    assert soup.find_all(["script", "iframe", "object", "embed", "link", "form", "b-old"]) == []
    assert all(not name.startswith("on") for tag in soup.find_all(True) for name in tag.attrs)
    text = soup.get_text()
    assert SCRIPT in text
    assert TEMPLATE in text
    assert "49" not in text
    assert "shares <b>bold</b>" in text
    assert "\\u202etxt.exe\\u2066 \\x1b[31m" in text
    assert re.search("[\u202a-\u202e\u2066-\u2069\x00-\x08\x0b-\x1f]", page) is None


def test_nothing_is_loaded_and_nothing_can_run(page: str) -> None:
    soup = BeautifulSoup(page, "lxml")
    policy = soup.find("meta", attrs={"http-equiv": "Content-Security-Policy"})
    style = soup.find("style")
    assert isinstance(policy, Tag)
    assert isinstance(style, Tag)
    digest = base64.b64encode(hashlib.sha256(style.get_text().encode()).digest()).decode()
    assert policy["content"] == f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
    assert soup.find_all(style=True) == []
    assert all(str(image["src"]).startswith("data:image/svg+xml;base64,") and image["alt"] for image in soup.find_all("img"))
    assert all(str(link["href"]).startswith("#") and soup.find(id=str(link["href"])[1:]) for link in soup.find_all("a"))


def test_pictures_are_whole_xml_without_scripts_and_hold_the_titles(page: str) -> None:
    pictures = [base64.b64decode(found) for found in re.findall(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)", page)]
    assert len(pictures) == 5
    for picture in pictures:
        root = ET.fromstring(picture)
        assert not {element.tag.rpartition("}")[2] for element in root.iter()} & {"script", "foreignObject", "image"}
        links = [value for element in root.iter() for name, value in element.attrib.items() if name.endswith("href")]
        assert all(value.startswith("#") for value in links)
    tree = ET.fromstring(pictures[-1])
    written = " ".join("".join(element.itertext()) for element in tree.iter() if element.tag.endswith("}text"))
    assert SCRIPT in written
    assert "\\u202etxt.exe" in written
    assert "$x^2$" in written


def test_every_part_is_there_and_says_what_the_graph_holds(page: str) -> None:
    soup = BeautifulSoup(page, "lxml")
    headings = [heading.get_text() for heading in soup.find_all("h2")]
    wanted = ["Lateral edges", "Shape of the hierarchy", "Gaps", "Communities", "A document", "Hubs", "Edge samples", "Entities", "Tables"]
    assert headings == wanted
    edges = soup.select("#edges tbody tr")
    assert [row.get_text(" ", strip=True).split()[0] for row in edges] == ["adjacent", "citation", "cross", "title", "entity", "semantic"]
    gaps = soup.find(id="gaps")
    assert isinstance(gaps, Tag)
    assert "onerror" in gaps.get_text()
    assert len(soup.select("#communities tbody tr")) == 2
    assert len(soup.select("#samples tbody tr")) == 3
    note = soup.find(class_="note")
    assert isinstance(note, Tag)
    assert "1 documents carry access labels" in note.get_text()


def test_a_store_without_text_has_a_page_too(tmp_path: Path) -> None:
    store = make_store(tmp_path / "store", [MadeDocument("scan.pdf", "", status="needs_ocr")])
    report = graph_report(store.snapshot())
    page = render_graph_page(report)
    assert report.tree is None
    assert "No document has text." in page
    assert "needs_ocr" in page
    assert "share of orphan paragraphs" not in report.headline()


def test_equal_snapshots_give_equal_pages(tmp_path: Path) -> None:
    pages = []
    for name in ("a", "b"):
        snapshot = make_store(tmp_path / name, [PLAIN]).snapshot()
        snapshot.manifest["created"] = "then"
        pages.append(render_graph_page(graph_report(snapshot)))
    assert pages[0] == pages[1]
