"""Faults that other systems have with Word files: heading styles, automatic numbers, lists. Numbers are those of CASES.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from docnav_pipeline.parsing.process import ParserProcess
from tests.cases.reader import read_file


def element(tag: str, **attributes: str) -> Any:
    """An element of WordprocessingML, its attributes in the same namespace."""
    made = OxmlElement(tag)
    for name, value in attributes.items():
        made.set(qn(f"w:{name}"), value)
    return made


def add_numbering(document: Any, number: int, levels: list[tuple[str, str]], start: int = 1) -> None:
    """A numbering definition. levels: (format, text) of each level, for example ("decimal", "%1.%2"). start: of the first level."""
    root = document.part.numbering_part.element
    abstract = element("w:abstractNum", abstractNumId=str(number))
    for at, (form, text) in enumerate(levels):
        level = element("w:lvl", ilvl=str(at))
        for tag, value in (("w:start", str(1 if at else start)), ("w:numFmt", form), ("w:lvlText", text)):
            level.append(element(tag, val=value))
        abstract.append(level)
    # The schema wants all abstract definitions before the first instance.
    root.insert(0, abstract)
    instance = element("w:num", numId=str(number))
    instance.append(element("w:abstractNumId", val=str(number)))
    root.append(instance)


def number(paragraph: Any, num_id: int, level: int) -> None:
    """Give a paragraph an automatic number."""
    properties = paragraph._p.get_or_add_pPr()
    numbering = element("w:numPr")
    numbering.append(element("w:ilvl", val=str(level)))
    numbering.append(element("w:numId", val=str(num_id)))
    properties.append(numbering)


def test_case_3_custom_heading_styles_count_by_inheritance_and_outline_level(tmp_path: Path, process: ParserProcess) -> None:
    document = docx.Document()
    inherited = document.styles.add_style("Firm Chapter", WD_STYLE_TYPE.PARAGRAPH)
    inherited.base_style = document.styles["Heading 1"]
    twice = document.styles.add_style("Firm Chapter Blue", WD_STYLE_TYPE.PARAGRAPH)
    twice.base_style = inherited
    outlined = document.styles.add_style("Firm Part", WD_STYLE_TYPE.PARAGRAPH)
    outlined.element.get_or_add_pPr().append(element("w:outlineLvl", val="1"))
    document.add_paragraph("Use", style="Firm Chapter")
    document.add_paragraph("Open the lid before you start the pump.")
    document.add_paragraph("Daily checks", style="Firm Part")
    document.add_paragraph("Look at the gauge every morning.")
    document.add_paragraph("Storage", style="Firm Chapter Blue")
    document.add_paragraph("Empty the tank before winter.")
    direct = document.add_paragraph("Frost")
    direct._p.get_or_add_pPr().append(element("w:outlineLvl", val="1"))
    document.add_paragraph("Ice breaks the housing.")
    document.save(str(tmp_path / "custom.docx"))
    read = read_file(tmp_path / "custom.docx", process)
    assert read.outline == [(1, "Use"), (2, "Daily checks"), (1, "Storage"), (2, "Frost")]
    assert read.under("Storage", "Frost") == "Ice breaks the housing."


def test_case_4_word_headings_right_after_each_other_keep_their_nodes(tmp_path: Path, process: ParserProcess) -> None:
    document = docx.Document()
    for level, title in ((1, "Maintenance"), (2, "Filter"), (2, "Seals"), (3, "Inner seal")):
        document.add_heading(title, level)
    document.add_paragraph("Grease it once a year.")
    document.add_heading("Disposal", 1)
    document.save(str(tmp_path / "bare.docx"))
    read = read_file(tmp_path / "bare.docx", process)
    assert read.outline == [(1, "Maintenance"), (2, "Filter"), (2, "Seals"), (3, "Inner seal"), (1, "Disposal")]
    assert read.under("Maintenance", "Seals", "Inner seal") == "Grease it once a year."


def number_headings(document: Any, num_id: int) -> None:
    """Give the heading styles an automatic number, as an outline-numbered Word file has them."""
    for level in (1, 2, 3):
        numbering = element("w:numPr")
        numbering.append(element("w:ilvl", val=str(level - 1)))
        numbering.append(element("w:numId", val=str(num_id)))
        document.styles[f"Heading {level}"].element.get_or_add_pPr().append(numbering)


def test_case_9_word_headings_show_their_outline_number(tmp_path: Path, process: ParserProcess) -> None:
    document = docx.Document()
    add_numbering(document, 77, [("decimal", "%1"), ("decimal", "%1.%2"), ("decimal", "%1.%2.%3")], start=2)
    number_headings(document, 77)
    for level, title in ((1, "Terms"), (1, "Method"), (2, "Sensors"), (2, "Control"), (3, "Tuning"), (2, "Limits"), (1, "Results")):
        document.add_heading(title, level)
        document.add_paragraph(f"What we say about {title.lower()}.")
    document.save(str(tmp_path / "numbered.docx"))
    read = read_file(tmp_path / "numbered.docx", process)
    assert read.outline == [
        (1, "2 Terms"),
        (1, "3 Method"),
        (2, "3.1 Sensors"),
        (2, "3.2 Control"),
        (3, "3.2.1 Tuning"),
        (2, "3.3 Limits"),
        (1, "4 Results"),
    ]
    assert read.tree.filter(title="3.2 Control")["label"].item() == "3.2"


def test_case_9_words_and_letters_of_an_automatic_number_are_shown(tmp_path: Path, process: ParserProcess) -> None:
    document = docx.Document()
    add_numbering(document, 77, [("decimal", "Section %1."), ("lowerLetter", "(%2)"), ("lowerRoman", "%3.")])
    number_headings(document, 77)
    for level, title in ((1, "Scope"), (2, "Pumps"), (2, "Valves"), (1, "Duties"), (2, "Owner"), (3, "Costs"), (3, "Repair")):
        document.add_heading(title, level)
        document.add_paragraph(f"What we say about {title.lower()}.")
    document.save(str(tmp_path / "numbered.docx"))
    titles = [title for _, title in read_file(tmp_path / "numbered.docx", process).outline]
    expected = ["Section 1. Scope", "(a) Pumps", "(b) Valves", "Section 2. Duties", "(a) Owner", "i. Costs", "ii. Repair"]
    assert titles == expected


def test_case_9_list_items_show_the_marker_that_word_shows(tmp_path: Path, process: ParserProcess) -> None:
    document = docx.Document()
    add_numbering(document, 78, [("decimal", "%1)"), ("lowerLetter", "%2)")])
    document.add_heading("Start", 1)
    for level, item in ((0, "Fill the tank."), (1, "Use clean water."), (1, "Close the lid."), (0, "Open the valve.")):
        number(document.add_paragraph(item, style="List Paragraph"), 78, level)
    document.save(str(tmp_path / "list.docx"))
    lines = [line.strip() for line in read_file(tmp_path / "list.docx", process).under("Start").split("\n")]
    assert lines == ["1) Fill the tank.", "a) Use clean water.", "b) Close the lid.", "2) Open the valve."]


def test_case_11_a_list_after_a_numbered_heading_stays_in_its_section(tmp_path: Path, process: ParserProcess) -> None:
    document = docx.Document()
    add_numbering(document, 77, [("decimal", "%1"), ("decimal", "%1.%2")])
    add_numbering(document, 78, [("decimal", "%1."), ("decimal", "%2.")])
    for at, title in enumerate(("Before the start", "After the stop")):
        number(document.add_heading(title, 1), 77, 0)
        if at == 0:
            for level, item in ((0, "Fill the tank."), (1, "Use clean water."), (0, "Open the valve.")):
                number(document.add_paragraph(item, style="List Paragraph"), 78, level)
        document.add_paragraph(f"Text of {title.lower()}.")
    for item in ("a brush", "a bucket"):
        document.add_paragraph(item, style="List Bullet")
    document.save(str(tmp_path / "list.docx"))
    read = read_file(tmp_path / "list.docx", process)
    assert [title for _, title in read.outline] == ["1 Before the start", "2 After the stop"]
    first, second = read.under("1 Before the start"), read.under("2 After the stop")
    assert first == "1. Fill the tank.\n  1. Use clean water.\n2. Open the valve.\n\nText of before the start."
    assert second == "Text of after the stop.\n\n- a brush\n- a bucket"


@pytest.mark.parametrize("style", ["Caption", "Normal"])
def test_case_25_a_title_line_above_a_word_table_stays_with_the_table(tmp_path: Path, process: ParserProcess, style: str) -> None:
    document = docx.Document()
    # Sections that differ in how much room a unit leaves before the table.
    for n in range(4, 30, 2):
        document.add_heading(f"Cover {n}", 1)
        document.add_paragraph(" ".join(f"Sentence {at} says how a screw is fastened to the cover." for at in range(n)))
        document.add_paragraph(f"Table {n}: Torque of each screw", style=style)
        table = document.add_table(rows=0, cols=2)
        for at in range(30):
            for cell, text in zip(table.add_row().cells, ("Screw" if not at else f"M{n}/{at}", "Torque" if not at else "2.4"), strict=True):
                cell.text = text
    document.save(str(tmp_path / "table.docx"))
    read = read_file(tmp_path / "table.docx", process)
    for n in range(4, 30, 2):
        (unit,) = [text for text in read.paragraphs["text"] if f"M{n}/1 |" in text]
        assert f"Table {n}: Torque of each screw\nScrew | Torque\nM{n}/1 | 2.4" in unit
