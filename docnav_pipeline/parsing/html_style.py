"""Type sizes in HTML, as far as the elements themselves state them; style sheets are not read."""

from __future__ import annotations

import re
from typing import Any

# What browsers set text in where nothing is said.
DEFAULT_PT = 12.0
_SIZE = re.compile(
    r"font(?:-size)?\s*:[^;]*?(?:([\d.]{1,6})\s*(pt|px|r?em|%)|\b((?:xx?-)?(?:small|large)|medium|smaller|larger)\b)", re.IGNORECASE
)
_NAMED_PT = {
    "xx-small": 7.0,
    "x-small": 7.5,
    "small": 10.0,
    "medium": DEFAULT_PT,
    "large": 13.5,
    "x-large": 18.0,
    "xx-large": 24.0,
}
_RELATIVE = {"smaller": 0.83, "larger": 1.2}
_FONT_ELEMENT_PT = {1: 7.5, 2: 10.0, 3: 12.0, 4: 13.5, 5: 18.0, 6: 24.0, 7: 36.0}
_LEAST_PT, _MOST_PT = 1.0, 500.0


def size_of(element: Any, around_pt: float) -> float:
    """Type size in points of the text right inside an element; around_pt: that of the text around it."""
    if element.tag == "font" and re.fullmatch(r"[+-]?\d", element.get("size") or ""):
        size = element.get("size")
        number = int(size) + (3 if size[0] in "+-" else 0)
        return _FONT_ELEMENT_PT[min(max(number, 1), 7)]
    if element.tag in ("big", "small"):
        return around_pt * _RELATIVE["larger" if element.tag == "big" else "smaller"]
    found = _SIZE.search(element.get("style") or "")
    return min(max(_stated(found, around_pt), _LEAST_PT), _MOST_PT) if found else around_pt


def _stated(found: re.Match[str], around_pt: float) -> float:
    number, unit, name = found.groups()
    if name:
        name = name.lower()
        return _NAMED_PT[name] if name in _NAMED_PT else around_pt * _RELATIVE[name]
    try:
        value = float(number)
    except ValueError:  # "1.2.3pt"
        return around_pt
    return value * {"pt": 1.0, "px": 0.75, "em": around_pt, "rem": DEFAULT_PT, "%": around_pt / 100}[unit.lower()]
