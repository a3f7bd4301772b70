"""Faults that other systems have with PDF: levels, titles, order, joins, right-to-left text. Numbers are those of CASES.md."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest
from PIL import Image
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

from docnav_pipeline.parsing.block import BlockType
from docnav_pipeline.parsing.process import ParserProcess
from tests.cases.paper import LEFT, Paper, sentences
from tests.cases.reader import read_file


# The article of the second title looks like the label of an appendix.
@pytest.mark.parametrize("name", ["Notes on Small Pumps", "A Study of Small Pumps"])
def test_case_1_numbers_nest_headings_that_are_set_alike(tmp_path: Path, process: ParserProcess, name: str) -> None:
    paper = Paper(tmp_path / "paper.pdf").heading(name, 18).text("Ada Osk and Ben Adrane")
    paper.heading("Abstract").text(sentences("abstract", 4))
    for title in ("1 Introduction", "2 Related Work", "3 Method", "3.1 Sensors", "3.2 Control", "3.2.1 Tuning"):
        paper.heading(title).text(sentences(title, 5))
    paper.turn()
    for title in ("3.3 Limits", "4 Results"):
        paper.heading(title).text(sentences(title, 5))
    read = read_file(paper.save(), process)
    assert read.outline == [
        (1, "Abstract"),
        (1, "1 Introduction"),
        (1, "2 Related Work"),
        (1, "3 Method"),
        (2, "3.1 Sensors"),
        (2, "3.2 Control"),
        (3, "3.2.1 Tuning"),
        (2, "3.3 Limits"),
        (1, "4 Results"),
    ]
    assert read.title == name


def test_case_16_sizes_nest_headings_without_numbers(tmp_path: Path, process: ParserProcess) -> None:
    paper = Paper(tmp_path / "manual.pdf").heading("Handbook of the Water Hall", 22).text(sentences("preface", 4))
    for chapter in ("Operation", "Maintenance", "Storage"):
        paper.heading(chapter, 17).text(sentences(chapter, 3))
        for part in ("morning", "evening"):
            paper.heading(f"{chapter} in the {part}", 13).text(sentences(chapter + part, 4))
        paper.heading(f"Notes on {chapter.lower()}", 11).text(sentences(f"notes {chapter}", 3)).turn()
    read = read_file(paper.save(), process)
    assert read.outline == [
        entry
        for chapter in ("Operation", "Maintenance", "Storage")
        for entry in (
            (1, chapter),
            (2, f"{chapter} in the morning"),
            (2, f"{chapter} in the evening"),
            (3, f"Notes on {chapter.lower()}"),
        )
    ]


def test_case_4_printed_headings_right_after_each_other_keep_their_nodes(tmp_path: Path, process: ParserProcess) -> None:
    paper = Paper(tmp_path / "bare.pdf").heading("Pump Manual", 22).text(sentences("manual", 4))
    paper.heading("1 Use", 14).heading("2 Care", 14).heading("2.1 Filter").heading("2.1.1 Paper filter").text(sentences("paper", 4))
    paper.heading("2.2 Seals").heading("3 Storage", 14).text(sentences("storage", 5)).heading("4 Disposal", 14)
    read = read_file(paper.save(), process)
    titles = [
        (1, "1 Use"),
        (1, "2 Care"),
        (2, "2.1 Filter"),
        (3, "2.1.1 Paper filter"),
        (2, "2.2 Seals"),
        (1, "3 Storage"),
        (1, "4 Disposal"),
    ]
    assert read.outline == titles
    assert read.under("2 Care", "2.1 Filter", "2.1.1 Paper filter") == sentences("paper", 4)


@pytest.mark.parametrize("framed", [False, True])
def test_case_6_the_title_of_a_slide_is_the_parent_of_its_boxes(tmp_path: Path, process: ParserProcess, framed: bool) -> None:
    deck = Paper(tmp_path / "deck.pdf", landscape(A4), title="Pump Review")
    deck.y = 340
    deck.heading("Pump Review", 40, 60, "Helvetica-Bold").line("Ada Osk, 4 March", "Helvetica", 18, 60).turn()
    slides = {
        "Where we lose water": ("Leaks", "Overflow"),
        "What we change next year": ("Seals", "Sensors"),
        "What it costs us": ("Parts", "Hours"),
    }
    for title, boxes in slides.items():
        deck.y = 520
        deck.heading(title, 30, 60, "Helvetica-Bold")
        for x, box in zip((60, 440), boxes, strict=True):
            if framed:
                deck.canvas.rect(x - 12, 160, 340, 270)
            deck.y = 410
            deck.heading(box, 20, x, "Helvetica-Bold")
            deck.text(sentences(title + box, 3), 15, x, 300, "Helvetica")
        deck.turn()
    read = read_file(deck.save(), process)
    assert read.outline == [entry for title, boxes in slides.items() for entry in ((1, title), *((2, box) for box in boxes))]
    for title, boxes in slides.items():
        for box in boxes:
            assert read.under(title, box) == sentences(title + box, 3)


def test_case_8_a_running_header_is_kept_but_is_no_evidence(tmp_path: Path, process: ParserProcess) -> None:
    header = "Journal of Small Pumps 12 (2021) 34-39"
    paper = Paper(tmp_path / "journal.pdf")
    for number, title in enumerate(("1 Introduction", "2 Method", "3 Results", "4 Discussion"), 34):
        paper.canvas.setFont("Times-Italic", 9)
        paper.canvas.drawString(LEFT, 800, header)
        paper.canvas.drawCentredString(297, 30, str(number))
        paper.heading(title).text(sentences(title, 12)).text(sentences(f"more {title}", 12)).turn()
    read = read_file(paper.save(), process)
    assert [block.text for block in read.blocks(BlockType.FURNITURE) if block.sub_type == "header"] == [header] * 4
    assert header not in read.everything
    assert [title for _, title in read.outline] == ["1 Introduction", "2 Method", "3 Results", "4 Discussion"]


ARABIC = (
    "توفر المضخة الماء للخزان العلوي",
    "تحقق من المرشح كل اسبوع",
    "سجل النتيجة في دفتر الجهاز",
    "كل مضخة من نوع Osk XR تفحص في شهر 12",
)
# Presentation forms of the letters above: isolated form, and whether the letter joins to the next one.
_FORMS = {
    "ا": ("\ufe8d", False), "ب": ("\ufe8f", True), "ت": ("\ufe95", True), "ة": ("\ufe93", False), "ج": ("\ufe9d", True),
    "ح": ("\ufea1", True), "خ": ("\ufea5", True), "د": ("\ufea9", False), "ر": ("\ufead", False), "ز": ("\ufeaf", False),
    "س": ("\ufeb1", True), "ش": ("\ufeb5", True), "ض": ("\ufebd", True), "ع": ("\ufec9", True), "ف": ("\ufed1", True),
    "ق": ("\ufed5", True), "ك": ("\ufed9", True), "ل": ("\ufedd", True), "م": ("\ufee1", True), "ن": ("\ufee5", True),
    "ه": ("\ufee9", True), "و": ("\ufeed", False), "ي": ("\ufef1", True),
}  # fmt: skip


def shaped(text: str) -> str:
    """Arabic letters as the glyphs that are printed: isolated, final, initial or medial."""
    glyphs = []
    for at, letter in enumerate(text):
        if letter not in _FORMS:
            glyphs.append(letter)
            continue
        isolated, joins = _FORMS[letter]
        before = at > 0 and _FORMS.get(text[at - 1], ("", False))[1]
        after = joins and at + 1 < len(text) and text[at + 1] in _FORMS
        glyphs.append(chr(ord(isolated) + (3 if before and after else 2 if after else 1 if before else 0)))
    return "".join(glyphs)


def drawn(text: str) -> str:
    """A right-to-left line from left to right as it is printed: words in Latin letters and numbers keep their own order."""
    return re.sub(r"[A-Za-z0-9]+(?: [A-Za-z0-9]+)*", lambda match: match.group()[::-1], text)[::-1]


@pytest.mark.parametrize("form", ["letters", "glyphs"])
def test_case_14_arabic_comes_back_in_logical_order(tmp_path: Path, process: ParserProcess, form: str) -> None:
    # The font lies in a package that MinerU needs, so that the test asks nothing of the machine.
    pdfmetrics.registerFont(TTFont("Deja", str(files("ziafont") / "fonts" / "DejaVuSans.ttf")))
    paper = Paper(tmp_path / "arabic.pdf")
    for size, gap, lines in ((18, 30, [ARABIC[1]]), (11, 30, ARABIC)):
        paper.canvas.setFont("Deja", size)
        for line in lines:
            # Printed order: the first word stands on the right.
            paper.canvas.drawRightString(520, paper.y, drawn(shaped(line) if form == "glyphs" else line))
            paper.y -= size * 1.5
        paper.y -= gap
    read = read_file(paper.save(), process)
    text = " ".join(block.text for block in read.document.blocks)
    for line in ARABIC:
        assert line in text


def wide_figure(paper: Paper, x: float, y: float, width: float, height: float) -> None:
    """A picture; its lower left corner is at (x, y)."""
    picture = Image.effect_noise((300, 120), 60)
    paper.canvas.drawImage(ImageReader(picture.convert("RGB")), x, y, width, height)


def column(paper: Paper, x: float, top: float, name: str, n: int = 3) -> list[str]:
    """Paragraphs of a column; their texts."""
    texts = [sentences(f"{name} {number}", 4) for number in range(n)]
    paper.y = top
    for text in texts:
        paper.text(text, 10, x, 215)
    return texts


def test_case_19_the_column_under_a_wide_figure_is_finished_first(tmp_path: Path, process: ParserProcess) -> None:
    paper = Paper(tmp_path / "columns.pdf")
    wide_figure(paper, 72, 560, 450, 210)
    paper.y = 545
    paper.line("Figure 1. Water content of both halls over one year.", size=9)
    left = column(paper, 72, 510, "left", 4)
    right = column(paper, 307, 510, "right", 4)
    read = read_file(paper.save(), process)
    texts = [block.text for block in read.blocks(BlockType.TEXT)]
    assert texts == [*left, *right]


def test_case_19_a_figure_that_reaches_into_the_other_column_does_not_end_its_own(tmp_path: Path, process: ParserProcess) -> None:
    paper = Paper(tmp_path / "columns.pdf")
    above = column(paper, 72, 770, "above", 2)
    wide_figure(paper, 72, 440, 235, 160)
    paper.y = 425
    paper.line("Figure 1. Water content of both halls.", size=9)
    below = column(paper, 72, 395, "below", 3)
    right = column(paper, 320, 770, "right", 7)
    read = read_file(paper.save(), process)
    texts = [block.text for block in read.blocks(BlockType.TEXT)]
    assert texts == [*above, *below, *right]


@pytest.mark.parametrize(("window_pages", "floats"), [(2, False), (50, False), (50, True)])
def test_case_21_a_paragraph_over_a_page_break_is_joined_before_units_are_cut(
    tmp_path: Path, process: ParserProcess, window_pages: int, floats: bool
) -> None:
    before = "The crew opens the inlet slowly because a sudden jump of the pressure would damage the irri-"
    after = "gation lines of the lower field, which nobody can reach without a boat before the end of"
    last = "the wet season. " + sentences("rest", 3)
    paper = Paper(tmp_path / "break.pdf").heading("1 Use")
    for number in (1, 2, 3, 4):
        if number == 3 and floats:
            paper.line("Table 1. Torque of each screw of the cover", size=9).table([("Screw", "Torque"), ("M4", "2.4"), ("M5", "3.4")])
        if number == 3:
            paper.line(after).text(last)
        for part in range(11):
            paper.text(sentences(f"page {number} {part}", 3))
        if number == 2:
            paper.line(before)
        paper.canvas.drawCentredString(297, 30, str(number))
        paper.turn()
    read = read_file(paper.save(), process, window_pages)
    (holder,) = [row for row in read.paragraphs.to_dicts() if "sudden jump" in row["text"]]
    assert f"{before[:-1]}{after} {last}".split(". ")[0] in holder["text"]
    assert (holder["page_start"], holder["page_end"]) == (2, 3)


def test_case_25_a_title_line_above_a_table_stays_with_the_table(tmp_path: Path, process: ParserProcess) -> None:
    paper = Paper(tmp_path / "tables.pdf").heading("1 Torques").text(sentences("before", 14)).text(sentences("more", 14))
    paper.line("Table 1. Torque of each screw of the cover", "Times-Bold", 9.5)
    paper.y -= 6
    paper.table([("Screw", "Torque", "Tool"), ("M4", "2.4 Nm", "Key 7"), ("M5", "5.1 Nm", "Key 8"), ("M6", "9.2 Nm", "Key 10")])
    paper.text(sentences("after", 14)).text(sentences("later", 14))
    read = read_file(paper.save(), process)
    (unit,) = [row["text"] for row in read.paragraphs.to_dicts() if "2.4 Nm" in row["text"]]
    assert "Table 1. Torque of each screw of the cover" in unit
    assert "M6 | 9.2 Nm | Key 10" in unit


def test_case_27_sections_on_one_page_have_their_own_text(tmp_path: Path, process: ParserProcess) -> None:
    titles = ("2 Care", "2.1 Filter", "2.2 Seals", "2.3 Float")
    paper = Paper(tmp_path / "page.pdf").heading("1 Use").text(sentences("use", 4))
    for title in titles:
        paper.heading(title).text(sentences(title, 4))
    read = read_file(paper.save(), process)
    assert read.under("2 Care") == sentences("2 Care", 4)
    for title in titles[1:]:
        assert read.under("2 Care", title) == sentences(title, 4)


STEPS = (
    "1. Turn off the pump and wait until the pressure gauge shows zero before you touch the cover.",
    "2. Loosen the four screws of the cover with a key of size seven, starting at the top left.",
    "3. Take out the old filter and put it into the bin that stands beside the door.",
    "4. Press the new filter into the seat until it clicks on both sides.",
    "5. Close the cover.",
)


@pytest.mark.parametrize("font", ["Times-Roman", "Times-Bold"])
def test_case_28_steps_of_a_numbered_list_are_no_titles(tmp_path: Path, process: ParserProcess, font: str) -> None:
    paper = Paper(tmp_path / "manual.pdf").heading("Pump Manual", 24).text(sentences("manual", 14))
    paper.heading("Changing the filter", 15).text(sentences("intro", 4))
    for step in STEPS:
        paper.text(step, font=font)
    paper.heading("Storing the pump", 15).text(sentences("storing", 5))
    read = read_file(paper.save(), process)
    assert [title for _, title in read.outline] == ["Changing the filter", "Storing the pump"]
    for step in STEPS:
        assert step in " ".join(read.under("Changing the filter").split())


def test_case_30_levels_hold_over_the_book_and_its_title_heads_no_chapter(tmp_path: Path, process: ParserProcess) -> None:
    name = "The Book of Small Pumps"
    book = Paper(tmp_path / "book.pdf")
    book.y = 600
    book.heading(name, 26).line("Ada Osk", size=14).turn()
    book.y = 700
    book.heading(name, 26).turn()
    chapters = ("Water in the Hills", "Valves and Floats", "Winter")
    for chapter in chapters:
        book.heading(chapter, 18).text(sentences(chapter, 25)).text(sentences(f"{chapter} more", 20)).turn()
        # A page that shows a lower heading only: alone it would look like the top.
        book.canvas.setFont("Times-Bold", 12)
        book.canvas.drawCentredString(297, 800, name)
        book.heading(f"After {chapter}", 14).text(sentences(f"after {chapter}", 25)).turn()
    read = read_file(book.save(), process)
    assert read.outline == [entry for chapter in chapters for entry in ((1, chapter), (2, f"After {chapter}"))]
    assert read.title == name


def test_case_38_titles_followed_by_tables_are_sections_of_their_own(tmp_path: Path, process: ParserProcess) -> None:
    titles = ("1 Staff of the water hall", "2 Spare parts in store", "3 Readings of March")
    report = Paper(tmp_path / "report.pdf").heading("Yearly report", 18).text(sentences("report", 4))
    for title in titles:
        report.heading(title, 13)
        report.y -= 4
        report.table([("Name", "Number", "Place"), (f"{title[2:7]} a", "12", "north"), (f"{title[2:7]} b", "7", "south")])
    read = read_file(report.save(), process)
    assert [title for _, title in read.outline] == list(titles)
    for title in titles:
        assert read.under(title) == f"Name | Number | Place\n{title[2:7]} a | 12 | north\n{title[2:7]} b | 7 | south"
