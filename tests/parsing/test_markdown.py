"""Tests of the Markdown reader."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docnav_pipeline.parsing.block import Block, BlockType
from docnav_pipeline.parsing.markdown import github_slug, parse_markdown_text


def blocks_of(text: str, kind: BlockType) -> list[Block]:
    return [block for block in parse_markdown_text(text).blocks if block.type is kind]


def titles(text: str) -> list[tuple[int | None, str]]:
    return [(block.level, block.text) for block in blocks_of(text, BlockType.TITLE)]


def test_hash_and_underlined_headings_have_levels_and_code_has_none() -> None:
    text = "Guide\n=====\n\nUse\n---\n\n```sh\n# not a heading\n```\n\n    # nor this\n\n### Deep ###\n"
    assert titles(text) == [(1, "Guide"), (2, "Use"), (3, "Deep")]
    assert [block.text for block in blocks_of(text, BlockType.CODE)] == ["# not a heading", "# nor this"]


def test_several_top_headings_stay_at_level_one() -> None:
    assert titles("# One\n\ntext\n\n# Two\n") == [(1, "One"), (1, "Two")]


def test_inline_markup_in_a_heading_is_joined_to_plain_text() -> None:
    text = "## Use [the *pump*](pump.md) with `--fast` & **care**\n"
    (block,) = blocks_of(text, BlockType.TITLE)
    assert block.text == "Use the pump with --fast & care"
    assert block.links == (("the pump", "pump.md"),)
    assert block.anchor == "use-the-pump-with---fast--care"


def test_heading_attributes_give_the_anchor_and_leave_the_text() -> None:
    (block,) = blocks_of("# Options {#opts .unnumbered}\n", BlockType.TITLE)
    assert (block.text, block.anchor) == ("Options", "opts")


def test_equal_headings_get_numbered_anchors() -> None:
    assert [block.anchor for block in blocks_of("# A b\n\n# A b\n", BlockType.TITLE)] == ["a-b", "a-b-1"]


def test_front_matter_gives_title_and_language() -> None:
    document = parse_markdown_text('---\ntitle: "Pump: a manual"\nlang: de-DE\n---\n\n# Erste\n')
    assert (document.title, document.language) == ("Pump: a manual", "de")
    assert [block.text for block in document.blocks] == ["Erste"]


def test_the_only_first_heading_is_the_title_of_the_document() -> None:
    document = parse_markdown_text("# Manual\n\n## Use\n\ntext\n")
    assert document.title == "Manual"
    assert document.blocks[0].sub_type == "document_title"


def test_a_table_keeps_rows_and_markup() -> None:
    (table,) = blocks_of("| Part | Torque |\n|---|---|\n| Bolt | 5 *Nm* |\n", BlockType.TABLE)
    assert table.text == "Part | Torque\nBolt | 5 Nm"
    assert table.html == "<table><tr><th>Part</th><th>Torque</th></tr><tr><td>Bolt</td><td>5 Nm</td></tr></table>"


def test_lists_keep_markers_and_nesting_and_are_cut_for_code() -> None:
    text = "3. Open\n   - lid\n   - tap\n4. Run\n\n   ```\n   go\n   ```\n"
    blocks = parse_markdown_text(text).blocks
    assert [(block.type, block.text) for block in blocks] == [
        (BlockType.LIST, "3. Open\n   - lid\n   - tap\n4. Run"),
        (BlockType.CODE, "go"),
    ]


def test_quotations_definitions_and_footnotes_keep_their_text() -> None:
    text = "> quoted *text*\n\nTerm\n:   Meaning\n\nSee[^1].\n\n[^1]: The note.\n"
    found = {block.type: block.text for block in parse_markdown_text(text).blocks}
    assert found[BlockType.LIST] == "Term\n  Meaning"
    assert found[BlockType.FOOTNOTE] == "[1] The note."
    assert "See[1]." in [block.text for block in blocks_of(text, BlockType.TEXT)]


def test_raw_html_keeps_text_and_headings_but_no_scripts() -> None:
    text = '<h2 align="center">Install</h2>\n\n<p>Run it <script>alert(1)</script>now</p>\n\n<!-- hidden -->\n'
    blocks = parse_markdown_text(text).blocks
    assert [(block.type, block.text) for block in blocks] == [(BlockType.TITLE, "Install"), (BlockType.TEXT, "Run it now")]


def test_a_list_of_links_to_headings_is_a_contents_page() -> None:
    text = "# Doc\n\n- [One](#one)\n  - [Two](#two)\n- [Three](#three)\n\n## One\n\n### Two\n\n## Three\n"
    entries = blocks_of(text, BlockType.CONTENTS)
    assert [(entry.text, entry.level, entry.target) for entry in entries] == [
        ("One", 1, "#one"),
        ("Two", 2, "#two"),
        ("Three", 1, "#three"),
    ]


def test_slugs_follow_the_published_rule() -> None:
    assert github_slug("24/7 Support: what's new?") == "247-support-whats-new"


@given(
    st.lists(st.text(alphabet=st.characters(categories=["Ll", "Lu", "Nd"], codec="utf-8"), min_size=1, max_size=12), min_size=1, max_size=6)
)
def test_words_of_paragraphs_are_neither_lost_nor_changed(words: list[str]) -> None:
    text = "\n\n".join(f"x{word}" for word in words)
    found = " ".join(block.text for block in parse_markdown_text(text).blocks)
    for word in words:
        assert f"x{word}".casefold()[:1] in found.casefold()
    assert len(found.split()) == len(words)


@pytest.mark.parametrize("depth", [10, 60, 300])
def test_lists_and_quotes_however_deep_lose_nothing(depth: int) -> None:
    items = "\n".join(" " * (2 * n) + f"- item{n}x" for n in range(depth))
    blocks = parse_markdown_text(f"# Deep\n\n{items}\n\n{'>' * depth} quoted\n\n## After\n\nafterword\n").blocks
    text = " ".join(block.text for block in blocks)
    assert [f"item{n}x" for n in range(depth) if f"item{n}x" not in text] == []
    assert "quoted" in text
    assert [block.text for block in blocks if block.type is BlockType.TITLE] == ["Deep", "After"]
