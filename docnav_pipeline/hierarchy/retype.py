"""What a layout parser calls contents or page furniture is checked before it is believed, because neither is evidence text.

A balance sheet looks like a table of contents, and the first line of a page like a running header. What is not confirmed by
page numbers, leaders or repetition becomes text again; nothing is lost for a wrong guess of a parser.
"""

from __future__ import annotations

import bisect
import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from docnav_pipeline.parsing.block import BBox, Block, BlockType

_LEADERS = re.compile(r"(?:[.·•…_‥・]\s*){3,}|…")
_LAST_NUMBER = re.compile(r"(?:^|\s|[.·…])(\d{1,4})$")
_LETTER = re.compile(r"[^\W\d_]")
_LETTERS = re.compile(r"[\W\d_]+")
_MIN_ENTRIES = 3
_MIN_RISING = 0.75
_MIN_SHARE = 0.5
# A running header or footer of this many words that stands on one page only is a line of the text, wherever it stands; one of fewer words
# where no running header or footer stands on other pages.
_MIN_WORDS, _FEW_WORDS = 12, 2
_MIN_PAGES = 3
# Share of the page height within which headers of several pages stand at one place.
_SAME_HEIGHT = 0.012
_RUNNING = ("header", "footer")


def retype(blocks: Sequence[Block]) -> list[Block]:
    """Blocks with unconfirmed contents entries and furniture turned into text; order, texts and positions stay."""
    wrong = {id(block) for block in itertools.chain(_false_contents(blocks), _false_furniture(blocks))}
    return [replace(block, type=BlockType.TEXT, sub_type=None) if id(block) in wrong else block for block in blocks]


def _false_contents(blocks: Sequence[Block]) -> Iterable[Block]:
    """Contents entries of pages on which they do not read like a table of contents. Entries that link to a place are believed."""
    by_page: dict[int, list[Block]] = defaultdict(list)
    for block in blocks:
        if block.type is BlockType.CONTENTS and block.page is not None and block.target is None:
            by_page[block.page].append(block)
    last_page = max((block.page or 0 for block in blocks), default=0)
    for entries in by_page.values():
        if not _is_contents([block.text.strip() for block in entries], last_page):
            yield from entries


def _is_contents(entries: Sequence[str], last_page: int) -> bool:
    lines = [line for entry in entries for line in entry.splitlines() if line.strip()]
    if sum(bool(_LEADERS.search(line)) for line in lines) >= _MIN_SHARE * len(lines):
        return True
    numbers = [int(match[1]) for line in lines if (match := _LAST_NUMBER.search(line.strip()))]
    if len(numbers) < max(_MIN_ENTRIES, _MIN_SHARE * len(lines)) or max(numbers) > 2 * last_page + 20:
        return False
    return sum(a <= b for a, b in itertools.pairwise(numbers)) >= _MIN_RISING * (len(numbers) - 1)


def _false_furniture(blocks: Sequence[Block]) -> Iterable[Block]:
    """Headers, footers and margin notes that no other page repeats: long ones, and headers and footers at a place of their own."""
    pages: dict[str, set[int]] = defaultdict(set)
    for block in blocks:
        if block.page is not None:
            pages[_letters(block.text)].add(block.page)
    if len(set().union(*pages.values())) < _MIN_PAGES:
        return
    found = [block for block in blocks if block.type is BlockType.FURNITURE and block.page is not None]
    heights = sorted(_middle(block.bbox) for block in found if block.bbox and len(pages[_letters(block.text)]) >= _MIN_PAGES)
    for block in found:
        if len(pages[_letters(block.text)]) > 1:
            continue
        words = [word for word in block.text.split() if _LETTER.search(word)]
        short = len(words) >= _FEW_WORDS and block.sub_type in _RUNNING and block.bbox is not None
        if len(block.text.split()) >= _MIN_WORDS or (short and not _is_near(_middle(block.bbox), heights)):
            yield block


def _middle(box: BBox | None) -> float:
    return (box[1] + box[3]) / 2 if box else 0.0


def _is_near(height: float, heights: Sequence[float]) -> bool:
    """Whether one of some ascending heights is the same place on the page."""
    at = bisect.bisect_left(heights, height - _SAME_HEIGHT)
    return at < len(heights) and heights[at] <= height + _SAME_HEIGHT


def _letters(text: str) -> str:
    return _LETTERS.sub("", text.casefold())
