"""Tests of reading what MinerU wrote."""

from __future__ import annotations

from typing import Any

import pytest

from docnav_pipeline.parsing.block import Block, BlockType
from docnav_pipeline.parsing.errors import CorruptSource, UnsupportedSource
from docnav_pipeline.parsing.middle_json import table_content
from docnav_pipeline.parsing.mineru_output import parse_mineru_value


def text(content: str) -> list[dict[str, str]]:
    return [{"type": "text", "content": content}]


def middle(*blocks: dict[str, Any], suffix: str = "pdf") -> dict[str, Any]:
    return {
        "schema": "docvortex.middle",
        "schema_version": "2.0",
        "metadata": {"file_suffix": suffix, "producer": {"name": "mineru", "version": "4.0.12"}},
        "pages": [{"page_idx": 0, "blocks": list(blocks)}],
    }


def kinds(blocks: tuple[Block, ...]) -> list[tuple[BlockType, str]]:
    return [(block.type, block.text) for block in blocks]


def test_middle_json_kinds_are_mapped_and_furniture_is_told_apart() -> None:
    document = parse_mineru_value(
        middle(
            {"type": "doc_title", "bbox": [0.1, 0.1, 0.9, 0.2], "content": text("Pumps"), "level": 1},
            {"type": "paragraph_title", "content": text("1 Use"), "level": 2},
            {
                "type": "text",
                "content": [*text("goes "), {"type": "hyperlink", "url": "#x", "content": text("on")}],
                "continues_prev": True,
            },
            {"type": "header", "content": text("Running head")},
            {"type": "page_number", "content": text("3")},
            {
                "type": "list",
                "content": [
                    {"type": "text", "content": text("- one")},
                    {"type": "list", "content": [{"type": "text", "content": text("- in")}]},
                ],
            },
            {"type": "index", "content": [{"type": "text", "content": text("1 Use . . . 4")}]},
            {
                "type": "table",
                "content": [
                    {"type": "table_caption", "content": text("Table 1: Sizes")},
                    {"type": "table_body", "content": "<table><tr><td>a</td><td>b</td></tr></table>"},
                    {"type": "table_footnote", "content": text("Note.")},
                ],
            },
            {"type": "image", "content": [{"type": "image_body", "content": ""}]},
        )
    )
    assert kinds(document.blocks) == [
        (BlockType.TITLE, "Pumps"),
        (BlockType.TITLE, "1 Use"),
        (BlockType.TEXT, "goes on"),
        (BlockType.FURNITURE, "Running head"),
        (BlockType.FURNITURE, "3"),
        (BlockType.LIST, "- one\n  - in"),
        (BlockType.CONTENTS, "1 Use . . . 4"),
        (BlockType.CAPTION, "Table 1: Sizes"),
        (BlockType.TABLE, "a | b"),
        (BlockType.FOOTNOTE, "Note."),
        (BlockType.IMAGE, ""),
    ]
    title, section, body = document.blocks[:3]
    assert (title.sub_type, title.bbox, title.page) == ("document_title", (0.1, 0.1, 0.9, 0.2), 1)
    assert section.level is None
    assert (body.continues_previous, body.links) == (True, (("on", "#x"),))
    assert document.blocks[6].target == "4"


def test_levels_of_word_files_count_from_heading_one() -> None:
    document = parse_mineru_value(middle({"type": "paragraph_title", "content": text("Use"), "level": 3}, suffix="docx"))
    assert (document.blocks[0].level, document.blocks[0].page) == (2, None)


def test_a_table_given_as_spaced_columns_is_read_too() -> None:
    body = {"type": "table", "content": [{"type": "table_body", "content": "Part      Size\nBolt      5 mm"}]}
    (table,) = parse_mineru_value(middle(body)).blocks
    assert (table.text, table.html) == ("Part | Size\nBolt | 5 mm", None)


def test_content_lists_of_all_ages_are_read() -> None:
    document = parse_mineru_value(
        [
            {"type": "text", "text": "**Pumps**", "text_level": 1, "page_idx": 0, "bbox": [100, 200, 900, 250]},
            {"type": "text", "text": "Body H<sub>2</sub>O a\\_b", "page_idx": 1},
            {"type": "image", "img_path": "i.jpg", "img_caption": ["Figure 1"], "page_idx": 1},
            {"type": "list", "sub_type": "ref_text", "list_items": ["Doe 2020.", "Roe 2021."], "page_idx": 1},
            {"type": "discarded", "text": "7", "page_idx": 1},
            {"type": "equation", "text": "$$\na+b\n$$", "page_idx": 1},
        ]
    )
    assert kinds(document.blocks) == [
        (BlockType.TITLE, "Pumps"),
        (BlockType.TEXT, "Body H2O a_b"),
        (BlockType.CAPTION, "Figure 1"),
        (BlockType.IMAGE, ""),
        (BlockType.REFERENCE, "Doe 2020.\nRoe 2021."),
        (BlockType.FURNITURE, "7"),
        (BlockType.EQUATION, "a+b"),
    ]
    assert document.blocks[0].bbox == (0.1, 0.2, 0.9, 0.25)
    assert [block.page for block in document.blocks[:2]] == [1, 2]
    assert document.n_pages == 2


def test_the_second_content_list_is_read() -> None:
    document = parse_mineru_value(
        [
            [
                {"type": "title", "content": {"title_content": text("Pumps"), "level": 1}, "bbox": [0, 0, 500, 1000]},
                {"type": "paragraph", "content": {"paragraph_content": text("Body")}},
                {"type": "table", "content": {"html": "<table><tr><td>a</td></tr></table>", "table_caption": text("Table 1")}},
                {"type": "page_footer", "content": {"page_footer_content": text("foot")}},
            ]
        ]
    )
    assert kinds(document.blocks) == [
        (BlockType.TITLE, "Pumps"),
        (BlockType.TEXT, "Body"),
        (BlockType.CAPTION, "Table 1"),
        (BlockType.TABLE, "a"),
        (BlockType.FURNITURE, "foot"),
    ]
    assert document.blocks[0].bbox == (0.0, 0.0, 0.5, 1.0)


def test_old_middle_files_are_read_with_boxes_in_points() -> None:
    def lines(content: str) -> list[dict[str, Any]]:
        return [{"spans": [{"type": "text", "content": content}]}]

    document = parse_mineru_value(
        {
            "_version_name": "2.7.6",
            "pdf_info": [
                {
                    "page_idx": 0,
                    "page_size": [200, 400],
                    "para_blocks": [
                        {"type": "title", "bbox": [20, 40, 100, 80], "lines": lines("Pumps")},
                        {"type": "text", "lines": lines("Body")},
                    ],
                    "discarded_blocks": [{"type": "discarded", "lines": lines("7")}],
                }
            ],
        }
    )
    assert kinds(document.blocks) == [(BlockType.TITLE, "Pumps"), (BlockType.TEXT, "Body"), (BlockType.FURNITURE, "7")]
    assert document.blocks[0].bbox == (0.1, 0.1, 0.5, 0.2)


def test_other_json_is_unsupported_and_malformed_output_is_corrupt() -> None:
    with pytest.raises(UnsupportedSource, match="another kind"):
        parse_mineru_value({"a": 1})
    with pytest.raises(CorruptSource, match="does not keep to its form"):
        parse_mineru_value({"pdf_info": [{"page_idx": "x"}]})


def test_a_table_of_pictures_has_no_text_and_none_of_its_markup() -> None:
    assert table_content('<table><tr><td><img src="data:image/png;base64,iVBORw0KGgo="/></td></tr></table>')[1] == ""
    assert table_content("a    b\nc <t    d") == (None, "a | b\nc <t | d")
