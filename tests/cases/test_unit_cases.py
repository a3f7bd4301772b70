"""Faults that other systems have when they cut a document into units: titles, paths, borders of sections. Numbers are those of CASES.md."""

from __future__ import annotations

from typing import Any

import pytest
from reportlab.pdfgen.canvas import Canvas

from assets_store.settings import ParagraphSettings
from docnav_pipeline.parsing.block import Block, BlockType
from docnav_pipeline.parsing.markdown import parse_markdown_text
from docnav_pipeline.parsing.mineru_output import parse_mineru_value
from docnav_pipeline.parsing.pdf import open_pdf
from docnav_pipeline.parsing.pdf_lines import join_typography
from docnav_pipeline.parsing.typography import read_page
from docnav_pipeline.transforms.embeddings import encoder_input
from docnav_pipeline.transforms.pieces import make_pieces
from tests.cases.paper import sentences
from tests.cases.reader import structure


def test_case_22_sections_far_shorter_than_a_unit_are_never_merged() -> None:
    titles = [f"Part {n}" for n in range(12)]
    read = structure(parse_markdown_text("\n\n".join(f"# {title}\n\nOnly {title.lower()}." for title in titles)))
    assert read.paragraphs.select("path", "text").rows() == [([title], f"Only {title.lower()}.") for title in titles]


def test_case_24_every_unit_of_a_long_section_has_its_titles() -> None:
    text = "# Audit of the water hall\n\n## Findings\n\n### Finding 3: leaking seals\n\n"
    text += "\n\n".join(sentences(f"finding {n}", 9) for n in range(20)) + "\n\n# Annex\n\nNothing.\n"
    read = structure(parse_markdown_text(text))
    path = ["Audit of the water hall", "Findings", "Finding 3: leaking seals"]
    units = read.paragraphs.filter(read.paragraphs["text"] != "Nothing.").to_dicts()
    assert len(units) > 5
    for unit in units:
        assert unit["path"] == path
        assert encoder_input(unit["path"], unit["text"]).startswith("Audit of the water hall")
        assert "Finding 3: leaking seals" in encoder_input(unit["path"], unit["text"]).split("\n")[0]


def test_case_27_parent_and_children_have_their_own_text() -> None:
    read = structure(parse_markdown_text("# Use\n\nabove\n\n## Day\n\nat day\n\n## Night\n\nat night\n\n# Care\n\nlast\n"))
    assert {tuple(row["path"]): row["text"] for row in read.paragraphs.to_dicts()} == {
        ("Use",): "above",
        ("Use", "Day"): "at day",
        ("Use", "Night"): "at night",
        ("Care",): "last",
    }


def test_case_36_a_deep_heading_is_in_the_path_of_each_part_of_its_section() -> None:
    text = "# 5 Requirements\n\n" + sentences("five", 30) + "\n\n## 5.9 Pressure\n\n" + sentences("nine", 30)
    text += "\n\n### 5.9.2 Relief valves\n\n" + "\n\n".join(sentences(f"valves {n}", 20) for n in range(6)) + "\n\n# 6 Tests\n\nEnd.\n"
    read = structure(parse_markdown_text(text), ParagraphSettings(min_tokens=60, max_tokens=120))
    paths = [tuple(path) for path in read.paragraphs["path"]]
    deep = ("5 Requirements", "5.9 Pressure", "5.9.2 Relief valves")
    assert paths.count(deep) > 6
    assert list(dict.fromkeys(paths)) == [deep[:1], deep[:2], deep, ("6 Tests",)]
    labels = dict(read.tree.filter(kind="section").select("title", "label").iter_rows())
    assert labels["5.9.2 Relief valves"] == "5.9.2"


def test_case_38_a_title_followed_by_a_table_alone_is_a_section_with_that_table() -> None:
    text = "".join(
        f"# {title}\n\n| Name | Number |\n|---|---|\n| {title} | {n} |\n\n" for n, title in enumerate(("Staff", "Parts", "Costs"))
    )
    read = structure(parse_markdown_text(text))
    assert read.paragraphs.select("path", "kind", "text").rows() == [
        ([title], "table", f"Name | Number\n{title} | {n}") for n, title in enumerate(("Staff", "Parts", "Costs"))
    ]


def test_case_42_headings_are_the_text_of_a_document_that_has_no_other() -> None:
    read = structure(parse_markdown_text("# Scope\n\n## Terms\n\n# Method\n"))
    assert read.paragraphs.select("path", "text").rows() == [
        (["Scope"], "Scope"),
        (["Scope", "Terms"], "Terms"),
        (["Method"], "Method"),
    ]


def test_case_21_halves_over_a_page_break_are_one_paragraph_before_it_is_cut() -> None:
    whole = sentences("long", 70)
    words = whole.split()
    blocks = [
        Block(BlockType.TITLE, "Use", level=1, page=1),
        Block(BlockType.TEXT, " ".join(words[:401]), page=1),
        Block(BlockType.TEXT, " ".join(words[401:]), page=2, continues_previous=True),
    ]
    document = parse_markdown_text("# Use\n\ntext\n")
    read = structure(type(document)(tuple(blocks), document.parser))
    assert " ".join(read.paragraphs["text"]).split() == words
    assert all(text.endswith(".") for text in read.paragraphs["text"])


@pytest.mark.parametrize("caption", [True, False])
def test_case_21_a_table_at_the_head_of_the_page_stands_between_halves_of_one_paragraph(caption: bool) -> None:
    # Without its caption the table stands right below a line that ends no sentence, which is no title all the same.
    between = [Block(BlockType.CAPTION, "Table 1. Torques", page=2)] if caption else []
    blocks = [
        Block(BlockType.TEXT, "A paragraph of its own.", page=1),
        Block(BlockType.TEXT, "The crew opens the inlet of the irri-", page=1),
        *between,
        Block(BlockType.TABLE, "Screw | Torque\nM4 | 2.4", page=2),
        Block(BlockType.TEXT, "gation lines slowly.", page=2, continues_previous=True),
    ]
    texts = ["\n".join(atom.text for atom in piece.atoms) for piece in make_pieces(blocks, 400)]
    table = "Screw | Torque\nM4 | 2.4"
    assert texts == [
        "A paragraph of its own.",
        "The crew opens the inlet of the irrigation lines slowly.",
        f"Table 1. Torques\n{table}" if caption else table,
    ]


TITLE_BOX = [0.12, 0.08, 0.5, 0.12]


def middle(*titles: str) -> dict[str, Any]:
    """Output of MinerU in which each page has a title block and a text block."""
    pages = [
        {
            "page_idx": number,
            "blocks": [
                {"type": "paragraph_title", "bbox": TITLE_BOX, "level": 2, "content": [{"type": "text", "content": title}]},
                {"type": "text", "bbox": [0.1, 0.2, 0.9, 0.3], "content": [{"type": "text", "content": f"Text of page {number}."}]},
            ],
        }
        for number, title in enumerate(titles)
    ]
    return {"schema": "docvortex.middle", "schema_version": "2.0", "metadata": {"file_suffix": "pdf"}, "pages": pages}


OUTPUTS: dict[str, Any] = {
    "middle": middle("1 Use", "", "3 Care"),
    "content_list": [
        item
        for number, title in enumerate(("1 Use", "", "3 Care"))
        for item in (
            {"type": "text", "text": title, "text_level": 1, "page_idx": number, "bbox": [120, 80, 500, 120]},
            {"type": "text", "text": f"Text of page {number}.", "page_idx": number},
        )
    ],
}


@pytest.mark.parametrize("form", OUTPUTS)
def test_case_18_a_title_block_without_text_in_an_output_of_mineru_is_reported(form: str) -> None:
    document = parse_mineru_value(OUTPUTS[form])
    assert [block.text for block in document.blocks if block.type is BlockType.TITLE] == ["1 Use", "3 Care"]
    (warning,) = document.warnings
    assert "1 title" in warning
    assert "page 2" in warning


def test_case_18_a_title_block_without_text_is_filled_from_the_text_layer(tmp_path: Any) -> None:
    path = str(tmp_path / "page.pdf")
    canvas = Canvas(path, pagesize=(600, 800))
    canvas.setFont("Times-Bold", 14)
    canvas.drawString(80, 715, "2 Storage")
    canvas.setFont("Times-Roman", 10)
    canvas.drawString(80, 600, "Text of the page.")
    canvas.save()
    opened = open_pdf(tmp_path / "page.pdf")
    page = read_page(opened, 0)
    opened.close()
    assert page is not None
    blocks = [
        Block(BlockType.TITLE, "", page=1, bbox=(0.12, 0.08, 0.5, 0.12)),
        Block(BlockType.TEXT, "Text of the page.", page=1, bbox=(0.1, 0.2, 0.9, 0.3)),
    ]
    title, text = join_typography(blocks, {1: page}, frozenset())
    assert (title.type, title.text, title.weight) == (BlockType.TITLE, "2 Storage", 700)
    assert text.text == "Text of the page."
