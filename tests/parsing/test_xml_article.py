"""Tests of the XML reader."""

from __future__ import annotations

from pathlib import Path

import pytest

from docnav_pipeline.parsing.block import Block, BlockType, ParsedDocument
from docnav_pipeline.parsing.errors import CorruptSource
from docnav_pipeline.parsing.xml_article import parse_xml

JATS = """<?xml version="1.0"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS" "x.dtd">
<article xml:lang="en"><front><journal-meta><journal-id>J</journal-id></journal-meta><article-meta>
<title-group><article-title>On <italic>Pumps</italic></article-title></title-group><abstract><p>Short.</p></abstract></article-meta></front>
<body><sec id="s1"><label>1</label><title>Use</title><p>See <xref rid="f1">Figure 1</xref>&nbsp;now.</p>
<sec id="s2"><title>Deep</title><p>Text<list list-type="order"><list-item><p>one</p></list-item>
<list-item><p>two</p></list-item></list>after</p>
<fig id="f1"><label>Figure 1</label><caption><title>A pump.</title></caption><graphic/></fig>
<table-wrap id="t1"><label>Table 1</label><table><tr><td>a</td><td>b</td></tr></table></table-wrap></sec></sec></body>
<back><ref-list><title>References</title>
<ref id="r1"><mixed-citation>Doe. Pumps. 2020.</mixed-citation></ref></ref-list></back></article>"""

RFC = """<rfc><front><title>Pumps</title><author fullname="D. Doe"/><abstract><t>Short.</t></abstract></front>
<middle><section anchor="use" pn="section-1"><name>Use</name><t>See <xref target="deep" format="default" derivedContent="Section 1.1"/>.</t>
<section anchor="deep" pn="section-1.1"><name>Deep</name><ul><li>one</li></ul><sourcecode>a = 1
  b</sourcecode></section></section></middle>
<back><section pn="section-appendix.a"><name>More</name><t>End.</t></section></back></rfc>"""


def read(tmp_path: Path, text: str) -> ParsedDocument:
    path = tmp_path / "a.xml"
    path.write_text(text, encoding="utf-8")
    return parse_xml(path)


def outline(document: ParsedDocument) -> list[tuple[int | None, str]]:
    return [(block.level, block.text) for block in document.blocks if block.type is BlockType.TITLE]


def of_type(document: ParsedDocument, kind: BlockType) -> list[Block]:
    return [block for block in document.blocks if block.type is kind]


def test_nested_sections_of_an_article_give_levels(tmp_path: Path) -> None:
    document = read(tmp_path, JATS)
    assert (document.title, document.language) == ("On Pumps", "en")
    assert outline(document) == [(None, "On Pumps"), (1, "Abstract"), (1, "1 Use"), (2, "Deep"), (1, "References")]


def test_lists_figures_tables_and_references_keep_their_kind(tmp_path: Path) -> None:
    document = read(tmp_path, JATS)
    assert [block.text for block in of_type(document, BlockType.LIST)] == ["1. one\n2. two"]
    assert [block.text for block in of_type(document, BlockType.CAPTION)] == ["Figure 1 A pump.", "Table 1"]
    assert [block.text for block in of_type(document, BlockType.TABLE)] == ["a | b"]
    assert [block.text for block in of_type(document, BlockType.REFERENCE)] == ["Doe. Pumps. 2020."]
    texts = of_type(document, BlockType.TEXT)
    assert [block.text for block in texts] == ["Short.", "See Figure 1 now.", "Text", "after"]
    assert texts[1].links == (("Figure 1", "#f1"),)


def test_sections_of_an_rfc_print_their_numbers(tmp_path: Path) -> None:
    document = read(tmp_path, RFC)
    assert outline(document) == [(None, "Pumps"), (1, "Abstract"), (1, "1. Use"), (2, "1.1. Deep"), (1, "Appendix A. More")]
    assert "See Section 1.1." in [block.text for block in document.blocks]
    assert [block.text for block in of_type(document, BlockType.CODE)] == ["a = 1\n  b"]


def test_other_xml_is_read_by_its_elements(tmp_path: Path) -> None:
    document = read(tmp_path, "<catalog><entry><what>Blue pump</what><price>3</price></entry></catalog>")
    assert [block.text for block in document.blocks] == ["Blue pump", "3"]


def test_outside_entities_are_not_fetched(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("TOP-SECRET", encoding="utf-8")
    document = read(tmp_path, f'<!DOCTYPE a [<!ENTITY x SYSTEM "{secret}">]><a><p>start &x; end</p></a>')
    assert "TOP-SECRET" not in "".join(block.text for block in document.blocks)
    assert document.blocks[0].text.startswith("start")


def test_an_entity_bomb_is_corrupt(tmp_path: Path) -> None:
    laughs = "".join(f'<!ENTITY l{number} "{f"&l{number - 1};" * 10}">' for number in range(1, 12))
    with pytest.raises(CorruptSource):
        read(tmp_path, f'<!DOCTYPE a [<!ENTITY l0 "ha">{laughs}]><a><p>&l11;</p></a>')


def test_broken_xml_is_corrupt(tmp_path: Path) -> None:
    with pytest.raises(CorruptSource, match="not well formed"):
        read(tmp_path, "<a><b></a>")


def test_notes_in_the_foot_of_a_table_stay_with_it(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text(
        "<article><body><sec><title>A</title><table-wrap id='T1'><label>Table 1</label><caption><p>Depths</p></caption><table><tbody>"
        "<tr><td>9 m<xref ref-type='table-fn' rid='n'>a</xref></td></tr></tbody></table><table-wrap-foot><fn id='n'><label>a</label>"
        "<p>Measured in spring.</p></fn></table-wrap-foot></table-wrap></sec></body></article>"
    )
    notes = [(block.text, block.sub_type) for block in parse_xml(path).blocks if block.type is BlockType.FOOTNOTE]
    assert notes == [("a Measured in spring.", "table")]
