"""The title of a whole document among its headings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from docnav_pipeline.parsing.block import Block, BlockType


def mark_document_title(blocks: list[Block], title: str | None) -> list[Block]:
    """Name the heading that titles the whole document: the only one of level 1, standing before all others.

    Where the source also has a title of its own, the two must share their words, or else the
    heading is a section that happens to be alone.
    """
    headings = [position for position, block in enumerate(blocks) if block.type is BlockType.TITLE and block.level is not None]
    tops = [position for position in headings if blocks[position].level == 1]
    if len(tops) != 1 or headings[0] != tops[0] or len(headings) < 2:
        return blocks
    heading = blocks[tops[0]]
    if title is not None and not _same_title(heading.text, title):
        return blocks
    marked = list(blocks)
    marked[tops[0]] = replace(heading, sub_type="document_title")
    return marked


def _same_title(heading: str, title: str) -> bool:
    words, others = (set(re.findall(r"\w+", text.casefold())) for text in (heading, title))
    return bool(words) and (words <= others or others <= words)


_MAX_PSEUDO_TITLE = 120
_SENTENCE_END = (".", ",", ";", "!", "?", "。", "，", "；", "！", "？")


def reads_as_title(text: str) -> bool:
    """Whether a line set apart by its looks is short enough for a heading and ends no sentence."""
    return 0 < len(text) <= _MAX_PSEUDO_TITLE and "\n" not in text and not text.endswith(_SENTENCE_END)


def with_bold_titles(blocks: Sequence[Block]) -> list[Block]:
    """Blocks of a document without any heading, its lines all in bold taken for some."""
    if any(block.type is BlockType.TITLE and block.sub_type != "document_title" for block in blocks):
        return list(blocks)
    return [
        replace(block, type=BlockType.TITLE)
        if block.type is BlockType.TEXT and (block.weight or 0) >= 600 and reads_as_title(block.text)
        else block
        for block in blocks
    ]
