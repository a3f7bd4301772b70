"""Which number Word shows at a paragraph: from the parts styles.xml and numbering.xml, counted in document order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from docnav_pipeline.parsing.docx_number_format import format_number

_N_LEVELS = 9
_DEEPEST_OUTLINE = 8  # outline level 9 says "body text"
# Larger values stand in no document that a person numbered; they are read as absent.
_MAX_VALUE = 1_000_000
_PLACEHOLDER = re.compile("%([1-9])")
_INTEGER = re.compile(r"\s*([+-]?[0-9]{1,9})\s*")
_SUFFIXES = {"nothing": ""}
_BULLET = "-"


@dataclass(frozen=True, slots=True)
class Number:
    """What a paragraph shows before its text.

    text: "" where its level shows nothing or cannot be read. level: from 0. suffix: what parts it from the text.
    """

    text: str
    level: int
    suffix: str
    is_bullet: bool


@dataclass(frozen=True, slots=True)
class _Level:
    start: int
    number_format: str
    text: str
    suffix: str
    is_legal: bool
    restart: int | None
    style: str | None


@dataclass(frozen=True, slots=True)
class _List:
    """A w:num: its levels, the counters it shares (those of its abstractNum), and where it starts anew at its first use."""

    counters: str
    levels: dict[int, _Level]
    starts: dict[int, int] = field(default_factory=dict)

    def start(self, level: int) -> int:
        if level in self.starts:
            return self.starts[level]
        return self.levels[level].start if level in self.levels else 1


_NOTHING = Number("", 0, "", is_bullet=False)
State = tuple[dict[str, tuple[int | None, ...]], frozenset[str]]


class WordNumbers:
    """Counts the numbered paragraphs of one story of a document; broken or missing definitions number nothing.

    styles, numbering: roots of the parts, None where there is none. namespace: that of the elements w:*, which
    differs between the strict and the transitional spelling of the format.
    Source: ECMA-376 part 1, 17.9.
    """

    def __init__(self, styles: Any, numbering: Any, namespace: str) -> None:
        self._w = f"{{{namespace}}}"
        self._styles: dict[str, Any] = {}
        self._default_style = ""
        for style in self._children(styles, "style"):
            style_id = style.get(self._w + "styleId") or ""
            self._styles.setdefault(style_id, style)
            if style.get(self._w + "type") == "paragraph" and _is_true(style.get(self._w + "default") or "0"):
                self._default_style = self._default_style or style_id
        self._abstracts = self._by_id(numbering, "abstractNum", "abstractNumId")
        self._nums = self._by_id(numbering, "num", "numId")
        self._lists: dict[str, _List | None] = {}
        self._chains: dict[str, list[Any]] = {}
        self._values: dict[str, tuple[int | None, ...]] = {}
        self._used: frozenset[str] = frozenset()

    def state(self) -> State:
        """Where the counters stand, for `go_back_to`."""
        return dict(self._values), self._used

    def go_back_to(self, state: State) -> None:
        """Count on from an earlier state."""
        self._values, self._used = dict(state[0]), state[1]

    def count(self, paragraph: Any) -> Number | None:
        """Count a w:p and return the number it shows; None when it asks for none."""
        properties = self._child(paragraph, "pPr")
        chain = self._chain(self._value(properties, "pStyle"))
        num_id, level = self._numbering(properties, chain)
        if num_id in ("", "0"):
            return None
        found = self._list(num_id)
        if found is None:
            return _NOTHING
        if level is None:
            level = self._level_of_style(found, chain)
        if level not in found.levels:
            return _NOTHING
        return self._number(found, level, self._advance(num_id, found, level))

    def is_heading(self, paragraph: Any) -> bool:
        """Whether a w:p has an outline level, or a style that MinerU takes for a heading or the title by its name."""
        properties = self._child(paragraph, "pPr")
        own = _integer(self._value(properties, "outlineLvl"))
        if own is not None:
            return 0 <= own <= _DEEPEST_OUTLINE
        chain = self._chain(self._value(properties, "pStyle"))
        for depth, style in enumerate(chain):
            outline = _integer(self._value(self._child(style, "pPr"), "outlineLvl"))
            if outline is not None:
                return 0 <= outline <= _DEEPEST_OUTLINE
            for name in (style.get(self._w + "styleId"), self._value(style, "name")):
                if "heading" in (name or "").lower() or (depth == 0 and (name or "").lower() == "title"):
                    return True
        return False

    def _advance(self, num_id: str, found: _List, level: int) -> tuple[int | None, ...]:
        values = list(self._values.get(found.counters, (None,) * _N_LEVELS))
        if num_id not in self._used:
            self._used |= {num_id}
            if found.starts:
                highest = min(found.starts)
                values[highest:] = [None] * (_N_LEVELS - highest)
        current = values[level]
        values[level] = found.start(level) if current is None else current + 1
        for deeper in range(level + 1, _N_LEVELS):
            restart = found.levels[deeper].restart if deeper in found.levels else None
            if restart is None or level < restart:
                values[deeper] = None
        self._values[found.counters] = tuple(values)
        return tuple(values)

    def _number(self, found: _List, level: int, values: tuple[int | None, ...]) -> Number:
        own = found.levels[level]
        if own.number_format == "bullet":
            return Number(_BULLET if own.text.strip() else "", level, " ", is_bullet=True)

        def shown(match: re.Match[str]) -> str:
            place = int(match.group(1)) - 1
            if place > level:
                return ""
            value = values[place]
            number_format = found.levels[place].number_format if place in found.levels else "decimal"
            if own.is_legal and number_format != "none":
                number_format = "decimal"
            return format_number(found.start(place) if value is None else value, number_format)

        text = " ".join(_PLACEHOLDER.sub(shown, own.text).split())
        # A level text may bring its own space in place of Word's.
        return Number(text, level, own.suffix or (" " if own.text[-1:].isspace() else ""), is_bullet=False)

    def _numbering(self, properties: Any, chain: list[Any]) -> tuple[str, int | None]:
        """(numId, level): each from the paragraph itself or else the nearest style that states it."""
        num_id: str | None = None
        level: int | None = None
        for holder in (properties, *(self._child(style, "pPr") for style in chain)):
            numbering = self._child(holder, "numPr")
            level = _integer(self._value(numbering, "ilvl")) if level is None else level
            num_id = self._value(numbering, "numId")
            if num_id is not None:
                break
        return (num_id or "").strip(), level

    def _level_of_style(self, found: _List, chain: list[Any]) -> int:
        by_style = {level.style: place for place, level in reversed(found.levels.items()) if level.style}
        return next((by_style[style_id] for style in chain if (style_id := style.get(self._w + "styleId")) in by_style), 0)

    def _chain(self, style_id: str | None) -> list[Any]:
        """The style and those it is based on; the default style where there is no such style."""
        style_id = style_id if style_id in self._styles else self._default_style
        if style_id not in self._chains:
            chain: list[Any] = []
            following: str | None = style_id
            while (style := self._styles.get(following or "")) is not None and style not in chain:
                chain.append(style)
                following = self._value(style, "basedOn")
            self._chains[style_id] = chain
        return self._chains[style_id]

    def _list(self, num_id: str) -> _List | None:
        if num_id not in self._lists:
            self._lists[num_id] = self._read_list(num_id, set())
        return self._lists[num_id]

    def _read_list(self, num_id: str, seen: set[str]) -> _List | None:
        num = self._nums.get(num_id)
        if num is None or num_id in seen:
            return None
        found = self._read_abstract((self._value(num, "abstractNumId") or "").strip(), seen | {num_id})
        if found is None:
            return None
        levels = dict(found.levels)
        starts: dict[int, int] = {}
        for override in self._children(num, "lvlOverride"):
            place = _integer(override.get(self._w + "ilvl"))
            if place is None or not 0 <= place < _N_LEVELS:
                continue
            definition = self._child(override, "lvl")
            if definition is not None:
                levels[place] = self._read_level(definition)
            start = _start(self._value(override, "startOverride"))
            if start is not None:
                starts[place] = start
        return replace(found, levels=levels, starts=starts)

    def _read_abstract(self, abstract_id: str, seen: set[str]) -> _List | None:
        abstract = self._abstracts.get(abstract_id)
        if abstract is None:
            return None
        link = self._value(abstract, "numStyleLink")
        if link is not None:
            style = self._child(self._child(self._styles.get(link), "pPr"), "numPr")
            linked = self._read_list((self._value(style, "numId") or "").strip(), seen)
            if linked is not None:
                return linked
            for other_id, other in self._abstracts.items():
                if other is not abstract and self._value(other, "styleLink") == link:
                    abstract_id, abstract = other_id, other
                    break
        levels: dict[int, _Level] = {}
        for definition in self._children(abstract, "lvl"):
            place = _integer(definition.get(self._w + "ilvl"))
            if place is not None and 0 <= place < _N_LEVELS:
                levels.setdefault(place, self._read_level(definition))
        return _List(abstract_id, levels)

    def _read_level(self, definition: Any) -> _Level:
        legal = self._child(definition, "isLgl")
        start = self._value(definition, "start")
        restart = _integer(self._value(definition, "lvlRestart"))
        place = _integer(definition.get(self._w + "ilvl")) or 0
        return _Level(
            # Without w:start a level counts from 0 (17.9.25); a value that cannot be read says nothing of that kind.
            start=0 if start is None else (1 if (read := _start(start)) is None else read),
            number_format=self._number_format(definition),
            text=self._value(definition, "lvlText") or "",
            suffix=_SUFFIXES.get(self._value(definition, "suff") or "", " "),
            is_legal=legal is not None and _is_true(legal.get(self._w + "val")),
            restart=restart if restart is not None and 0 <= restart <= place else None,
            style=self._value(definition, "pStyle"),
        )

    def _number_format(self, definition: Any) -> str:
        """Name of the format; a custom one stands in mc:AlternateContent, as an example in w:format."""
        element = self._child(definition, "numFmt")
        if element is None:
            element = next(definition.iter(self._w + "numFmt"), None)
        if element is None:
            return "decimal"
        name = element.get(self._w + "val") or "decimal"
        return (element.get(self._w + "format") or "decimal") if name == "custom" else name

    def _by_id(self, root: Any, name: str, attribute: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for element in self._children(root, name):
            found.setdefault((element.get(self._w + attribute) or "").strip(), element)
        return found

    def _children(self, element: Any, name: str) -> Iterator[Any]:
        return iter(()) if element is None else element.iterchildren(self._w + name)

    def _child(self, element: Any, name: str) -> Any:
        return next(self._children(element, name), None)

    def _value(self, element: Any, name: str) -> str | None:
        """w:val of a child; None where there is no such child or value."""
        child = self._child(element, name)
        return None if child is None else child.get(self._w + "val")


def _integer(text: str | None) -> int | None:
    match = _INTEGER.fullmatch(text or "")
    return int(match.group(1)) if match else None


def _start(text: str | None) -> int | None:
    value = _integer(text)
    return value if value is not None and 0 <= value <= _MAX_VALUE else None


def _is_true(value: str | None) -> bool:
    """A switch: on where its value is left out."""
    return value not in ("0", "false", "off")
