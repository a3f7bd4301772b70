"""Link annotations of a PDF end up at the blocks that print them."""

from __future__ import annotations

from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from assets_store.settings import ParsingSettings
from docnav_pipeline.parsing.block import Block
from docnav_pipeline.parsing.parse import parse_source

WORDS = "The pump moves water from the lower tank to the upper one without any noise and far"
AGAIN = "Check the filter every week and note the result in the log book of the machine too"


def linked_pdf(path: Path) -> Path:
    """Two pages: the first has a link to a place on the second, one to an address, and one that would start a program."""
    canvas = Canvas(str(path), pagesize=A4)
    canvas.setFont("Helvetica", 11)
    canvas.drawString(72, 700, WORDS)
    canvas.drawString(72, 686, "as told in Section 4.2 and on the web; the rest of the line goes on for a while")
    left = 72 + canvas.stringWidth("as told in Section ", "Helvetica", 11)
    canvas.linkAbsolute("", "care", (left, 684, left + canvas.stringWidth("4.2", "Helvetica", 11), 696))
    left = 72 + canvas.stringWidth("as told in Section 4.2 and on the ", "Helvetica", 11)
    canvas.linkURL("https://example.org/a b", (left, 684, left + canvas.stringWidth("web", "Helvetica", 11), 696))
    canvas.linkRect("", "nowhere", (10, 10, 20, 20))
    canvas.showPage()
    canvas.setFont("Helvetica", 11)
    canvas.drawString(72, 500, AGAIN)
    canvas.bookmarkPage("care", fit="XYZ", left=72, top=512)
    canvas.showPage()
    canvas.bookmarkPage("nowhere")
    canvas.showPage()
    canvas.save()
    return path


def blocks_of(path: Path) -> list[Block]:
    ((_, document),) = parse_source(path, ParsingSettings())
    return list(document.blocks)


def test_links_of_a_pdf_name_page_and_place_or_the_address(tmp_path: Path) -> None:
    (links,) = [block.links for block in blocks_of(linked_pdf(tmp_path / "linked.pdf")) if block.links]
    targets = dict(links)
    assert sorted(targets) == ["4.2", "web"]
    assert targets["4.2"].startswith("#page=2&left=0.121&top=0.39")
    assert targets["web"].startswith("https://example.org/a")


def test_a_link_on_a_part_of_a_word_has_that_part_as_its_text(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "notes.pdf"), pagesize=A4)
    canvas.setFont("Helvetica", 11)
    canvas.drawString(72, 700, WORDS)
    canvas.drawString(72, 686, "as every broker-dealer.617 will know who reads this line to its end and beyond")
    left = 72 + canvas.stringWidth("as every broker-dealer.", "Helvetica", 11)
    canvas.bookmarkPage("note", fit="XYZ", left=72, top=100)
    canvas.linkAbsolute("", "note", (left, 684, left + canvas.stringWidth("617", "Helvetica", 11), 696))
    canvas.showPage()
    canvas.save()
    (links,) = [block.links for block in blocks_of(tmp_path / "notes.pdf") if block.links]
    assert [text for text, _ in links] == ["617"]
