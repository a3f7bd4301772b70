"""Schemas of replies: what is optional for a reader is required of a writer that keeps to a schema."""

from __future__ import annotations

from typing import Any


def all_required(schema: dict[str, Any]) -> None:
    """Require every property, in order, and no other; for `json_schema_extra`.

    A server that writes by a schema may leave out what is not required, and a small model then leaves out all of it.
    """
    schema["required"] = list(schema["properties"])
    schema["additionalProperties"] = False
    for value in schema["properties"].values():
        value.pop("default", None)
        value.pop("title", None)
