"""What the controller `llm` sees of a run: question, note, last result and a short menu of nodes, within a fixed number of tokens.

Nodes have short names (n1, n2, ...) that hold for the whole run. Only what was on a menu has one, so a model can act on nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from assets_store.tokens import count_tokens
from docnav_agent.excerpt import cut, excerpt
from docnav_agent.fence import asked_lines, data_line, fenced

if TYPE_CHECKING:
    from docnav_agent.environment import NodeCard
    from docnav_agent.evidence import EvidenceItem
    from docnav_agent.graph import Graph
    from docnav_agent.note import RunState

MENU = 9
QUESTION_TOKENS = 400
OPTIONS_TOKENS = 400
NOTE_TOKENS = 250
RESULT_TOKENS = 120
PATH_TOKENS = 30
CUE_TOKENS = 28
# Share of what question and note leave that fetched text may take while there are nodes to show.
TEXT_SHARE = 0.65
MIN_TEXT_TOKENS = 40
FOUND_LINES = 6
ASK = "Reply with one JSON object."


@dataclass(frozen=True, slots=True)
class Prompt:
    """data: the part that changes from step to step; n_tokens: of it, by our counter. nodes: names on the menu, evidence: ids shown.

    left_out: nodes that a menu of this size would have shown too.
    """

    data: str
    n_tokens: int
    nodes: tuple[str, ...]
    evidence: tuple[str, ...]
    left_out: int = 0


class View:
    """Names and cues of one run. tokenize: text → search terms."""

    def __init__(self, graph: Graph, question: str, tokenize: Callable[[str], Sequence[str]]) -> None:
        self._graph = graph
        self._tokenize = tokenize
        self._terms = frozenset(tokenize(question))
        self._names: dict[str, str] = {}
        self._ids: dict[str, str] = {}
        self._lines: dict[str, str] = {}
        self._result_tokens = RESULT_TOKENS

    def node_id(self, name: str) -> str | None:
        """The node of a name that was on a menu, or of its id; None for anything else."""
        return self._ids.get(name.strip().lower()) or (name if name in self._names else None)

    def name(self, node_id: str) -> str:
        """The short name of a node that was on a menu, else its id."""
        return self._names.get(node_id, node_id)

    def nearest(self, name: str) -> list[str]:
        """Names on menus that are most like one that is not, at most three; the newest where none is."""
        known = list(self._ids)
        return get_close_matches(name.lower(), known, n=3, cutoff=0.5) or known[-3:]

    def best(self, state: RunState) -> list[str]:
        """Ids of the nodes that a menu would show now, best of all searches first."""
        return [card.node_id for card in self._menu(state, ranked=True)]

    def prompt(self, state: RunState, limit: int, with_note: bool = True, said: str = "", ranked: bool = False) -> Prompt:
        """The changing part of a prompt in at most `limit` tokens.

        said: what the last reply led to, where that was no action. ranked: the menu begins with the best of all searches, not with the last
        result. Nodes are left out from the end of the menu, and fetched text
        is cut to its best sentences, until all fits.
        """
        self._result_tokens = min(RESULT_TOKENS, limit // 8)
        head = asked_lines(state.asked or state.question, min(QUESTION_TOKENS, limit // 5), min(OPTIONS_TOKENS, limit // 5))
        if with_note:
            head.append(fenced("note", [_note(state, min(NOTE_TOKENS, limit // 4))]))
        made = state.last.evidence if state.last is not None else ()
        menu = self._menu(state, ranked)
        room = limit - count_tokens("\n".join(head)) - count_tokens(ASK)
        text = self._texts(made, int(room * (TEXT_SHARE if menu else 0.95)))
        shown = menu
        while True:
            prompt = self._assembled(head, state, text, shown, len(menu) - len(shown), said)
            if prompt.n_tokens <= limit or (not shown and not text):
                break
            # The last texts go before the last three nodes: without a node there is no next move.
            shown, text = (shown[:-1], text) if len(shown) > 3 or not text else (shown, text[:-1])
        for card in shown:
            self._remember(card.node_id)
        return prompt

    # -- inside

    def _assembled(self, head: list[str], state: RunState, text: list[str], shown: list[NodeCard], left_out: int, said: str) -> Prompt:
        parts = list(head)
        have = [item.evidence_id for item in state.evidence]
        if not said and state.last is not None:
            said = f"{state.last.status}: {self._renamed(state.last.message)}"
        if said:
            parts.append(fenced("result", [cut(data_line(said), self._result_tokens)]))
        if text:
            parts.append(fenced("text", text))
        names = self._planned_names(shown)
        if shown:
            parts.append(fenced("nodes", (f"{names[card.node_id]} {self._line(card)}" for card in shown)))
        else:
            parts.append("No node is left to show.")
        if have:
            parts.append(f"Fetched so far: {len(have)} texts ({have[0]} to {have[-1]}), {state.spent.evidence_left} tokens may still come.")
        else:
            parts.append("Nothing was fetched yet.")
        parts.append(ASK)
        data = "\n".join(parts)
        return Prompt(data, count_tokens(data), tuple(names.values()), tuple(line.split(" ", 1)[0] for line in text), left_out)

    def _menu(self, state: RunState, ranked: bool) -> list[NodeCard]:
        """Nodes to choose from: what screening kept, then what the last action showed, then the rest, without what is read or rejected."""
        fetched = state.fetched()
        last = [card.node_id for card in state.last.cards] if state.last is not None else []
        order = dict.fromkeys([*(node_id for node_id in state.candidates if node_id in state.kept), *last, *reversed(state.candidates)])
        cards = [state.candidates[node_id] for node_id in order if node_id in state.candidates]
        unread = [card for card in cards if card.node_id not in fetched]
        # What screening rejected is better than nothing.
        open_cards = [card for card in unread if card.node_id not in state.rejected] or unread
        if ranked or state.last is None or not state.last.cards:
            # What searches found best comes before what they found last.
            open_cards.sort(key=lambda card: (card.node_id not in state.kept, -(card.score or 0.0)))
        return open_cards[:MENU]

    def _texts(self, made: Sequence[EvidenceItem], room: int) -> list[str]:
        """Fetched texts, one a line, each with its share of the room; what a short one leaves goes to the next."""
        lines: list[str] = []
        for number, item in enumerate(made):
            head = f"{item.evidence_id} {cut(data_line(' > '.join((item.doc, *item.section))), PATH_TOKENS)}: "
            share = room // (len(made) - number) - count_tokens(head)
            if share < MIN_TEXT_TOKENS:
                break
            lines.append(head + cut(data_line(excerpt(item.text, self._terms, self._tokenize, share)), share))
            room -= count_tokens(lines[-1])
        return lines

    def _line(self, card: NodeCard) -> str:
        known = self._lines.get(card.node_id)
        if known is None:
            where = " > ".join((card.doc, *card.path)) if card.level != "community" else card.title
            page = f", p. {card.page_start}" if card.page_start is not None else ""
            via = f", by {card.via}" if card.via else ""
            place = cut(data_line(where), PATH_TOKENS)
            known = f"{card.level}{page}, {card.n_tokens} tokens{via}: {place} | {cut(data_line(self._cue(card)), CUE_TOKENS)}"
            self._lines[card.node_id] = known
        return known

    def _cue(self, card: NodeCard) -> str:
        """A few words on what is inside: of a paragraph its best sentence, of other nodes their profile. For navigation only."""
        if card.level == "paragraph":
            return excerpt(self._graph.paragraph(card.node_id).text, self._terms, self._tokenize, CUE_TOKENS)
        profile = self._graph.profile(card.node_id)
        words = profile.topic_cues or profile.key_concepts or tuple(term for term, _ in profile.keywords)
        return ", ".join(words[:10]) or profile.summary

    def _planned_names(self, shown: Iterable[NodeCard]) -> dict[str, str]:
        names: dict[str, str] = {}
        number = len(self._names)
        for card in shown:
            if card.node_id in self._names:
                names[card.node_id] = self._names[card.node_id]
            else:
                number += 1
                names[card.node_id] = f"n{number}"
        return names

    def _remember(self, node_id: str) -> None:
        if node_id not in self._names:
            name = f"n{len(self._names) + 1}"
            self._names[node_id] = name
            self._ids[name] = node_id

    def _renamed(self, text: str) -> str:
        for node_id in sorted(self._names, key=len, reverse=True):
            text = text.replace(node_id, self._names[node_id])
        return text


def _note(state: RunState, limit: int) -> str:
    """The note as one JSON line of at most `limit` tokens; the oldest findings and the last of what is missing go first."""
    note = state.note
    kept = {
        "found": [data_line(line) for line in note.found_so_far[-FOUND_LINES:]],
        "missing": [data_line(line) for line in note.missing_so_far] or ([] if note.found_so_far else ["all that is asked"]),
        "next": cut(data_line(note.next_step), limit // 3),
    }
    line = json.dumps(kept, ensure_ascii=False)
    while count_tokens(line) > limit and (kept["found"] or kept["missing"]):
        part = kept["found"] if len(kept["found"]) >= len(kept["missing"]) else kept["missing"]
        assert isinstance(part, list)
        del part[0 if part is kept["found"] else -1]
        line = json.dumps(kept, ensure_ascii=False)
    return line
