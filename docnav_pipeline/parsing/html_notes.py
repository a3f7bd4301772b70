"""Footnotes in HTML and EPUB: by role, by EPUB type, or as a list in a section that is named so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_ONE = frozenset({"doc-footnote", "doc-endnote", "footnote", "endnote", "rearnote"})
_MANY = frozenset({"doc-endnotes", "footnotes", "endnotes", "rearnotes"})
_MANY_NAME = re.compile(r"(?:^|[\s_-])(?:footnotes|endnotes)(?:$|[\s_-])", re.IGNORECASE)
_BACK = re.compile(r"^[\s↩↑⤴^︎️]*$")
_NAMESPACED = re.compile(r"(?:^|\})(?:epub:)?type$")


def notes_of(element: Any) -> list[tuple[str, Any]] | None:
    """(mark, element) of each footnote that an element holds, or is; None where it has nothing to do with footnotes.

    The mark is the number of the item in a list of notes, "" where the note prints its own.
    """
    kinds = _kinds(element)
    if kinds & _ONE:
        return [("", element)]
    if element.tag in ("section", "div", "aside", "ol", "ul") and (kinds & _MANY or _MANY_NAME.search(_names(element))):
        items = list(_items(element))
        return items or None
    return None


def is_backlink(words: str) -> bool:
    """Whether the words of a link inside a note are the arrow that leads back to the text."""
    return bool(_BACK.match(words))


def _items(element: Any) -> Iterator[tuple[str, Any]]:
    lists = [element] if element.tag in ("ol", "ul") else list(element.iter("ol", "ul"))
    for found in lists:
        number = 0
        for item in found:
            if item.tag == "li":
                number += 1
                yield (f"[{number}]" if found.tag == "ol" else "", item)
        return  # lists inside the first one belong to its notes


def _kinds(element: Any) -> set[str]:
    values = [element.get("role") or ""]
    values += [value for name, value in element.attrib.items() if _NAMESPACED.search(name) and name != "type"]
    return {word for value in values for word in value.lower().split()}


def _names(element: Any) -> str:
    return f"{element.get('class') or ''} {element.get('id') or ''}"
