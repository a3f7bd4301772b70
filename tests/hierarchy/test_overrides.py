"""A person's corrections win, and faulty ones are refused with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from assets_store.settings import HierarchySettings
from docnav_pipeline.hierarchy.overrides import OverridesError, overrides_path, parse_overrides, read_overrides
from docnav_pipeline.hierarchy.recover import recover
from docnav_pipeline.parsing.block import Block, BlockType
from tests.hierarchy.press import Press

TOML = """
[[add]]
title = "Safety first"
level = 2

[[remove]]
title = "Pumps"

[[relevel]]
title = "1 Wells"
level = 3
"""


def test_print_is_corrected() -> None:
    press = Press().title("Handbook", 24).prose(6).title("1 Wells").prose().lines(["Safety first"]).prose().title("2 Pumps").prose()
    headings = recover(press.blocks, HierarchySettings(), parse_overrides(TOML, "handbook.pdf.docnav.toml")).headings
    assert [(h.level, h.title) for h in headings] == [(3, "1 Wells"), (2, "Safety first")]
    assert all(h.evidence[0] == "override" for h in headings)
    assert all(h.confidence == 1.0 for h in headings)


def test_source_levels_are_corrected() -> None:
    blocks = (
        Block(BlockType.TITLE, "1 Wells", level=1),
        Block(BlockType.TEXT, "Safety first"),
        Block(BlockType.TITLE, "2 Pumps", level=1),
        Block(BlockType.TITLE, "3 Bells", level=1),
    )
    headings = recover(blocks, HierarchySettings(), parse_overrides(TOML, "x")).headings
    assert [(h.level, h.title) for h in headings] == [(3, "1 Wells"), (2, "Safety first"), (1, "3 Bells")]


def test_line_inside_a_paragraph_can_be_made_a_heading() -> None:
    press = Press().title("Handbook", 24).prose(6).title("1 Wells").prose()
    press.lines(["the bell rings and everybody runs to the door", "Safety first", "and nobody forgets the lamp"])
    recovered = recover(press.blocks, HierarchySettings(), parse_overrides(TOML, "x"))
    assert [h.title for h in recovered.headings] == ["1 Wells", "Safety first"]
    assert recovered.blocks[recovered.headings[-1].first_block + 1].text == "and nobody forgets the lamp"


def test_page_limits_a_correction() -> None:
    press = Press().title("Handbook", 24).prose(6).turn().title("Care", 14).prose().turn().prose().title("Care", 14).prose()
    overrides = parse_overrides('[[remove]]\ntitle = "Care"\npage = 2\n', "x")
    assert [(h.title, h.page) for h in recover(press.blocks, HierarchySettings(), overrides).headings] == [("Care", 3)]


def test_file_beside_the_source_is_read(tmp_path: Path) -> None:
    source = tmp_path / "handbook.pdf"
    assert read_overrides(source) is None
    overrides_path(source).write_text(TOML, encoding="utf-8")
    assert overrides_path(source).name == "handbook.pdf.docnav.toml"
    read = read_overrides(source)
    assert read is not None
    assert read.remove[0].title == "Pumps"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("[[add]\n", "not valid TOML"),
        ('[[add]]\ntitle = ""\n', "add.0.title"),
        ('[[relevel]]\ntitle = "Care"\n', "relevel.0.level"),
        ('[[rename]]\ntitle = "Care"\n', "rename"),
        ('[[add]]\ntitle = "Care"\npage = 0\n', "add.0.page"),
    ],
)
def test_faulty_file_is_refused_with_its_place(text: str, part: str) -> None:
    with pytest.raises(OverridesError, match=part.replace(".", r"\.")):
        parse_overrides(text, "handbook.pdf.docnav.toml")


def test_unreadable_file_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "handbook.pdf"
    overrides_path(source).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(OverridesError, match="UTF-8"):
        read_overrides(source)


def test_corrections_that_match_nothing_are_told() -> None:
    text = '[[add]]\ntitle = "Nowhere"\n[[remove]]\ntitle = "Nope"\npage = 3\n[[relevel]]\ntitle = "Wells"\nlevel = 2\n'
    blocks = [Block(BlockType.TITLE, "Aim", level=1), Block(BlockType.TITLE, "Wells", level=1)]
    recovered = recover(blocks, HierarchySettings(), parse_overrides(text, "a.toml"))
    assert recovered.report.unmatched_overrides == ("add 'Nowhere'", "remove 'Nope' on page 3")


@pytest.mark.parametrize("entry", ['title = "..."', 'title = "Wells"\nlevel = true', 'title = "Wells"\npage = 1.5'])
def test_corrections_that_can_match_nothing_are_refused(entry: str) -> None:
    with pytest.raises(OverridesError):
        parse_overrides(f"[[add]]\n{entry}\n", "a.toml")
