"""The controller without a language model: coarse to fine, LOCATE → NAVIGATE → FETCH → EXPAND, the same walk every time.

It locates documents, sections and paragraphs, ranks what it was shown, fetches the best, follows names and edges out of
what it read, and rates each fetched text by its words and sentences. A run that fills its budget goes on after it could
answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from assets_store.title_names import title_name
from docnav_agent.actions import MAX_FETCHED_NODES, MAX_HITS, MAX_QUERY_CHARACTERS, MAX_SCOPE, Expand, Fetch, Level, Locate, Mode, Navigate
from docnav_agent.asked import Asked, split_question
from docnav_agent.controllers.base import Decision
from docnav_agent.controllers.measures import measures_in
from docnav_agent.controllers.named import names_title
from docnav_agent.controllers.ranking import Candidates
from docnav_agent.controllers.reading import Reader, spread_pages, with_pieces
from docnav_agent.controllers.relevance import QuestionTerms, Terms
from docnav_agent.controllers.titles import TitleLikeness
from docnav_agent.environment import NodeCard, Observation
from docnav_agent.evidence import EvidenceItem
from docnav_agent.nodes import EDGE_KINDS, EdgeKind
from docnav_agent.note import RetrievalNote, RunState, clipped

if TYPE_CHECKING:
    from docnav_agent.search import Search

# As in docnav_agent.agent, which imports controllers by name only when a run begins.
ANSWERED = "answered"
NO_USEFUL_MOVE = "no_useful_move"

DOCUMENTS_LOCATED = 20
# Documents that the context of a question may be about, and how near their score must be to the best.
CONTEXT_DOCUMENTS = 5
CONTEXT_NEAR_BEST = 0.8
PARAGRAPHS_LOCATED = 120
# Measures whose parts are searched, and the hits of each search that count.
MEASURES_LOCATED = 2
PARTS_LOCATED = 6
FIRST_FETCH = 8
NEXT_FETCH = 6
# Fetched texts whose edges are followed: of documents that the question names, and of others.
READ_FOR_EDGES = 4
# Bonus of navigation for documents that the question names or its context is about, for the best one's section, and for what an edge
# of a fetched text leads to, by kind of the edge; from a document that the question names it is worth more. They weigh more once texts
# are read, because a second hop need not look like the question.
NAMED_BONUS = 0.50
CONTEXT_BONUS = 0.30
SECTION_BONUS = 0.01
EDGE_BONUS: Mapping[str, float] = {"title_mention": 0.15, "citation": 0.02, "cross_reference": 0.02, "entity": 0.02}
ANCHOR_FACTOR = 2.0
_FOLLOWED: tuple[EdgeKind, ...] = tuple(kind for kind in EDGE_KINDS if kind in EDGE_BONUS)
BONUS_SHARE_OF_READ = 2.5
# Share of the question's weighted words that fetched text must hold, together, before a run that need not fill ends.
ENOUGH = 0.75
FOUND_LINES = 12


class RulesController:
    """Controls one run by rules."""

    name = "rules"

    def __init__(self, search: Search) -> None:
        self._search = search
        self._terms = Terms(search.query_tokens)
        self._found: Candidates | None = None
        self._plan: Iterator[Decision] | None = None
        self._question: QuestionTerms | None = None
        self._reader: Reader | None = None
        self._named: list[NodeCard] = []
        self._about: list[NodeCard] = []
        self._split: Asked | None = None
        self._read = 0
        self._words_held: frozenset[int] = frozenset()

    def decide(self, state: RunState) -> Decision:
        """The next move of the walk. The walk reads the state after each move, so it must be the state of one run."""
        if self._plan is None:
            self._plan = self._walk(state)
        return next(self._plan)

    def reflect(self, state: RunState, observation: Observation) -> RetrievalNote:
        """What was found, what words of the question no fetched text holds, and whether that is enough."""
        best = self.order(state)[:FOUND_LINES]
        found = [clipped(f"{item.evidence_id} {item.doc} {' > '.join(item.section)}", 120) for item in reversed(best)]
        missing = self._missing(state)
        enough = self._enough(state)
        if enough:
            goal = "fill the budget" if state.spent.budget.fill else "answer"
        else:
            goal = "find: " + ", ".join(missing) if missing else "read what was found"
        return state.note.updated(found=found, missing=missing, next_step=goal, can_answer=enough)

    def order(self, state: RunState) -> Sequence[EvidenceItem]:
        """Evidence, best first, by navigation and reading."""
        parts = [self._candidates_of(state).parts(item.node_id) for item in state.evidence]
        navigation = [match + BONUS_SHARE_OF_READ * bonus for match, _, bonus in parts]
        scores = self._reading(state).scores(state.evidence, navigation, [title for _, title, _ in parts])
        top = max(scores, default=1.0)
        ranked = with_pieces(state.evidence, spread_pages(state.evidence, scores), self._search.graph.pieces)
        return [state.evidence[row].rated(scores[row] / max(top, 1.0)) for row in ranked]

    # -- the walk

    def _walk(self, state: RunState) -> Iterator[Decision]:
        question = state.question.text[:MAX_QUERY_CHARACTERS]
        yield from self._locate_documents(state, question)
        yield from self._locate_paragraphs(state, question)
        if not self._candidates_of(state).best():
            yield self._end(state)
            return
        yield from self._locate_parts(state, question)
        yield from self._look_around(state, question)
        yield from self._fetch(state, FIRST_FETCH, "the best paragraphs by words and meaning")
        if self._done(state):
            yield self._end(state)
            return
        yield from self._follow_edges(state, question)
        yield from self._fetch(state, NEXT_FETCH, "what names and edges led to, and the next best")
        while not self._done(state) and self._candidates_of(state).best(state.fetched()):
            before = len(state.evidence)
            yield from self._fetch(state, MAX_FETCHED_NODES if state.spent.budget.fill else NEXT_FETCH, "the next best paragraphs")
            if len(state.evidence) == before:
                break
        yield self._end(state)

    def _locate_documents(self, state: RunState, question: str) -> Iterator[Decision]:
        """Documents that the question names by their titles, or that its context is about; skipped where only one may be searched."""
        if len(state.question.docs) == 1:
            return
        yield self._locate(question, "document", (), DOCUMENTS_LOCATED, "bm25", "which documents the question names")
        self._named = [card for card in self._seen(state) if names_title(card.title, question)]
        context = self._asked(state).context
        if context and not self._named:
            yield self._locate(context, "document", (), CONTEXT_DOCUMENTS, "bm25", "which documents the context of the question is about")
            cards = self._seen(state)
            self._about = [card for card in cards if (card.score or 0.0) >= CONTEXT_NEAR_BEST * (cards[0].score or 0.0)]

    def _locate_paragraphs(self, state: RunState, question: str) -> Iterator[Decision]:
        yield self._locate(
            question, "paragraph", (), PARAGRAPHS_LOCATED, "hybrid", "paragraphs that hold the question's words or mean the same"
        )
        self._candidates_of(state).add_hits(self._seen(state))

    def _locate_parts(self, state: RunState, question: str) -> Iterator[Decision]:
        """What a measure that the question names is computed from, in the documents that were found for the question."""
        for measure in measures_in(question)[:MEASURES_LOCATED]:
            best = [
                card for node_id in self._candidates_of(state).best()[:FIRST_FETCH] if (card := self._candidates_of(state).card(node_id))
            ]
            scope = tuple(dict.fromkeys(card.ancestors[-1] for card in best if card.ancestors))
            why = f"what {measure.name} is computed from"
            yield self._locate(measure.parts, "paragraph", scope, PARTS_LOCATED, "hybrid", why)
            self._candidates_of(state).add_hits(self._seen(state))

    def _look_around(self, state: RunState, question: str) -> Iterator[Decision]:
        """Narrow to the documents that the question names, or look at the paragraphs around the best one."""
        if self._named:
            yield self._inside(self._named, question, "paragraphs of the documents that the question names")
            self._candidates_of(state).add_hits(self._seen(state))
            self._candidates_of(state).add(self._seen(state), NAMED_BONUS, "the question names its document")
            return
        if self._about:
            yield self._inside(self._about, self._asked(state).ask, "paragraphs of the documents that the context is about")
            self._candidates_of(state).add_hits(self._seen(state))
            self._candidates_of(state).add(self._seen(state), CONTEXT_BONUS, "the context of the question is about its document")
            return
        best = self._candidates_of(state).card(self._candidates_of(state).best()[0])
        if best is not None and best.parent_id is not None:
            why = "the other paragraphs of the best one's section"
            yield Decision(why, Navigate(node_id=best.node_id, direction="siblings"), focus=(best.parent_id,))
            self._candidates_of(state).add(self._seen(state), SECTION_BONUS, why)

    def _follow_edges(self, state: RunState, question: str) -> Iterator[Decision]:
        """Second hop: what the best texts point to, searched for the question."""
        named = {card.node_id for card in self._named}
        ranked = self.order(state)
        anchors = [item.node_id for item in ranked if item.doc_id in named][:READ_FOR_EDGES]
        others = [item.node_id for item in ranked if item.doc_id not in named][:READ_FOR_EDGES]
        if not ranked:
            return
        yield Decision("where the best texts point to", Expand(node_ids=(*anchors, *others), kinds=_FOLLOWED))
        fetched = state.fetched()
        led_to = {card.node_id: card for card in self._seen(state) if card.node_id not in named and card.node_id not in fetched}
        if not led_to:
            return
        places = list(led_to.values())[:MAX_SCOPE]
        titles = clipped(", ".join(dict.fromkeys(title_name(card.title) for card in places if card.title)), 160)
        yield self._inside(places, question, f"what the best texts point to: {titles}")
        self._candidates_of(state).add_hits(self._seen(state))
        for card in self._seen(state):
            edges = [led_to[node_id] for node_id in (card.node_id, *card.ancestors) if node_id in led_to]
            for edge in edges:
                from_anchor = edge.origin in anchors
                bonus = EDGE_BONUS[edge.via] * (ANCHOR_FACTOR if from_anchor else 1.0)
                self._candidates_of(state).add([card], bonus, edge.why)

    def _fetch(self, state: RunState, count: int, why: str) -> Iterator[Decision]:
        wanted = self._candidates_of(state).best(state.fetched())[:count]
        if wanted:
            focus = tuple(
                dict.fromkeys(
                    card.parent_id for node_id in wanted[:3] if (card := self._candidates_of(state).card(node_id)) and card.parent_id
                )
            )
            yield Decision(why, Fetch(node_ids=tuple(wanted)), focus=focus)

    # -- judgements

    def _inside(self, documents: Sequence[NodeCard], question: str, why: str) -> Decision:
        scope = tuple(card.node_id for card in documents)
        return self._locate(question, "paragraph", scope, MAX_HITS, "hybrid", why, scope)

    def _locate(
        self, query: str, level: Level, scope: tuple[str, ...], k: int, mode: Mode, why: str, focus: tuple[str, ...] = ()
    ) -> Decision:
        return Decision(why, Locate(query=query, level=level, scope=scope, k=k, mode=mode), focus=focus)

    def _seen(self, state: RunState) -> tuple[NodeCard, ...]:
        return state.last.cards if state.last is not None else ()

    def _terms_of(self, state: RunState) -> QuestionTerms:
        if self._question is None:
            self._question = QuestionTerms(state.question.text, self._terms, self._search.idf)
        return self._question

    def _candidates_of(self, state: RunState) -> Candidates:
        if self._found is None:
            self._found = Candidates(TitleLikeness(self._asked(state).ask, self._search))
        return self._found

    def _reading(self, state: RunState) -> Reader:
        if self._reader is None:
            ask = self._asked(state).ask
            self._reader = Reader(ask, QuestionTerms(ask, self._terms, self._search.idf), self._search.encode)
        return self._reader

    def _asked(self, state: RunState) -> Asked:
        if self._split is None:
            self._split = split_question(state.question.text, self._terms)
        return self._split

    def _held(self, state: RunState) -> frozenset[int]:
        terms = self._terms_of(state)
        for item in state.evidence[self._read :]:
            self._words_held |= terms.match(item.text).words
        self._read = len(state.evidence)
        return self._words_held

    def _missing(self, state: RunState) -> list[str]:
        held = self._held(state)
        return [word for position, word in enumerate(self._terms_of(state).words) if position not in held]

    def _enough(self, state: RunState) -> bool:
        terms = self._terms_of(state)
        return bool(state.evidence) and sum(terms.weights[position] for position in self._held(state)) >= ENOUGH

    def _done(self, state: RunState) -> bool:
        return not state.spent.budget.fill and self._enough(state)

    def _end(self, state: RunState) -> Decision:
        if self._enough(state):
            return Decision("the fetched texts hold what the question asks", stop=ANSWERED)
        return Decision("nothing that was shown is left to fetch", stop=NO_USEFUL_MOVE)


def make_controller(search: Search) -> RulesController:
    """A controller for one run."""
    return RulesController(search)
