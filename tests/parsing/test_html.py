"""Tests of the HTML reader."""

from __future__ import annotations

import pytest

from assets_store.settings import HierarchySettings
from docnav_pipeline.hierarchy.recover import recover
from docnav_pipeline.parsing.block import Block, BlockType
from docnav_pipeline.parsing.html import parse_html_text


def read(body: str, head: str = "") -> list[Block]:
    return list(parse_html_text(f"<html><head>{head}</head><body>{body}</body></html>").blocks)


def outline(blocks: list[Block]) -> list[tuple[int | None, str]]:
    return [(block.level, block.text) for block in blocks if block.type is BlockType.TITLE]


def test_headings_keep_their_levels_and_anchors() -> None:
    blocks = read('<h1>A</h1><p>x</p><h2 id="b">B <a href="#b">¶</a></h2><h1>C</h1><div role="heading" aria-level="3">D</div>')
    assert outline(blocks) == [(1, "A"), (2, "B"), (1, "C"), (3, "D")]
    assert [block.anchor for block in blocks if block.text == "B"] == ["b"]


def test_navigation_scripts_and_hidden_text_are_dropped() -> None:
    blocks = read(
        "<nav><a href='/a'>Menu</a></nav><header><div>Logo</div></header><script>x()</script><div hidden>no</div>"
        "<p style='display:none'>no</p><main><h1>T</h1><p>Body text that a reader sees.</p></main><footer>Imprint</footer>"
    )
    assert [block.text for block in blocks] == ["T", "Body text that a reader sees."]


def test_menus_without_a_main_element_are_dropped_too() -> None:
    blocks = read('<ul class="top-menu"><li><a href="/">Home</a></li><li><a href="/x">More</a></li></ul><h2>T</h2><p>Body.</p>')
    assert [block.text for block in blocks] == ["T", "Body."]


def test_text_between_block_elements_is_not_lost_and_inline_markup_is_joined() -> None:
    blocks = read("loose <b>bold</b> text<p>para<br>next</p>tail")
    assert [block.text for block in blocks] == ["loose bold text", "para\nnext", "tail"]


def test_lists_nest_and_definition_lists_keep_terms() -> None:
    blocks = read("<ol start=2><li>Two<ul><li>inner</li></ul></li><li>Three</li></ol><dl><dt>Term</dt><dd>Meaning</dd></dl>")
    assert [block.text for block in blocks] == ["2. Two\n   - inner\n3. Three", "Term\n  Meaning"]
    assert all(block.type is BlockType.LIST for block in blocks)


def test_a_table_keeps_spans_caption_and_escapes_markup() -> None:
    blocks = read(
        "<table><caption>Sizes</caption><tr><th rowspan=2>Part</th><th colspan=2>Size</th></tr>"
        "<tr><td>a &lt; b</td><td><p>1</p><p>2</p></td></tr></table>"
    )
    assert [(block.type, block.text) for block in blocks] == [
        (BlockType.CAPTION, "Sizes"),
        (BlockType.TABLE, "Part | Size\n | a < b | 1 2"),
    ]
    assert blocks[1].html is not None
    assert 'rowspan="2"' in blocks[1].html
    assert "a &lt; b" in blocks[1].html


def test_a_hostile_span_does_not_grow_the_table() -> None:
    (table,) = read("<table><tr><td colspan=99999999 rowspan=99999999>a</td><td>b</td></tr></table>")
    assert table.text.replace(" ", "").strip("|").startswith("a")
    assert len(table.text) < 10_000


def test_layout_tables_are_no_tables() -> None:
    assert [block.type for block in read("<table><tr><td><h2>T</h2><p>x</p></td></tr></table>")] == [BlockType.TITLE, BlockType.TEXT]


def test_figures_keep_caption_and_alternative_text() -> None:
    blocks = read("<figure><img src=a.png alt='A pump'><figcaption>Figure 1. The pump.</figcaption></figure>")
    assert [(block.type, block.text) for block in blocks] == [(BlockType.IMAGE, "A pump"), (BlockType.CAPTION, "Figure 1. The pump.")]


def test_code_keeps_lines_and_indentation() -> None:
    (code,) = read("<pre>\nif a:\n    <span>b</span>()\n</pre>")
    assert (code.type, code.text) == (BlockType.CODE, "if a:\n    b()")


def test_title_and_language_are_read() -> None:
    document = parse_html_text("<html lang=de-CH><head><title>Die Pumpe</title></head><body><h1>Pumpe</h1><h2>A</h2><p>x</p></body></html>")
    assert (document.title, document.language) == ("Die Pumpe", "de")
    assert document.blocks[0].sub_type == "document_title"


def test_bold_paragraphs_are_headings_only_where_there_are_no_headings() -> None:
    body = "<p><b>Scope</b></p><p>Text of it.</p>"
    assert outline(read(body)) == [(None, "Scope")]
    assert outline(read("<h1>T</h1>" + body)) == [(1, "T")]


def test_the_heading_of_a_warning_box_opens_no_section() -> None:
    assert outline(read("<h1>T</h1><div class='warning'><h3>Caution</h3><p>Hot.</p></div>")) == [(1, "T")]


def test_links_to_places_in_the_page_are_contents_entries() -> None:
    blocks = read(
        "<nav><ul><li><a href='#a'>A</a><ul><li><a href='#b'>B</a></li></ul></li><li><a href='#c'>C</a></li></ul></nav><h1 id=a>A</h1>"
    )
    assert [(block.text, block.level, block.target) for block in blocks if block.type is BlockType.CONTENTS] == [
        ("A", 1, "#a"),
        ("B", 2, "#b"),
        ("C", 1, "#c"),
    ]


def test_deep_nesting_does_not_break_the_reader() -> None:
    assert parse_html_text("<div>" * 20_000 + "text").blocks is not None


def test_no_html_at_all_gives_no_blocks() -> None:
    assert parse_html_text("").blocks == ()


def test_styled_headings_count_where_there_are_no_heading_elements() -> None:
    blocks = read(
        '<p style="font-size: 24px">Wells</p><p>Long text about wells and pumps.</p><p><span style="font-size:18px">Depth</span></p>'
        '<p>Long text about depth and more.</p><p><font size="5">Pumps</font></p><p>Long text about pumps and more.</p>'
        '<p style="font-size: 18px">Lids</p><p>Long text about lids and more.</p>'
    )
    titles = [(block.text, block.size_pt, block.level) for block in blocks if block.type is BlockType.TITLE]
    assert titles == [("Wells", 18.0, None), ("Depth", 13.5, None), ("Pumps", 18.0, None), ("Lids", 13.5, None)]
    headings = recover(blocks, HierarchySettings()).headings
    assert [(h.level, h.title) for h in headings] == [(1, "Wells"), (2, "Depth"), (1, "Pumps"), (2, "Lids")]


def test_sizes_say_nothing_where_heading_elements_do() -> None:
    blocks = read('<h2>Wells</h2><p style="font-size: 40px">Large words</p><p>Text.</p>')
    assert [block.text for block in blocks if block.type is BlockType.TITLE] == ["Wells"]


def test_footnotes_are_apart_with_anchor_and_mark() -> None:
    blocks = read(
        '<h1>T</h1><p>Deep<sup><a href="#fn1">1</a></sup> wells.</p><section class="footnotes"><hr><ol>'
        '<li id="fn1"><p>Below 9 m. <a href="#r1">↩</a></p></li></ol></section><aside role="doc-footnote" id="x">* In summer.</aside>'
    )
    notes = [(block.text, block.anchor) for block in blocks if block.type is BlockType.FOOTNOTE]
    assert notes == [("[1] Below 9 m.", "fn1"), ("* In summer.", "x")]
    assert ("1", "#fn1") in blocks[1].links


@pytest.mark.parametrize("tag", ["div", "span", "ul><li", "blockquote"])
@pytest.mark.parametrize("depth", [100, 260, 5000])
def test_boxes_however_deep_lose_nothing(tag: str, depth: int) -> None:
    end = "".join(f"</{name}>" for name in reversed(tag.split("><")))
    blocks = read(f"<h1>Deep</h1><p>start</p>{f'<{tag}>' * depth}<p>deepword</p>{end * depth}<h2>After</h2><p>afterword</p>")
    text = " ".join(block.text for block in blocks)
    assert all(word in text for word in ("start", "deepword", "After", "afterword"))
