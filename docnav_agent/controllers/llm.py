"""The controller `llm`: a language model chooses each action and updates the note, one call a step.

Prompts hold the note, the last result and a menu of nodes, never the history, so that they stay small. What a model leaves open gets
a default that leads somewhere; what it gets wrong is an observation for it; after several wrong replies in a row `rules` goes on.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assets_store.ids import level_of
from assets_store.tokens import count_tokens
from docnav_agent.actions import DIRECTIONS, LEVELS, Direction, Expand, Fetch, Level, Locate, Navigate
from docnav_agent.controllers import rules
from docnav_agent.controllers.base import Decision
from docnav_agent.controllers.reply import MAX_TARGETS, StepReply, step_form
from docnav_agent.controllers.view import Prompt, View
from docnav_agent.environment import Observation, Status
from docnav_agent.evidence import EVIDENCE_ID, EvidenceItem, evidence_id
from docnav_agent.nodes import EDGE_KINDS, EdgeKind
from docnav_agent.note import MAX_QUERY, RetrievalNote, RunState, clipped
from docnav_agent.prompts import read_prompt
from docnav_agent.sufficiency import check_sufficiency

if TYPE_CHECKING:
    from assets_store.settings import AgentSettings
    from docnav_agent.model import RunModel
    from docnav_agent.search import Search

# As in docnav_agent.agent, which imports controllers by name only when a run begins.
ANSWERED = "answered"
NO_USEFUL_MOVE = "no_useful_move"
MODEL_FAILED = "model_failed"

FIRST_HITS = 12
# Of a question with options: options that are searched for before the first call, and hits for each.
MAX_OPENING = 5
OPTION_HITS = 4
HITS = 8
DEFAULT_TARGETS = 3
FETCH_TOKENS = 1500
MAX_IDLE = 2

Move = Locate | Navigate | Expand | Fetch


class LanguageModelController:
    """Controls one run by a language model. without: names of ABLATIONS."""

    name = "llm"

    def __init__(self, search: Search, model: RunModel, settings: AgentSettings, without: Collection[str] = ()) -> None:
        self._search = search
        self._model = model
        self._settings = settings
        self._without = frozenset(without)
        self._rules = rules.make_controller(search)
        self._view: View | None = None
        self._opened = 0
        self._asked_before = False
        self._bad = 0
        self._checks = 0
        self._unmet: list[str] = []
        self._read_at_check = 0
        self._said = ""
        self._handed_over = ""

    def decide(self, state: RunState) -> Decision:
        """The next action by one call; the first move, a search for the question, needs none."""
        if self._handed_over:
            return self._by_rules(state)
        opening = self._opening(state)
        if opening is not None:
            return opening
        if state.idle_moves >= MAX_IDLE:
            unread = self._view_of(state).best(state)[:DEFAULT_TARGETS]
            if unread and not state.evidence and "EF" not in self._without:
                why = "moves bring nothing new and nothing was fetched, so the best that was shown is"
                return Decision(why, Fetch(node_ids=tuple(unread), max_tokens=FETCH_TOKENS))
            return self._end(state, NO_USEFUL_MOVE, "the last moves brought nothing new", state.note)
        return self._asked(state)

    def reflect(self, state: RunState, observation: Observation) -> RetrievalNote:
        """The note with what to look at next; found and missing change with the reply that has read the result."""
        if self._handed_over:
            return self._rules.reflect(state, observation)
        return state.note.updated(next_step=f"look at: {observation.message}")

    def order(self, state: RunState) -> Sequence[EvidenceItem]:
        """Evidence, best first: what screening kept, then the rest, each as `rules` would order it."""
        ranked = self._rules.order(state)
        if not any(item.evidence_id in state.kept for item in ranked):
            return ranked
        rated = [item.rated((1.0 + item.usefulness if item.evidence_id in state.kept else item.usefulness) / 2) for item in ranked]
        return sorted(rated, key=lambda item: item.evidence_id not in state.kept)

    # -- one call

    def _opening(self, state: RunState) -> Decision | None:
        """A search for the question, and for each of its options, which need no call; None when they are done."""
        options = state.question.options if state.question.form == "choice" else ()
        number, self._opened = self._opened, self._opened + 1
        if number == 0:
            return Decision("search for the question itself", Locate(query=state.note.query, k=FIRST_HITS))
        if number <= min(len(options), MAX_OPENING):
            option = options[number - 1]
            return Decision(f"search for option {option.label}", Locate(query=clipped(option.text, MAX_QUERY), k=OPTION_HITS), planned=True)
        return None

    def _asked(self, state: RunState) -> Decision:
        instructions = read_prompt("navigate")
        view = self._view_of(state)
        limit = self._settings.prompt_tokens - count_tokens(instructions)
        prompt = view.prompt(state, limit, "NOTE" not in self._without, self._said, ranked=not self._asked_before)
        self._asked_before = True
        self._said = ""
        form = step_form(self._actions(state, prompt), prompt.nodes, prompt.evidence)
        outcome = self._model.ask("step", instructions, prompt.data, form, state.spent)
        reached = state.spent.limit_reached()
        if outcome.value is None and outcome.unreachable and reached is not None:
            return Decision(f"no reply in time: {outcome.fault}", stop=reached)
        if outcome.value is None:
            return self._bad_reply(state, "bad_reply", f"no valid reply: {outcome.fault}")
        return self._understood(state, outcome.value, prompt)

    def _understood(self, state: RunState, reply: StepReply, prompt: Prompt) -> Decision:
        view = self._view_of(state)
        kept = [name for name in (self._kept_id(word, state) for word in reply.keep) if name is not None]
        shown = [node_id for name in prompt.nodes if (node_id := view.node_id(name)) is not None]
        state.screen([name for name in kept if EVIDENCE_ID.fullmatch(name)], prompt.evidence)
        state.screen([name for name in kept if not EVIDENCE_ID.fullmatch(name)], shown)
        note = self._updated(state, reply, prompt)
        if state.evidence and (reply.action == "answer" or (reply.found and not reply.missing)):
            return self._stop(state, note, reply)
        targets = [node_id for word in reply.targets if (node_id := view.node_id(word)) is not None]
        unknown = [word for word in reply.targets if view.node_id(word) is None]
        if unknown and not targets:
            near = ", ".join(view.nearest(unknown[0])) or "none: locate first"
            return self._bad_reply(state, "unknown_target", f"{unknown[0]!r} was not shown (nearest shown: {near})", note=note)
        action = self._action(state, reply, targets, shown)
        if action is None:
            return self._end(state, NO_USEFUL_MOVE, "no node is left to look at", note)
        self._bad = 0
        left_out = f" (left out, never shown: {', '.join(unknown)})" if unknown else ""
        focus = action.targets() if isinstance(action, Navigate | Expand) else ()
        return Decision(clipped((reply.why or f"{action.kind} next") + left_out), action, focus=focus, note=note)

    def _action(self, state: RunState, reply: StepReply, targets: list[str], shown: list[str]) -> Move | None:
        """The action that a reply means, with defaults: the best nodes shown, or a search for what is missing."""
        if reply.action == "locate":
            query = reply.query or " ".join(reply.missing) or state.note.query
            level: Level = next((level for level in LEVELS if level == reply.how), "paragraph")
            if "HS" in self._without:
                return Locate(query=query, k=HITS)
            return Locate(query=query, level=level, scope=tuple(targets), k=HITS)
        near = targets[:1] or list(state.focus[:1]) or shown[:1]
        if reply.action == "navigate" and near and "SN" not in self._without:
            usual: Direction = "siblings" if level_of(near[0]) == "paragraph" else "down"
            return Navigate(node_id=near[0], direction=next((way for way in DIRECTIONS if way == reply.how), usual))
        if reply.action == "expand" and near and "LN" not in self._without:
            kinds: tuple[EdgeKind, ...] = tuple(kind for kind in EDGE_KINDS if kind == reply.how)
            return Expand(node_ids=tuple(near), kinds=kinds)
        # FETCH, and all that cannot be done: an answer without evidence, a move without a node.
        fetched = state.fetched()
        wanted = [node_id for node_id in targets if node_id not in fetched] or [node_id for node_id in shown if node_id in state.kept]
        wanted = wanted or [node_id for node_id in shown if node_id not in fetched][:DEFAULT_TARGETS]
        if "EF" in self._without or not wanted:
            return Locate(query=reply.query or " ".join(reply.missing), k=HITS) if reply.query or reply.missing else None
        return Fetch(node_ids=tuple(wanted[:MAX_TARGETS]), max_tokens=FETCH_TOKENS)

    def _updated(self, state: RunState, reply: StepReply, prompt: Prompt) -> RetrievalNote:
        found = list(state.note.found_so_far)
        # Before a text was fetched nothing was found, whatever a model makes of the words on the map.
        if reply.found and state.evidence and not any(line.endswith(reply.found) for line in found):
            source = [name for name in (_as_evidence_id(word) for word in reply.keep) if name in {e.evidence_id for e in state.evidence}]
            found.append(f"{', '.join(source or prompt.evidence)}: {reply.found}" if source or prompt.evidence else reply.found)
        return state.note.updated(found=found, missing=reply.missing, next_step=reply.why or reply.action)

    # -- ends

    def _stop(self, state: RunState, note: RetrievalNote, reply: StepReply) -> Decision:
        """End the run; where the model says that nothing is missing, a check may send it back with what is."""
        if not reply.missing and self._checks < self._settings.sufficiency_checks:
            missing = self._insufficient(state)
            if missing:
                self._unmet, self._read_at_check = missing, len(state.evidence)
                state.note = note.updated(missing=missing, next_step="find what is missing")
                state.missing = state.note.missing_so_far
                self._said = f"A check of the evidence says that this is missing: {'; '.join(missing)}. Find it, or answer."
                return self._asked(state)
        if self._unmet and len(state.evidence) == self._read_at_check:
            # Nothing was read since the check, so what it missed is missing still, whatever the reply says.
            note = note.updated(missing=self._unmet)
        reason = NO_USEFUL_MOVE if note.missing_so_far else ANSWERED
        return self._end(state, reason, reply.why or "the evidence is enough", note)

    def _insufficient(self, state: RunState) -> list[str]:
        """What a check says is missing; empty when the evidence is enough or no check could be had."""
        self._checks += 1
        question, limit = state.asked or state.question, self._settings.answer_tokens
        found = check_sufficiency(question, self.order(state), self._model, state.spent, limit, self._search.query_tokens)
        return list(found.missing) if found is not None and not found.enough else []

    def _end(self, state: RunState, reason: str, why: str, note: RetrievalNote) -> Decision:
        if state.spent.budget.fill:
            self._handed_over = "the budget is filled by rules"
            return self._by_rules(state, note)
        return Decision(why, stop=reason, note=note.updated(next_step="answer", can_answer=reason == ANSWERED))

    def _bad_reply(self, state: RunState, status: Status, message: str, note: RetrievalNote | None = None) -> Decision:
        """A step of its own that says what was wrong, or, after too many in a row, rules in place of the model."""
        self._bad += 1
        if self._bad < self._settings.max_bad_replies:
            self._said = clipped(message)
            return Decision("the reply was no action", bad=Observation(status, clipped(message)), note=note)
        if not self._settings.back_off:
            return Decision(clipped(f"{self._bad} replies in a row were no action, the last: {message}"), stop=MODEL_FAILED)
        self._handed_over = clipped(f"{self._bad} replies in a row were no action, so rules went on; the last: {message}")
        state.back_offs.append(f"controller: {self._handed_over}")
        return self._by_rules(state)

    def _by_rules(self, state: RunState, note: RetrievalNote | None = None) -> Decision:
        # Much of what rules looks at was shown before; its walk has an end of its own.
        return replace(self._rules.decide(state), note=note, by=self._rules.name, planned=True)

    # -- small judgements

    def _actions(self, state: RunState, prompt: Prompt) -> list[str]:
        """Actions that make sense now; a schema offers no others."""
        offered = ["locate"]
        if prompt.nodes:
            offered = [
                *([] if "EF" in self._without else ["fetch"]), "locate", *([] if "SN" in self._without else ["navigate"]),
                *([] if "LN" in self._without else ["expand"]),
            ]  # fmt: skip
        return [*offered, "answer"] if state.evidence or not prompt.nodes else offered

    def _kept_id(self, word: str, state: RunState) -> str | None:
        """Id of a node or evidence that screening names; None for anything that was not shown."""
        name = _as_evidence_id(word)
        if name is not None:
            return name if any(item.evidence_id == name for item in state.evidence) else None
        return self._view_of(state).node_id(word)

    def _view_of(self, state: RunState) -> View:
        if self._view is None:
            self._view = View(self._search.graph, state.question.text, self._search.query_tokens)
        return self._view


def _as_evidence_id(word: str) -> str | None:
    """ "E02" for "E2"; None for what is no evidence id."""
    text = word.strip().strip("[]").upper()
    if EVIDENCE_ID.fullmatch(text):
        return text
    return evidence_id(int(text[1:])) if text[:1] == "E" and text[1:].isdigit() and len(text) < 6 else None


def make_controller(search: Search, model: RunModel, settings: AgentSettings, without: Collection[str] = ()) -> LanguageModelController:
    """A controller for one run."""
    return LanguageModelController(search, model, settings, without)
