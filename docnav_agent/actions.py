"""The four actions of an agent: LOCATE, NAVIGATE, EXPAND and FETCH, with their arguments checked. ANSWER is none of them.

A controller, whoever it is, can only say what these classes can hold; ids are checked against what the run was shown by
`docnav_agent.environment`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, field_validator

from assets_store.errors import DocnavError
from docnav_agent.nodes import EdgeKind

Level = Literal["community", "document", "section", "paragraph"]
Direction = Literal["up", "down", "siblings", "outline"]
Mode = Literal["hybrid", "bm25", "dense"]

LEVELS: tuple[Level, ...] = ("community", "document", "section", "paragraph")
DIRECTIONS: tuple[Direction, ...] = ("up", "down", "siblings", "outline")

MAX_QUERY_CHARACTERS = 4000
MAX_HITS = 200
MAX_FETCHED_NODES = 128
MAX_EXPANDED_NODES = 32
MAX_SCOPE = 1000

NodeId = Annotated[str, Field(min_length=1, max_length=300)]


class BadAction(DocnavError):
    """The arguments of an action are not valid; the text says which and what was expected."""


class _Action(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Locate(_Action):
    """Search at a level, optionally inside a scope.

    scope: node ids whose subtrees are searched; empty means everything the reader may see. k: hits wanted.
    mode: fusion of both rankings, or one of them.
    """

    kind: Literal["locate"] = "locate"
    query: str = Field(min_length=1, max_length=MAX_QUERY_CHARACTERS)
    level: Level = "paragraph"
    scope: tuple[NodeId, ...] = Field((), max_length=MAX_SCOPE)
    k: int = Field(10, ge=1, le=MAX_HITS)
    mode: Mode = "hybrid"

    @field_validator("query")
    @classmethod
    def _says_something(cls, query: str) -> str:
        if not query.strip():
            raise ValueError("a query needs at least one character that is no space")
        return query

    def targets(self) -> tuple[str, ...]:
        return self.scope


class Navigate(_Action):
    """Move along the hierarchy. depth: levels below the node that an outline shows."""

    kind: Literal["navigate"] = "navigate"
    node_id: NodeId
    direction: Direction
    depth: int = Field(2, ge=1, le=20)

    def targets(self) -> tuple[str, ...]:
        return (self.node_id,)


class Expand(_Action):
    """Follow lateral edges of some nodes. kinds: edge kinds wanted; empty means all."""

    kind: Literal["expand"] = "expand"
    node_ids: tuple[NodeId, ...] = Field(min_length=1, max_length=MAX_EXPANDED_NODES)
    kinds: tuple[EdgeKind, ...] = Field((), max_length=20)

    def targets(self) -> tuple[str, ...]:
        return self.node_ids


class Fetch(_Action):
    """Bring source text of nodes; a section or document streams its paragraphs.

    max_tokens: evidence tokens that this fetch may bring at most; null means what the budget leaves.
    """

    kind: Literal["fetch"] = "fetch"
    node_ids: tuple[NodeId, ...] = Field(min_length=1, max_length=MAX_FETCHED_NODES)
    max_tokens: int | None = Field(None, ge=1)

    def targets(self) -> tuple[str, ...]:
        return self.node_ids


Action = Annotated[Locate | Navigate | Expand | Fetch, Field(discriminator="kind")]
_ADAPTER: TypeAdapter[Locate | Navigate | Expand | Fetch] = TypeAdapter(Action)


def parse_action(data: Mapping[str, Any]) -> Locate | Navigate | Expand | Fetch:
    """An action from its JSON form; raises BadAction with one line per fault."""
    try:
        return _ADAPTER.validate_python(dict(data))
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(str(part) for part in fault['loc']) or 'action'}: {fault['msg']}" for fault in error.errors())
        raise BadAction(f"no valid action: {faults}. Actions are locate, navigate, expand and fetch.") from error


def signature(action: Locate | Navigate | Expand | Fetch) -> str:
    """Text that is equal for actions that would do the same; used to notice repeated moves."""
    data = action.model_dump(mode="json")
    for name in ("scope", "kinds", "node_ids"):
        if name in data:
            data[name] = sorted(data[name])
    if "query" in data:
        data["query"] = " ".join(data["query"].casefold().split())
    return "|".join(f"{name}={data[name]}" for name in sorted(data))
