"""Performs one action on graph and indexes and returns what was observed: cards of nodes, or evidence.

Cards are for navigation only and are of another type than evidence. Every target must be an id that the run was shown or
was given as its scope; anything else is an observation that names the nearest ids, never a guess.
"""

from __future__ import annotations

import difflib
import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from assets_store.ids import doc_of, level_of
from assets_store.tokens import count_tokens
from docnav_agent.ablations import refusal
from docnav_agent.actions import Expand, Fetch, Locate, Navigate
from docnav_agent.evidence import EvidenceItem, total_tokens
from docnav_agent.excerpt import snippet

if TYPE_CHECKING:
    from docnav_agent.graph import Graph
    from docnav_agent.nodes import Edge, Node
    from docnav_agent.search import Search

Status = Literal["ok", "empty", "repeated", "unknown_target", "over_budget", "switched_off", "bad_reply"]

# Pieces of the same table that a fetched one brings along.
MAX_PIECES = 2
# Of a run without fetching: snippets that one search brings as evidence, and tokens of each.
SNIPPETS = 5
SNIPPET_TOKENS = 60


@dataclass(frozen=True, slots=True)
class NodeCard:
    """What a run may know of a node before it fetches: place, size and why it was shown. No source text.

    ancestors: node ids from the parent up to the document. score: of the search that found it; ranks: its rank in each
    ranking that was fused, 1 = best. via: kind of the edge that led here, origin: the node at its other end, why: what it rests on.
    """

    node_id: str
    level: str
    title: str
    label: str
    path: tuple[str, ...]
    doc: str
    doc_id: str
    parent_id: str | None
    ancestors: tuple[str, ...]
    position: int
    n_tokens: int
    page_start: int | None
    page_end: int | None
    score: float | None = None
    ranks: dict[str, int] = field(default_factory=dict)
    via: str = ""
    origin: str = ""
    why: str = ""

    def row(self) -> dict[str, Any]:
        """JSON form; empty fields of search and edges are left out."""
        row = {name: value for name, value in asdict(self).items() if name != "ancestors"}
        row["path"] = list(self.path)
        for name in ("score", "ranks", "via", "origin", "why"):
            if not row[name] and row[name] != 0.0:
                del row[name]
        return row


@dataclass(frozen=True, slots=True)
class Observation:
    """What one action brought. tools: primitives that were called.

    Only FETCH fills `evidence`, the others only `cards`; but in a run without fetching (EF), LOCATE brings snippets as evidence.
    """

    status: Status
    message: str
    cards: tuple[NodeCard, ...] = ()
    evidence: tuple[EvidenceItem, ...] = ()
    tools: tuple[str, ...] = ()
    seconds: float = 0.0


class Environment:
    """Graph and search of one snapshot, and the ids that one run was shown.

    docs: doc_ids that the run is limited to; empty means all that the reader may see. without: names of ABLATIONS.
    """

    def __init__(self, graph: Graph, search: Search, docs: Collection[str] = (), without: Collection[str] = ()) -> None:
        self.graph = graph
        self.search = search
        self.docs = frozenset(docs)
        self.without = frozenset(without)
        self._shown: set[str] = set(docs)

    def show(self, node_ids: Iterable[str]) -> None:
        """Allow ids that a person gave; raises UnknownNode for one that the reader cannot see."""
        for node_id in node_ids:
            self.graph.node(node_id)
            self._shown.add(node_id)

    def perform(
        self,
        action: Locate | Navigate | Expand | Fetch,
        *,
        step: int = 1,
        why: str = "",
        fetched: Sequence[EvidenceItem] = (),
        tokens_left: int | None = None,
    ) -> Observation:
        """Do one action. fetched: evidence of earlier steps, not brought again; tokens_left: what a FETCH may bring at most."""
        begun = time.monotonic()
        unknown = [target for target in action.targets() if target not in self._shown]
        switched_off = refusal(action, self.without)
        if unknown:
            observation = self._refused(unknown)
        elif switched_off:
            observation = Observation("switched_off", switched_off)
        elif isinstance(action, Locate):
            observation = self._locate(action)
            if "EF" in self.without:
                observation = self._with_snippets(action, observation, step, why, fetched, tokens_left)
        elif isinstance(action, Navigate):
            observation = self._navigate(action)
        elif isinstance(action, Expand):
            observation = self._expand(action)
        else:
            observation = self._fetch(action, step, why, fetched, tokens_left)
        self._shown.update(card.node_id for card in observation.cards)
        return Observation(
            observation.status,
            observation.message,
            observation.cards,
            observation.evidence,
            observation.tools,
            round(time.monotonic() - begun, 6),
        )

    def card(self, node: Node, **found: Any) -> NodeCard:
        """Card of a node; keywords as the optional fields of NodeCard."""
        return NodeCard(
            node_id=node.node_id,
            level=node.level,
            title=node.title,
            label=node.label,
            path=tuple(node.path),
            doc=node.doc,
            doc_id=node.doc_id,
            parent_id=node.parent_id,
            ancestors=tuple(self.graph.ancestor_ids(node.node_id)),
            position=node.position,
            n_tokens=node.n_tokens,
            page_start=node.page_start,
            page_end=node.page_end,
            **found,
        )

    def _allowed(self, node_id: str) -> bool:
        return not self.docs or level_of(node_id) == "community" or doc_of(node_id) in self.docs

    def _refused(self, unknown: Sequence[str]) -> Observation:
        near = difflib.get_close_matches(unknown[0], sorted(self._shown), n=3, cutoff=0.3) or sorted(self._shown)[:3]
        nearest = ", ".join(repr(node_id) for node_id in near) or "none: begin with LOCATE"
        return Observation("unknown_target", f"{unknown[0]!r} was not shown in this run (nearest shown: {nearest})")

    def _locate(self, action: Locate) -> Observation:
        scope = action.scope or (tuple(sorted(self.docs)) if self.docs else None)
        hits = self.search.locate(action.query, level=action.level, scope=scope, k=action.k, mode=action.mode)
        cards = tuple(
            self.card(self.graph.node(hit.node_id), score=float(hit.score), ranks=dict(hit.ranks))
            for hit in hits
            if self._allowed(hit.node_id)
        )
        where = f" inside {len(action.scope)} scopes" if action.scope else ""
        message = f"{len(cards)} {action.level} nodes{where}" if cards else f"no {action.level} matches{where}"
        return Observation("ok" if cards else "empty", message, cards, tools=("search",))

    def _with_snippets(
        self, action: Locate, found: Observation, step: int, why: str, fetched: Sequence[EvidenceItem], tokens_left: int | None
    ) -> Observation:
        """The same observation with a short piece of each of the best paragraphs as evidence."""
        known = {item.node_id for item in fetched}
        terms = self.search.query_tokens(action.query)
        brought: list[EvidenceItem] = []
        for card in [card for card in found.cards if card.level == "paragraph" and card.node_id not in known][:SNIPPETS]:
            paragraph = self.graph.paragraph(card.node_id)
            text = snippet(paragraph.text, terms, self.search.query_tokens, SNIPPET_TOKENS)
            size = count_tokens(text)
            if tokens_left is not None and size > tokens_left - total_tokens(brought):
                break
            item = EvidenceItem.from_paragraph(paragraph, len(fetched) + len(brought) + 1, step, why)
            brought.append(item.model_copy(update={"text": text, "n_tokens": size, "level": "snippet"}))
        return replace(found, evidence=tuple(brought))

    def _navigate(self, action: Navigate) -> Observation:
        if action.direction == "up":
            parent = self.graph.parent(action.node_id)
            nodes = [parent] if parent else []
            tool = "parent"
        elif action.direction == "down":
            nodes, tool = list(self.graph.children(action.node_id)), "children"
        elif action.direction == "siblings":
            nodes, tool = list(self.graph.siblings(action.node_id)), "siblings"
        else:
            nodes, tool = list(self.graph.outline(action.node_id, action.depth)), "outline"
        cards = tuple(self.card(node) for node in nodes if self._allowed(node.node_id))
        message = (
            f"{len(cards)} nodes {action.direction} of {action.node_id}" if cards else f"nothing {action.direction} of {action.node_id}"
        )
        return Observation("ok" if cards else "empty", message, cards, tools=(tool,))

    def _expand(self, action: Expand) -> Observation:
        found: list[tuple[Edge, str, str]] = []
        for node_id in dict.fromkeys(action.node_ids):
            edges = self.graph.neighbors(node_id, action.kinds or None)
            found += [(edge, node_id, edge.target_id if edge.source_id == node_id else edge.source_id) for edge in edges]
        cards: dict[str, NodeCard] = {}
        for edge, node_id, other in sorted(found, key=lambda one: (-one[0].weight, one[0].kind, one[0].source_id, one[0].target_id)):
            if edge.status != "confirmed" or other in cards or other in action.node_ids or not self._allowed(other):
                continue
            cards[other] = self.card(self.graph.node(other), score=float(edge.weight), via=edge.kind, origin=node_id, why=edge.why)
        where = action.node_ids[0] if len(action.node_ids) == 1 else f"{len(action.node_ids)} nodes"
        message = f"{len(cards)} neighbours of {where}" if cards else f"no neighbours of {where}"
        return Observation("ok" if cards else "empty", message, tuple(cards.values()), tools=("neighbors",))

    def _fetch(self, action: Fetch, step: int, why: str, fetched: Sequence[EvidenceItem], tokens_left: int | None) -> Observation:
        known = {item.node_id for item in fetched}
        limits = [limit for limit in (tokens_left, action.max_tokens) if limit is not None]
        left = min(limits) if limits else None
        brought: list[EvidenceItem] = []
        repeated = too_long = 0
        for paragraph_id, is_asked in self._paragraphs(action.node_ids):
            if paragraph_id in known:
                repeated += is_asked
                continue
            paragraph = self.graph.paragraph(paragraph_id)
            # The first item of a run always may, or a budget below the size of a paragraph would bring nothing.
            first = not fetched and not brought
            if left is not None and not first and paragraph.n_tokens > left - total_tokens(brought):
                too_long += 1
                continue
            known.add(paragraph_id)
            brought.append(EvidenceItem.from_paragraph(paragraph, len(fetched) + len(brought) + 1, step, why))
        message = f"{len(brought)} paragraphs, {total_tokens(brought)} tokens"
        if repeated:
            message += f"; {repeated} fetched before"
        if too_long:
            message += f"; {too_long} left out because they pass the limit of {left} tokens"
        status: Status = "ok" if brought else "over_budget" if too_long else "repeated" if repeated else "empty"
        return Observation(status, message, evidence=tuple(brought), tools=("fetch_content",))

    def _paragraphs(self, node_ids: Sequence[str]) -> Iterable[tuple[str, bool]]:
        """Paragraphs to bring, each once, and whether it was asked for; pieces of a cut table stand around it in reading order."""
        seen: set[str] = set()
        for node_id in node_ids:
            is_scope = level_of(node_id) != "paragraph"
            inside = self.graph.paragraph_ids(node_id) if is_scope else self._with_pieces(node_id)
            for paragraph_id in inside:
                if paragraph_id not in seen and self._allowed(paragraph_id):
                    seen.add(paragraph_id)
                    yield paragraph_id, is_scope or paragraph_id == node_id

    def _with_pieces(self, node_id: str) -> list[str]:
        """A paragraph with the nearest pieces of the same table, which say little apart. Those behind it first."""
        before, behind = self.graph.pieces(node_id)
        behind = behind[:MAX_PIECES]
        before = before[: MAX_PIECES - len(behind)]
        return [*reversed(before), node_id, *behind]
