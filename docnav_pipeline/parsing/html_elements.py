"""Elements of HTML: which make blocks, which are skipped, and the text of headings, formulas and listings."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from docnav_pipeline.parsing.characters import clean_text, one_line

HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
SKIPPED = frozenset(
    {"script", "style", "template", "noscript", "head", "meta", "link", "title", "base", "button", "select", "option", "optgroup"}
    | {"datalist", "input", "textarea", "svg", "canvas", "object", "embed", "applet", "iframe", "frame", "frameset", "audio", "video"}
    | {"map", "area", "dialog", "rp", "rt", "progress", "meter"}
)
BLOCKS = frozenset(
    {"html", "body", "main", "article", "section", "div", "p", "header", "footer", "aside", "nav", "address", "center", "form"}
    | {"fieldset", "legend", "hgroup", "details", "summary", "blockquote", "pre", "ul", "ol", "menu", "dl", "dt", "dd", "li", "table"}
    | {"caption", "thead", "tbody", "tfoot", "tr", "td", "th", "figure", "figcaption", "hr", "search"}
)
_CODE_SPACES = re.compile(r"[ \t]+\n")


def heading_level(element: Any) -> int | None:
    """Level of a heading element, by tag or by its ARIA role; None for anything else."""
    level = HEADINGS.get(element.tag)
    if element.get("role") == "heading" or (level is not None and element.get("aria-level")):
        return min(max(integer(element.get("aria-level"), level or 2), 1), 9)
    if level is not None and element.get("role") in ("presentation", "none"):
        return None
    return level


def is_layout_table(table: Any) -> bool:
    """Whether a table only places what is in it: it has no grid of its own, or holds headings or other tables."""
    if table.get("role") in ("presentation", "none"):
        return True
    if any(isinstance(child.tag, str) and (child.tag in HEADINGS or child.tag == "table") for child in table.iterdescendants()):
        return True
    tags = Counter(child.tag for child in table.iterdescendants() if isinstance(child.tag, str))
    return tags["td"] + tags["th"] <= 1 or (tags["tr"] <= 1 and tags["th"] == 0 and tags["p"] + tags["div"] + tags["li"] > 2)


def formula(element: Any) -> str:
    """A formula as TeX where the element carries that, else as text; with a space on both sides."""
    for note in element.iter("annotation"):
        if "tex" in (note.get("encoding") or "").lower() and note.text:
            return f" {note.text.strip()} "
    return f" {element.get('alttext') or one_line(''.join(element.itertext()))} "


def code_text(element: Any) -> str:
    """A listing with its lines as they are."""
    return _CODE_SPACES.sub("\n", clean_text(_in_order(element))).strip("\n")


def _in_order(element: Any) -> str:
    parts = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str) and child.tag not in SKIPPED:
            parts.append("\n" if child.tag == "br" else _in_order(child))
        parts.append(child.tail or "")
    return "".join(parts)


def integer(value: str | None, default: int) -> int:
    """An attribute that should be a number; the default where it is none."""
    try:
        return int(value) if value is not None and len(value) < 10 else default
    except ValueError:
        return default
