"""Printed contents pages of formats without page layout: lists of links, and lines that repeat the headings below."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from docnav_pipeline.parsing.block import Block, BlockType
from docnav_pipeline.parsing.text_lines import is_contents_title

_MIN_ENTRIES = 3
_MAX_ENTRIES = 2000
_MAX_ENTRY_CHARACTERS = 250
_MARKER = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_PAGE = re.compile(r"[\s.\u2026]*((?:[A-Z]+|\d+)-\d{1,4}|\d{1,4}|[ivxlcdm]{1,7}|N/A)$")
_NOT_LETTER = re.compile(r"[\W_]+")


def contents_from_links(blocks: Sequence[Block], targets: Collection[str]) -> list[Block]:
    """Turn each list that does nothing but link to headings of the same document into contents entries.

    targets: what the links to headings look like ("#usage", "chapter2.xhtml#intro"). A list counts
    from three entries on, when every line is one link and four in five links lead to a heading.
    """
    result: list[Block] = []
    for block in blocks:
        lines = block.text.split("\n")
        if block.type is not BlockType.LIST or not _MIN_ENTRIES <= len(lines) == len(block.links):
            result.append(block)
            continue
        goals = [target for _, target in block.links]
        texts = [_MARKER.sub("", line) for line in lines]
        whole = all(
            text.strip().endswith(words) and len(text.strip()) - len(words) <= 8
            for text, (words, _) in zip(texts, block.links, strict=True)
        )
        if not whole or sum(goal in targets for goal in goals) < 0.8 * len(goals):
            result.append(block)
            continue
        indents = [len(line) - len(line.lstrip()) for line in lines]
        steps = sorted(set(indents))
        for text, goal, indent in zip(texts, goals, indents, strict=True):
            result.append(Block(BlockType.CONTENTS, text.strip(), level=steps.index(indent) + 1, target=goal))
    return result


def contents_from_lines(blocks: Sequence[Block]) -> list[Block]:
    """Turn the short paragraphs after a heading "Contents" into contents entries, up to where the first one comes again.

    Where the first entry does not come again, or long text stands in between, nothing is changed:
    then the heading announces something else.
    """
    result = list(blocks)
    start = next(
        (at for at, block in enumerate(blocks) if block.type in (BlockType.TITLE, BlockType.TEXT) and is_contents_title(block.text)), None
    )
    if start is None:
        return result
    entries: list[int] = []
    first = ""
    for at in range(start + 1, min(start + _MAX_ENTRIES, len(blocks))):
        block = blocks[at]
        words = _letters(block.text)
        if first and words == first and len(entries) >= _MIN_ENTRIES:
            for entry in entries:
                page = _PAGE.search(result[entry].text)
                result[entry] = replace(result[entry], type=BlockType.CONTENTS, level=None, target=page.group(1) if page else None)
            return result
        if block.type not in (BlockType.TEXT, BlockType.TITLE, BlockType.LIST) or len(block.text) > _MAX_ENTRY_CHARACTERS:
            if block.type in (BlockType.FURNITURE, BlockType.IMAGE):
                continue
            return result
        entries.append(at)
        # A column head ("Page No.") may come first; the first line that is a title of its own counts.
        if not first and words and any(_letters(later.text) == words for later in blocks[at + 1 :]):
            first = words
    return result


def _letters(text: str) -> str:
    """Letters and digits of an entry without its page number, for comparison with a heading."""
    return _NOT_LETTER.sub("", _PAGE.sub("", text)).casefold()
