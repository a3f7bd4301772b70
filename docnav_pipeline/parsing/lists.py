"""Lists of marked-up text, and lists of links that are a printed contents page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from docnav_pipeline.parsing.block import Block, BlockType
from docnav_pipeline.parsing.characters import one_line

_MIN_CONTENTS_ENTRIES = 3
_MIN_LINKED_SHARE = 0.7


def list_blocks(items: Iterable[tuple[str, list[Block]]], anchor: str | None = None) -> list[Block]:
    """Blocks of a list: its text as one LIST block, cut only where an item holds code, a table or a heading.

    items: (marker with the space after it, blocks of the item); text of an item is indented
    under its marker, so that the nesting can be read from the text.
    """
    blocks: list[Block] = []
    lines: list[str] = []
    links: list[tuple[str, str]] = []

    def end() -> None:
        nonlocal anchor
        if lines:
            blocks.append(Block(BlockType.LIST, "\n".join(lines), links=tuple(links), anchor=anchor))
            anchor = None
            lines.clear()
            links.clear()

    for marker, inner in items:
        indent = " " * len(marker)
        first = True
        for block in inner:
            if block.type in (BlockType.TEXT, BlockType.LIST, BlockType.CAPTION):
                for line in block.text.split("\n"):
                    lines.append((marker if first else indent) + line)
                    first = False
                links.extend(block.links)
                anchor = anchor or block.anchor
            elif block.type is BlockType.IMAGE and not block.text:
                continue
            else:
                if first and marker.strip():
                    lines.append(marker.rstrip())
                    first = False
                end()
                blocks.append(block)
    end()
    return blocks


def contents_entries(element: Any) -> list[Block]:
    """Entries of a contents list whose links all lead into the same document; empty when it is none."""
    links = [link for link in element.iter("a") if link.get("href") and one_line("".join(link.itertext()))]
    if len(links) < _MIN_CONTENTS_ENTRIES or not all(link.get("href", "").startswith("#") for link in links):
        return []
    if len({link.get("href") for link in links}) < _MIN_CONTENTS_ENTRIES:
        return []
    words = len(one_line("".join(element.itertext())))
    linked = sum(len(one_line("".join(link.itertext()))) for link in links)
    if linked < _MIN_LINKED_SHARE * words:
        return []
    entries: list[Block] = []
    for item in _outermost_items(links, element):
        item_links = [link for link in links if link in item[1]]
        text = " ".join(one_line("".join(link.itertext())) for link in item_links)
        target = item_links[-1].get("href")
        entries.append(Block(BlockType.CONTENTS, text, level=item[0], target=target))
    return entries


def _outermost_items(links: list[Any], root: Any) -> list[tuple[int, list[Any]]]:
    """Links grouped by their list item, in order, with the nesting depth of that item from 1."""
    groups: list[tuple[int, list[Any]]] = []
    last: Any = None
    for link in links:
        item = next((parent for parent in link.iterancestors("li", "dt", "dd", "p", "div") if parent is not root), link)
        if item is last and item.tag == "li":
            groups[-1][1].append(link)
            continue
        depth = sum(1 for parent in link.iterancestors("ul", "ol", "dl") if parent is root or root in parent.iterancestors())
        groups.append((max(depth, 1), [link]))
        last = item
    return groups
