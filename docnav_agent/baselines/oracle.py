"""Oracle evidence: the paragraphs that hold the gold evidence of a question, so that only the answer step is measured; the ceiling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from assets_store.errors import SettingsError, UnknownDocument
from docnav_agent.budget import EVIDENCE_LIMIT, Budget
from docnav_agent.evaluation.case import Gold
from docnav_agent.evaluation.metrics.evidence import Piece, Wanted, within
from docnav_agent.evaluation.outcome import Fetched
from docnav_agent.evidence import EvidenceItem
from docnav_agent.search import Search
from docnav_agent.systems import NoParameters, Question, Retrieval, System, SystemOptions, read_parameters

ORACLE = "oracle"


class Oracle:
    """gold: by id of the question; a question of which none is known cannot be asked, one without gold gets no evidence."""

    name = "oracle"

    def __init__(self, search: Search, gold: Mapping[str, Sequence[Gold]]) -> None:
        self._search = search
        self._gold = gold
        self._pieces = lru_cache(maxsize=512)(self._read)

    def retrieve(self, question: Question, budget: Budget) -> Retrieval:
        """Gold item by gold item the paragraphs that hold most of it, until it is found or the budget is used."""
        if question.id not in self._gold:
            raise SettingsError(f"the system oracle knows no gold evidence of question {question.id!r}; only `docnav eval` tells it any")
        spent = budget.start()
        spent.add_step()
        taken: dict[str, None] = {}
        for gold in self._gold[question.id]:
            taken.update(dict.fromkeys(self._of(gold)))
        evidence: list[EvidenceItem] = []
        for node_id in taken:
            paragraph = self._search.graph.paragraph(node_id)
            if not spent.fits(paragraph.n_tokens):
                return Retrieval(evidence, 1, 0, 0, spent.seconds, EVIDENCE_LIMIT)
            spent.add_evidence(paragraph.n_tokens)
            evidence.append(EvidenceItem.from_paragraph(paragraph, len(evidence) + 1, why="gold", usefulness=1.0))
        return Retrieval(evidence, 1, 0, 0, spent.seconds, ORACLE)

    def _of(self, gold: Gold) -> Iterator[str]:
        """Paragraphs of one gold item, those that hold most of it first; none where its document is not there."""
        try:
            documents = self._search.graph.resolve_documents([gold.doc])
        except UnknownDocument:
            return
        want = Wanted(gold)
        pieces = [piece for doc_id in documents for piece in self._pieces(doc_id)]
        ranked = sorted(((-want.share(piece), at) for at, (_, piece) in enumerate(pieces) if want.share(piece)))
        for _, at in ranked:
            node_id, piece = pieces[at]
            yield node_id
            want.look(piece)
            if want.grams and want.found:
                return

    def _read(self, doc_id: str) -> list[tuple[str, Piece]]:
        found = []
        for node_id in self._search.graph.paragraph_ids(doc_id):
            paragraph = self._search.graph.paragraph(node_id)
            text = Fetched(paragraph.doc, paragraph.text, paragraph.page_start, paragraph.page_end)
            found += [(node_id, piece) for piece in within([text], None)]
        return found


def make_system(search: Search, options: SystemOptions) -> System:
    """The ceiling over a search; it has no parameters."""
    read_parameters(Oracle.name, NoParameters, options)
    return Oracle(search, options.gold)
