"""Headings of documents that state no levels: what is one, what is none, and how deep."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets_store.settings import HierarchySettings
from docnav_pipeline.hierarchy.recover import RecoveredHierarchy, outline_entries, recover
from docnav_pipeline.parsing.block import Block, BlockType
from tests.hierarchy.press import Press

SETTINGS = HierarchySettings()


def outline(press: Press, settings: HierarchySettings = SETTINGS) -> list[tuple[int, str]]:
    return [(h.level, h.title) for h in recover(press.blocks, settings).headings]


def paper() -> Press:
    press = Press().title("On Wells and Pumps in Dry Places", 20).lines(["Ada Boole, Crane Delta"], size=12).title("Abstract", 12).prose()
    press.title("1 Introduction").prose().title("2 Method").prose()
    press.turn().title("2.1 Wells", 12).prose().title("2.2 Pumps", 12).prose().title("2.2.1 Old pumps", 10.5).prose()
    return press.turn().title("3 Results").prose().title("References").prose()


def test_numbers_give_levels_and_the_title_is_no_heading() -> None:
    recovered = recover(paper().blocks, SETTINGS)
    assert recovered.title == "On Wells and Pumps in Dry Places"
    assert [(h.level, h.title) for h in recovered.headings if h.title != "Abstract"] == [
        (1, "1 Introduction"),
        (1, "2 Method"),
        (2, "2.1 Wells"),
        (2, "2.2 Pumps"),
        (3, "2.2.1 Old pumps"),
        (1, "3 Results"),
        (1, "References"),
    ]


def test_label_evidence_and_confidence_are_told() -> None:
    method = next(h for h in recover(paper().blocks, SETTINGS).headings if h.title == "2 Method")
    assert method.label == "2"
    assert {"numbering", "font"} <= set(method.evidence)
    assert 0.9 < method.confidence <= 1.0


def test_author_line_is_no_heading() -> None:
    assert "Ada Boole, Crane Delta" not in [title for _, title in outline(paper())]


def test_sizes_alone_give_levels_over_the_whole_document() -> None:
    press = Press().title("Care of the House", 26).prose(6)
    for part in ("Water", "Light"):
        press.turn().title(part, 18).prose().title(f"{part} in winter", 14).prose().title(f"{part} in summer", 14).prose()
    assert outline(press) == [
        (1, "Water"),
        (2, "Water in winter"),
        (2, "Water in summer"),
        (1, "Light"),
        (2, "Light in winter"),
        (2, "Light in summer"),
    ]


def test_indents_of_the_contents_give_levels_where_sizes_do_not() -> None:
    press = Press().title("Contents", 18)
    names = [("Wells", 0), ("Digging", 1), ("Lining", 1), ("Pumps", 0), ("Hand pumps", 1), ("Wind pumps", 1)]
    for i, (name, depth) in enumerate(names):
        press.lines([f"{name} ........ {i // 3 + 1}"], left=0.12 + 0.04 * depth)
    for i, (name, _) in enumerate(names):
        if i % 3 == 0:
            press.turn()
        press.title(name, 12).prose()
    assert [entry for entry in outline(press) if entry[1] != "Contents"] == [(depth + 1, name) for name, depth in names]


def test_running_headers_are_no_headings_but_a_title_typed_as_one_is() -> None:
    press = Press().title("Handbook", 24).prose(6)
    for number, name in enumerate(["Wells", "Pumps", "Bells"], start=1):
        for _ in range(2):
            press.turn().running("Handbook of Water").prose()
        press.turn().running("Handbook of Water").lines([f"{number} {name}"], BlockType.FURNITURE, 16, True).prose()
    assert outline(press) == [(1, "1 Wells"), (1, "2 Pumps"), (1, "3 Bells")]


@pytest.mark.parametrize(
    "text",
    [
        "Figure 3: A pump in winter",
        "Table 2. Wells by depth",
        "• Open the lid",
        "x = a + b",
        "https://pumps.example/wells",
        "Note",
        "The second float rings a bell in the hall when the tank runs over.",
    ],
)
def test_lines_that_a_layout_parser_takes_for_titles_are_rejected(text: str) -> None:
    press = paper()
    press.title(text, 10.0).prose()
    assert text not in [title for _, title in outline(press)]


def test_numbered_list_items_are_no_headings() -> None:
    press = paper()
    press.lines(["1. Open the lid and look whether the tank is full to the mark."])
    press.lines(["2. Turn the key to the left until the bell can be heard."])
    press.lines(["3. Close the lid again and wait for some minutes before you go."])
    assert not [title for _, title in outline(press) if "lid" in title or "key" in title]


def test_heading_glued_to_its_paragraph_is_cut_out() -> None:
    press = Press().title("Handbook", 24).prose(6).title("1 Wells", 14).prose()
    press.mixed([("2 Pumps", 14, True), ("A pump lifts water from the well and is worked by", 10, False), ("hand or by wind.", 10, False)])
    recovered = recover(press.blocks, SETTINGS)
    pumps = recovered.headings[-1]
    assert pumps.title == "2 Pumps"
    assert recovered.blocks[pumps.first_block].text == "2 Pumps"
    assert recovered.blocks[pumps.first_block].type == BlockType.TITLE
    assert recovered.blocks[pumps.first_block + 1].text.startswith("A pump lifts water")
    assert recovered.report.repaired == 1


def test_two_glued_headings_become_two() -> None:
    press = paper().turn()
    press.mixed([("A Proofs", 14, True), ("A.1 The first proof", 12, True)], BlockType.TITLE).prose()
    press.title("A.2 The second proof", 12).prose().title("B Tables").prose()
    assert outline(press)[-4:] == [(1, "A Proofs"), (2, "A.1 The first proof"), (2, "A.2 The second proof"), (1, "B Tables")]


def test_label_above_its_title_is_joined_with_it() -> None:
    press = Press().title("Handbook", 24).prose(6)
    for number, name in enumerate(["Wells", "Pumps"], start=1):
        press.turn().title(f"Chapter {number}", 20).title(name, 24).prose().title(f"{number}.1 Care", 14).prose()
    assert outline(press) == [(1, "Chapter 1: Wells"), (2, "1.1 Care"), (1, "Chapter 2: Pumps"), (2, "2.1 Care")]
    assert [h.n_blocks for h in recover(press.blocks, SETTINGS).headings] == [2, 1, 2, 1]


def test_wrapped_heading_is_one() -> None:
    press = paper()
    press.lines(
        ["4 A long heading that goes on about wells and pumps and", "everything that belongs to them"], BlockType.TITLE, 14, True
    ).prose()
    assert outline(press)[-1] == (1, "4 A long heading that goes on about wells and pumps and everything that belongs to them")


def test_headings_right_behind_each_other_all_stay() -> None:
    press = Press().title("Handbook", 24).prose(6).title("1 Wells").title("1.1 Digging", 12).title("1.1.1 Tools", 10.5).prose()
    assert outline(press) == [(1, "1 Wells"), (2, "1.1 Digging"), (3, "1.1.1 Tools")]


def test_book_title_printed_again_is_no_section() -> None:
    press = Press().title("Handbook of Water", 24).prose(6).turn().title("Handbook of Water", 24).title("1 Wells").prose()
    press.title("2 Pumps").prose()
    assert outline(press) == [(1, "1 Wells"), (1, "2 Pumps")]


def contents(press: Press, *entries: tuple[str, int, int]) -> Press:
    """A contents page of (title, page of the file, depth); the printed number is that page."""
    press.title("Contents", 18)
    for title, page, depth in entries:
        press.lines([f"{title} ........ {page}"], left=0.12 + 0.04 * depth)
    return press


def test_numbers_of_the_contents_count_for_headings_printed_without_them() -> None:
    names = ("Wells", "Pumps", "Bells", "Tanks")
    entries = [
        entry
        for n, name in enumerate(names, start=1)
        for entry in ((f"{n} {name}", n + 1, 0), (f"{n}.1 Care", n + 1, 0), (f"{n}.2 Repair", n + 1, 0))
    ]
    press = contents(Press(), *entries)
    for n, name in enumerate(names, start=1):
        press.turn().title(name, 16).prose().title(f"{n}.1 Care", 13).prose().title(f"{n}.2 Repair", 13).prose()
    assert [entry for entry in outline(press) if entry[1] != "Contents"] == [
        entry for n, name in enumerate(names, start=1) for entry in ((1, name), (2, f"{n}.1 Care"), (2, f"{n}.2 Repair"))
    ]


def test_bold_items_of_a_list_that_full_contents_leave_out_are_no_headings() -> None:
    names = ("Wells", "Pumps", "Bells", "Tanks")
    entries = [
        entry
        for n, name in enumerate(names, start=1)
        for entry in ((f"{n} {name}", n + 1, 0), (f"{n}.1 Care", n + 1, 1), (f"{n}.2 Repair", n + 1, 1))
    ]
    press = contents(Press(), *entries)
    for n, name in enumerate(names, start=1):
        press.turn().title(f"{n} {name}", 16).prose().title(f"{n}.1 Care", 13).prose()
        for k, item in enumerate(("Oil", "Water", "Sand"), start=1):
            press.title(f"{k}. {item}", 10).prose(2)
        press.title(f"{n}.2 Repair", 13).prose()
    assert [title for _, title in outline(press) if title != "Contents"] == [title for title, _, _ in entries]


def test_a_unit_word_over_its_number_over_the_title_is_one_heading() -> None:
    press = Press().title("Handbook", 24).prose(6)
    for number, (word, name) in enumerate([("ONE", "WELLS"), ("TWO", "PUMPS"), ("THREE", "BELLS")], start=1):
        press.turn().title("CHAPTER", 10).title(word, 14).title(name, 14).prose().title(f"{number}.1 Care", 12).prose()
    assert outline(press) == [(1, "WELLS"), (2, "1.1 Care"), (1, "PUMPS"), (2, "2.1 Care"), (1, "BELLS"), (2, "3.1 Care")]
    assert [h.label for h in recover(press.blocks, SETTINGS).headings][::2] == ["CHAPTER ONE", "CHAPTER TWO", "CHAPTER THREE"]


def test_a_label_that_was_read_after_the_title_below_it_is_joined_with_it() -> None:
    press = Press().title("Handbook", 24).prose(6)
    for number, name in enumerate(["Wells", "Pumps"], start=1):
        press.turn().title(f"CHAPTER {number}", 12).title(name, 20)
        press.blocks[-2:] = press.blocks[:-3:-1]
        press.prose().title(f"{number}.1 Care", 14).prose()
    assert outline(press) == [(1, "CHAPTER 1: Wells"), (2, "1.1 Care"), (1, "CHAPTER 2: Pumps"), (2, "2.1 Care")]


def test_the_mark_of_a_footnote_is_no_part_of_a_title_that_the_contents_list() -> None:
    press = contents(Press(), ("1 Wells", 2, 0), ("2 New pumps", 3, 0), ("3 Bells", 4, 0))
    for title in ("1 Wells", "2 New pumps5", "3 Bells"):
        press.turn().title(title, 16).prose()
    assert [title for _, title in outline(press) if title != "Contents"] == ["1 Wells", "2 New pumps", "3 Bells"]


def report(press: Press, name: str) -> Press:
    """A document with a title page of its own and numbers that begin at 1."""
    press.title(name, 20).prose().title("1 Aim").prose().title("1.1 Place", 12).prose().title("2 Way").prose()
    return press.turn()


def test_documents_joined_in_one_file_are_parts_below_their_own_titles() -> None:
    press = report(report(report(Press(), "Report on Wells"), "Report on Pumps"), "Report on Bells")
    inside = [(2, "1 Aim"), (3, "1.1 Place"), (2, "2 Way")]
    assert outline(press) == [(1, "Report on Wells"), *inside, (1, "Report on Pumps"), *inside, (1, "Report on Bells"), *inside]
    recovered = recover(press.blocks, SETTINGS)
    assert recovered.title is None
    assert [h.evidence for h in recovered.headings if h.level == 1] == [("part",)] * 3


def test_chapters_set_like_the_title_of_the_book_are_no_documents_of_their_own() -> None:
    press = Press().title("Handbook of Water", 20).prose(6)
    for name in ("Wells", "Pumps", "Bells"):
        press.turn().title(name, 20).prose().title("Introduction", 13).prose().title(f"Care of {name.lower()}", 13).prose()
    assert [level for level, _ in outline(press)] == [1, 2, 2] * 3


def test_the_first_of_several_headings_set_alike_is_no_title() -> None:
    press = Press()
    for name in ("Wells", "Pumps", "Bells"):
        press.title(name, 14).prose(2).title(f"Care of {name.lower()}", 11).prose(2)
    assert outline(press) == [entry for name in ("Wells", "Pumps", "Bells") for entry in ((1, name), (2, f"Care of {name.lower()}"))]


def test_several_documents_in_one_file_are_several_parts() -> None:
    press = Press().title("Two Reports", 24).prose(6)
    for name in ("Part I Wells", "Part II Pumps"):
        press.turn().title(name, 20).prose().title("1 Aim").prose().title("1.1 Place", 12).prose().title("2 End").prose()
    one = [(2, "1 Aim"), (3, "1.1 Place"), (2, "2 End")]
    assert outline(press) == [(1, "Part I: Wells"), *one, (1, "Part II: Pumps"), *one]


def test_chinese_chapters_and_sections() -> None:
    press = Press().title("水务手册", 24).prose(6)
    press.turn().title("第一章 水井", 18).prose().title("1.1 挖掘", 13).prose().title("1.2 衬砌", 13).prose()
    press.turn().title("第二章 水泵", 18).prose().title("2.1 手泵", 13).prose()
    assert [level for level, _ in outline(press)] == [1, 2, 2, 1, 2]


def bookmarked() -> Press:
    press = Press().title("Handbook", 24).prose(6)
    for number in range(1, 6):
        press.turn().title(f"Topic {number}", 16).prose().title(f"Detail of topic {number}", 13).prose()
    return press


def bookmark(title: str, page: int, level: int) -> Block:
    return Block(BlockType.OUTLINE, title, page=page, level=level)


def test_bookmarks_found_in_print_decide() -> None:
    press = bookmarked()
    press.blocks[:0] = [
        bookmark(title, number + 1, level)
        for number in range(1, 6)
        for title, level in ((f"Topic {number}", 1), (f"Detail of topic {number}", 3))
    ]
    headings = recover(press.blocks, SETTINGS).headings
    assert [h.level for h in headings] == [1, 3] * 5
    assert all(h.evidence[0] == "bookmark" for h in headings)


def test_bookmarks_of_another_document_are_not_believed() -> None:
    press = bookmarked()
    plain = outline(press)
    press.blocks[:0] = [bookmark(f"Chapter about ships {n}", 2, 1) for n in range(12)]
    assert outline(press) == plain


def test_bookmarks_can_be_switched_off() -> None:
    press = bookmarked()
    plain = outline(press)
    press.blocks[:0] = [bookmark(f"Topic {n}", n + 1, 4) for n in range(1, 6)]
    assert outline(press, HierarchySettings(use_bookmarks=False)) == plain


def test_outline_entries_are_plain_data_in_reading_order() -> None:
    entries = outline_entries(recover(paper().blocks, SETTINGS))
    assert set(entries[0]) == {"title", "level", "page", "label", "confidence", "evidence"}
    assert [e["page"] for e in entries] == sorted(e["page"] for e in entries)


@pytest.mark.parametrize("blocks", [[], [Block(BlockType.TEXT, "")], [Block(BlockType.TEXT, "Only one line.", page=1, bbox=(0, 0, 1, 1))]])
def test_documents_without_headings_give_none(blocks: list[Block]) -> None:
    recovered = recover(blocks, SETTINGS)
    assert recovered.headings == ()
    assert len(recovered.blocks) == len(blocks)


TEXTS = st.sampled_from(
    ["1 Wells", "1.1 Digging", "Pumps", "a long line of text that fills its place.", "•", "(2) Bells", "§ 4 Law", "第一章 井"]
)
LINES = st.lists(st.tuples(TEXTS, st.sampled_from([8.0, 10.0, 14.0, 20.0]), st.booleans()), min_size=1, max_size=4)
TYPES = st.sampled_from([BlockType.TEXT, BlockType.TITLE, BlockType.FURNITURE, BlockType.CONTENTS, BlockType.TABLE, BlockType.LIST])


@given(st.lists(st.tuples(LINES, TYPES, st.booleans()), max_size=12))
def test_whatever_is_printed_no_text_is_lost_and_references_hold(
    layout: list[tuple[list[tuple[str, float, bool]], BlockType, bool]],
) -> None:
    press = Press()
    for lines, type, turn in layout:
        press.mixed(lines, type)
        if turn:
            press.turn()
    recovered: RecoveredHierarchy = recover(press.blocks, SETTINGS)
    assert " ".join(b.text for b in recovered.blocks).split() == " ".join(b.text for b in press.blocks).split()
    last = 0
    for heading in recovered.headings:
        assert last <= heading.first_block
        assert heading.first_block + heading.n_blocks <= len(recovered.blocks)
        assert all(recovered.blocks[i].type == BlockType.TITLE for i in range(heading.first_block, heading.first_block + heading.n_blocks))
        assert 1 <= heading.level <= SETTINGS.max_level
        assert heading.title.strip()
        assert heading.evidence
        last = heading.first_block + heading.n_blocks


def test_recovery_is_deterministic() -> None:
    assert recover(paper().blocks, SETTINGS) == recover(paper().blocks, SETTINGS)
