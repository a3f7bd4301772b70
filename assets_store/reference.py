"""Reference pages printed from the code: `python -m assets_store.reference tables|settings`.

`docs/tables.md` and `docs/settings.md` are what this prints, and tests compare them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, get_args, get_origin

import pyarrow as pa
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from assets_store.schemas import SCHEMA_VERSION, TABLES
from assets_store.section import Section
from assets_store.settings import PROFILES, RESERVED_VARIABLES, SETTINGS_FILE, Settings

_SIGNS = (("ge", "≥"), ("gt", ">"), ("le", "≤"), ("lt", "<"))
_RESERVED = {
    "DOCNAV_API_KEY": "Key of the language model endpoint, read when a call is made. `OPENAI_API_KEY` is read where it is not set.",
    "DOCNAV_DEBUG": "When set, an unexpected fault shows its traceback instead of one line.",
    "DOCNAV_STORE": "Folder or `s3://` address of the store; the flag `--store` wins over it.",
    "DOCNAV_TEST_DATA": "Folder with data that some tests read; they are skipped without it.",
}


def settings_markdown() -> str:
    """`docs/settings.md`: every setting with type, range, default, sentence and environment variable."""
    unknown = RESERVED_VARIABLES ^ _RESERVED.keys()
    if unknown:
        raise ValueError(f"reserved variables and their descriptions differ in {sorted(unknown)}; edit _RESERVED in {__name__}")
    return "\n".join(_settings_lines()) + "\n"


def tables_markdown() -> str:
    """`docs/tables.md`: every table with key, order and columns."""
    return "\n".join(_tables_lines()) + "\n"


def _settings_lines() -> Iterator[str]:
    yield "# Settings"
    yield ""
    yield f"A store has one settings file, `{SETTINGS_FILE}`. A `DOCNAV_*` variable wins over the file, and a flag of the command"
    yield "line wins over both. Unknown keys and values out of range are refused. Changing a setting rebuilds what depends on it at"
    yield "the next `docnav index`, and nothing else."
    yield ""
    yield "This page is printed by `python -m assets_store.reference settings`."
    top = [(name, field) for name, field in Settings.model_fields.items() if _section(field) is None]
    yield from ("", "## Top of the file", "")
    yield from _settings_table(top, "DOCNAV_")
    for name, field in Settings.model_fields.items():
        section = _section(field)
        if section is not None:
            yield from ("", f"## [{name}]", "", _first_line(section), "")
            yield from _settings_table(list(section.model_fields.items()), f"DOCNAV_{name.upper()}__")
    for name, field in Settings.model_fields.items():
        entry = _entry(field)
        if entry is not None:
            yield from ("", f"## [[{name}]]", "", f"{_first_line(entry)} Each entry of the list has these keys.", "")
            yield from _entry_table(list(entry.model_fields.items()))
    yield from (
        "",
        "## Profiles",
        "",
        "A profile is a set of other defaults, chosen when the store is made: `docnav init --profile NAME`.",
        "",
    )
    yield from ("| Profile | Sets |", "| --- | --- |")
    for profile, values in PROFILES.items():
        yield f"| `{profile}` | {', '.join(_assignments(values)) or 'the defaults of this page'} |"
    yield from ("", "## Variables that are no settings", "", "| Variable | Meaning |", "| --- | --- |")
    for name, text in _RESERVED.items():
        yield f"| `{name}` | {text} |"


def _settings_table(fields: list[tuple[str, FieldInfo]], prefix: str) -> Iterator[str]:
    yield from ("| Key | Type | Range | Default | What it does | Variable |", "| --- | --- | --- | --- | --- | --- |")
    for name, field in fields:
        kind, choices = _type(field)
        default = _value(field.get_default(call_default_factory=True))
        text = (field.description or "").replace("|", "\\|")
        yield f"| `{name}` | {kind} | {choices or _bounds(field)} | {default} | {text} | `{prefix}{name.upper()}` |"


def _entry_table(fields: list[tuple[str, FieldInfo]]) -> Iterator[str]:
    """Keys of an entry of a list, which no variable sets."""
    yield from ("| Key | Type | Default | What it does |", "| --- | --- | --- | --- |")
    for name, field in fields:
        yield f"| `{name}` | {_type(field)[0]} | {_value(field.get_default())} | {field.description} |"


def _entry(field: FieldInfo) -> type[Section] | None:
    """Section of which a setting is a list; None for any other setting."""
    inner = get_args(field.annotation)[0] if get_origin(field.annotation) is tuple else None
    return inner if isinstance(inner, type) and issubclass(inner, Section) else None


def _section(field: FieldInfo) -> type[Section] | None:
    kind = field.annotation
    return kind if isinstance(kind, type) and issubclass(kind, Section) else None


def _first_line(model: type[BaseModel]) -> str:
    return (model.__doc__ or "").strip().splitlines()[0]


def _type(field: FieldInfo) -> tuple[str, str]:
    """Type as TOML calls it, and the choices where there is a list of them."""
    kind = field.annotation
    if get_origin(kind) is Literal:
        return "string", ", ".join(f"`{choice}`" for choice in get_args(kind))
    if get_origin(kind) in (tuple, dict):
        return "list" if get_origin(kind) is tuple else "table", ""
    names = {str: "string", int: "integer", float: "number", bool: "boolean"}
    if kind not in names:
        raise TypeError(f"expected a setting of type str, int, float, bool or Literal, found {kind!r}; teach {__name__} to print it")
    return names[kind], "`true`, `false`" if kind is bool else ""


def _bounds(field: FieldInfo) -> str:
    bounds = [
        f"{sign} {getattr(rule, name):,}" for rule in field.metadata for name, sign in _SIGNS if getattr(rule, name, None) is not None
    ]
    return ", ".join(bounds)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return f"`{list(value)}`"
    return f'`"{value}"`' if isinstance(value, str) else f"`{value}`"


def _assignments(values: Mapping[str, Any]) -> Iterator[str]:
    for section, keys in values.items():
        if isinstance(keys, Mapping):
            yield from (f"`{section}.{key}` = {_value(value)}" for key, value in keys.items())
        else:
            yield f"`{section}` = {_value(keys)}"


def _tables_lines() -> Iterator[str]:
    yield "# Tables"
    yield ""
    yield f"Every table is Parquet, schema version {SCHEMA_VERSION}. Tables of kind *document* are kept in one part per hash shard;"
    yield "tables of kind *corpus* are whole. [Architecture](architecture.md) says how they are made from each other."
    yield ""
    yield "This page is printed by `python -m assets_store.reference tables`."
    for spec in TABLES.values():
        yield from ("", f"## {spec.name}", "", spec.doc, "")
        yield f"Kind: {spec.kind}. Key: {_names(spec.key)}. Sorted by: {_names(spec.sort)}."
        yield from ("", "| Column | Type | Null | Meaning |", "| --- | --- | --- | --- |")
        for column in spec.columns:
            yield f"| `{column.name}` | {_arrow(column.type)} | {'yes' if column.null else ''} | {column.doc.replace('|', chr(92) + '|')} |"


def _names(columns: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in columns)


def _arrow(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return f"list of {_arrow(kind.value_type)}"
    if pa.types.is_struct(kind):
        return "{" + ", ".join(f"{kind.field(n).name}: {_arrow(kind.field(n).type)}" for n in range(kind.num_fields)) + "}"
    return str(kind)


PAGES: Mapping[str, Callable[[], str]] = {"tables": tables_markdown, "settings": settings_markdown}


def main(arguments: list[str]) -> int:
    """Print one page. Returns the exit status: 2 for wrong use."""
    if len(arguments) != 1 or arguments[0] not in PAGES:
        print(f"expected one of {', '.join(PAGES)}, found {' '.join(arguments) or 'nothing'}", file=sys.stderr)
        return 2
    sys.stdout.write(PAGES[arguments[0]]())
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
