"""Contents and furniture are believed only when print confirms them; what is not becomes text again."""

import pytest

from docnav_pipeline.hierarchy.retype import retype
from docnav_pipeline.parsing.block import Block, BlockType

CONTENTS, FURNITURE, TEXT = BlockType.CONTENTS, BlockType.FURNITURE, BlockType.TEXT
PAGES = [Block(TEXT, f"Page {n} of the report.", page=n) for n in range(1, 61)]


def types(blocks: list[Block]) -> list[BlockType]:
    return [block.type for block in retype([*blocks, *PAGES])][: len(blocks)]


@pytest.mark.parametrize(
    "lines",
    [
        ["1 Safety 3", "2 Maintenance 7", "2.1 Cover 7", "Index 58"],
        ["Safety ........ 3", "Maintenance ..... 40", "Cover ...... 12"],
        ["Safety … iii", "Maintenance … iv"],
    ],
)
def test_a_table_of_contents_stays_one(lines: list[str]) -> None:
    assert types([Block(CONTENTS, line, page=2) for line in lines]) == [CONTENTS] * len(lines)


@pytest.mark.parametrize(
    "lines",
    [
        ["Cash and cash equivalents 689 775", "Raw materials 992 1,114", "Prepaid expenses 531 512", "Total assets $ 17,003 $ 17,426"],
        ["Goodwill 366", "Deferred tax assets 134", "Inventories 221"],
        ["Current liabilities:", "Short-term debt", "Trade payables"],
        ["Widgets 5000", "Bolts 6000", "Nuts 7000"],
    ],
)
def test_a_balance_sheet_is_no_table_of_contents(lines: list[str]) -> None:
    assert types([Block(CONTENTS, line, page=52) for line in lines]) == [TEXT] * len(lines)


def test_entries_with_a_target_are_believed() -> None:
    assert types([Block(CONTENTS, "Safety", page=1, target="#safety")]) == [CONTENTS]


def test_a_long_header_on_one_page_is_text_and_a_repeated_one_is_not() -> None:
    once = "Consolidated balance sheets of the group in millions except share and per share data as of June"
    many = "This manual describes the controller with all its modules and it may not be copied without leave page {}"
    blocks = [Block(FURNITURE, once, page=4), *(Block(FURNITURE, many.format(n), page=n) for n in (5, 6)), Block(FURNITURE, "7", page=7)]
    assert types(blocks) == [TEXT, FURNITURE, FURNITURE, FURNITURE]


def test_texts_and_order_stay() -> None:
    blocks = [Block(CONTENTS, "Goodwill 366", page=1), Block(TEXT, "Then.", page=1)]
    assert [block.text for block in retype(blocks)] == ["Goodwill 366", "Then."]
