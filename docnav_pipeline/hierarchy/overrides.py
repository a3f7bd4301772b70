"""A person's corrections of one document's headings: a small TOML file next to the source.

    # manual.pdf.docnav.toml
    [[add]]                     # a line that is a heading
    title = "Safety notes"
    page = 12                   # optional, where the title occurs more than once
    level = 2                   # optional, else decided like any other

    [[remove]]                  # a heading that is none
    title = "Attention"

    [[relevel]]
    title = "Technical data"
    level = 1

Titles are compared by letters and digits only, with or without their label.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from assets_store.errors import DocnavError
from docnav_pipeline.hierarchy.numbering import split_label
from docnav_pipeline.hierarchy.titles import key_of

SUFFIX = ".docnav.toml"


class OverridesError(DocnavError):
    """An overrides file that cannot be used."""


class Match(BaseModel):
    """Which printed line is meant. page: from 1; without it every line of that title is."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    title: str = Field(min_length=1)
    page: int | None = Field(None, ge=1, strict=True)

    @field_validator("title")
    @classmethod
    def names_something(cls, title: str) -> str:
        """Titles are compared by letters and digits, so one without any would match nothing."""
        if not key_of(title):
            raise ValueError("needs at least one letter or digit")
        return title

    def fits(self, title: str, page: int | None) -> bool:
        if self.page is not None and page is not None and page != self.page:
            return False
        wanted = key_of(self.title)
        return bool(wanted) and wanted in (key_of(title), key_of(split_label(title)[1]))


class Addition(Match):
    level: int | None = Field(None, ge=1, le=20, strict=True)


class Relevel(Match):
    level: int = Field(ge=1, le=20, strict=True)


class Overrides(BaseModel):
    """All corrections of one document."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    add: tuple[Addition, ...] = ()
    remove: tuple[Match, ...] = ()
    relevel: tuple[Relevel, ...] = ()

    def added(self, title: str, page: int | None) -> Addition | None:
        return next((a for a in self.add if a.fits(title, page)), None)

    def adds(self, title: str, page: int | None) -> bool:
        return bool(self.add) and self.added(title, page) is not None

    def removes(self, title: str, page: int | None) -> bool:
        return any(m.fits(title, page) for m in self.remove)

    def level_of(self, title: str, page: int | None) -> int | None:
        chosen = next((r.level for r in self.relevel if r.fits(title, page)), None)
        if chosen is None and (addition := self.added(title, page)):
            return addition.level
        return chosen


def unmatched(overrides: Overrides, headings: Iterable[tuple[str, int | None]], lines: Iterable[tuple[str, int | None]]) -> list[str]:
    """Corrections that found nothing to correct, as people read them.

    headings: (title, page) after the corrections, which additions and changes of level must be among; lines: of all text, which
    removals must be among.
    """
    found, printed = list(headings), list(lines)
    wanted: list[tuple[str, Match, list[tuple[str, int | None]]]] = [
        *(("add", match, found) for match in overrides.add),
        *(("remove", match, printed) for match in overrides.remove),
        *(("relevel", match, found) for match in overrides.relevel),
    ]
    return [
        f"{kind} {match.title!r}{f' on page {match.page}' if match.page else ''}"
        for kind, match, among in wanted
        if not any(match.fits(title, page) for title, page in among)
    ]


def overrides_path(source: Path) -> Path:
    """Where the overrides of a source file are looked for."""
    return source.with_name(source.name + SUFFIX)


def parse_overrides(text: str, origin: str) -> Overrides:
    """Read the TOML text of an overrides file. origin: its name, for errors.

    Raises OverridesError with the place and what was expected.
    """
    try:
        return Overrides.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise OverridesError(f"{origin} is not valid TOML: {error}. Expected tables [[add]], [[remove]] or [[relevel]].") from error
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise OverridesError(
            f"{origin}: {problems}. Expected [[add]] title, page?, level?; [[remove]] title, page?; [[relevel]] title, page?, level."
        ) from error


def read_overrides(source: Path) -> Overrides | None:
    """The overrides beside a source file, None when there are none. Raises OverridesError."""
    path = overrides_path(source)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise OverridesError(f"{path.name} cannot be read: {error}. Expected a TOML file in UTF-8.") from error
    return parse_overrides(text, path.name)
