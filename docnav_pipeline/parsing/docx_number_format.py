"""Numbers as Word writes them: a counter and the name of a number format (ST_NumberFormat) in, text out."""

from __future__ import annotations

from collections.abc import Callable

_ROMAN = {1000: "M", 900: "CM", 500: "D", 400: "CD", 100: "C", 90: "XC", 50: "L", 40: "XL", 10: "X", 9: "IX", 5: "V", 4: "IV", 1: "I"}
_DIGITS = "〇一二三四五六七八九"
_STEMS = "甲乙丙丁戊己庚辛壬癸"
_BRANCHES = "子丑寅卯辰巳午未申酉戌亥"
_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"


def format_number(value: int, number_format: str) -> str:
    """`value` in a Word number format; decimal where the format is not known or has no spelling of that value.

    number_format: a name such as "lowerRoman", or an example of a custom format such as "001, 002, 003, ...".
    """
    if number_format == "none":
        return ""
    if number_format[:1] == "0":
        return str(value).zfill(len(number_format.partition(",")[0].strip()))
    write = _FORMATS.get(number_format)
    return (write(value) if write else "") or str(value)


def _roman(value: int) -> str:
    if not 0 < value < 4000:
        return ""
    text = ""
    for size, letters in _ROMAN.items():
        text += letters * (value // size)
        value %= size
    return text


def _letters(value: int) -> str:
    """a..z, aa, bb, ...: Word repeats the letter, and starts over after thirty of them."""
    return chr(ord("a") + (value - 1) % 26) * ((value - 1) // 26 + 1) if 0 < value <= 780 else ""


def _ordinal(value: int) -> str:
    ending = "th" if value % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
    return f"{value}{ending}"


def _counting(value: int, zero: str = "零", bare_units: str = "十") -> str:
    """Chinese numerals with units. zero: stands once for units left out; bare_units: written without 一 at the front."""
    if not 0 < value < 10_000:
        return ""
    text = ""
    gap = False
    for unit, size in (("千", 1000), ("百", 100), ("十", 10), ("", 1)):
        digit = value // size % 10
        if not digit:
            gap = bool(text)
            continue
        bare = digit == 1 and bool(unit) and unit in bare_units and (not text or bare_units != "十")
        text += (zero if gap else "") + ("" if bare else _DIGITS[digit]) + unit
        gap = False
    return text


def _by_digit(value: int) -> str:
    return "".join(_DIGITS[int(digit)] for digit in str(value)) if value >= 0 else ""


def _chinese(value: int) -> str:
    return _counting(value) if value < 100 else _by_digit(value).replace("〇", "○")


def _one_of(signs: str) -> Callable[[int], str]:
    return lambda value: signs[value - 1] if 0 < value <= len(signs) else ""


_FORMATS: dict[str, Callable[[int], str]] = {
    "decimalZero": lambda value: f"{value:02d}",
    "upperRoman": _roman,
    "lowerRoman": lambda value: _roman(value).lower(),
    "upperLetter": lambda value: _letters(value).upper(),
    "lowerLetter": _letters,
    "ordinal": _ordinal,
    "chineseCounting": _chinese,
    "taiwaneseCounting": _chinese,
    "chineseCountingThousand": _counting,
    "taiwaneseCountingThousand": _counting,
    "japaneseCounting": lambda value: _counting(value, zero="", bare_units="十百千"),
    "ideographDigital": _by_digit,
    "japaneseDigitalTenThousand": _by_digit,
    "taiwaneseDigital": lambda value: _by_digit(value).replace("〇", "○"),
    "ideographTraditional": _one_of(_STEMS),
    "ideographZodiac": _one_of(_BRANCHES),
    "decimalEnclosedCircle": _one_of(_CIRCLED),
    "decimalEnclosedCircleChinese": _one_of(_CIRCLED),
}
