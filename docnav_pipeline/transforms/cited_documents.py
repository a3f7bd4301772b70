"""Citations between documents: entries of reference lists matched to the documents of the corpus."""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

import polars as pl

from docnav_pipeline.transforms.cited_entries import ReferenceLists, Row, find_mentions, lists_by_document
from docnav_pipeline.transforms.document_identity import Identity, find_arxiv, find_dois, find_series
from docnav_pipeline.transforms.edge_rows import Edge, edge_frame
from docnav_pipeline.transforms.reference_lists import Entry, author_names
from docnav_pipeline.transforms.title_match import TitleIndex, TitleMatch, find_title

_BOTH, _ONE, _ALONE, _CANDIDATE = 1.0, 0.95, 0.8, 0.4
# A title below either is too common to be believed on its own ("Annual report").
_MIN_WORDS, _MIN_CHARACTERS = 4, 24
# Print may come a year after the preprint; a shorter title is more likely a series with a volume a year.
_MIN_WORDS_NEXT_YEAR = 6
_DOCUMENT = 0.5
_SHOWN = 60
_URL = re.compile(r"https?://[^\s<>\"“”]+")
_MIN_FILE = 8


@dataclass(frozen=True, slots=True)
class Cited:
    """A document that an entry means. weight: 1 for an id, or title with author and year; less where less agrees."""

    doc_id: str
    weight: float
    why: str

    @property
    def status(self) -> str:
        return "confirmed" if self.weight > _CANDIDATE else "candidate"


class CitedDocuments:
    """Documents of a corpus by what entries of reference lists say of them. Building it is linear in the number of documents."""

    def __init__(self, identities: Sequence[Identity]) -> None:
        self._all = list(identities)
        self._titles = TitleIndex([(n, title) for n, identity in enumerate(self._all) for title in identity.titles])
        self._by_id: dict[tuple[str, str], list[int]] = defaultdict(list)
        self._by_file: dict[str, list[int]] = defaultdict(list)
        for n, identity in enumerate(self._all):
            for kind, keys in (("DOI", identity.dois), ("arXiv", identity.arxiv), ("number", identity.series)):
                for key in sorted(keys):
                    self._by_id[kind, key].append(n)
            if len(identity.file.rpartition(".")[0]) >= _MIN_FILE:
                self._by_file[identity.file].append(n)
        self._place = {identity.doc_id: identity.place for identity in self._all}

    def find(self, entry: str, citing: str) -> Cited | None:
        """The document that an entry means, None for none. citing: doc_id of the document with the entry, which never is the answer.

        By DOI, arXiv id or number of a series; else by title, with author and year for or against it; else by the file at the end of an
        address, as a candidate. Of several that fit alike, one of the same knowledge base and version comes first, then by doc_id.
        """
        found = self._by_identifier(entry, citing) or self._by_title(entry, citing) or self._by_address(entry, citing)
        if not found:
            return None
        best = max(cited.weight for cited in found)
        alike = sorted((c for c in found if c.weight == best), key=lambda c: (self._place[c.doc_id] != self._place.get(citing), c.doc_id))
        mine = [c for c in alike if self._place[c.doc_id] == self._place.get(citing)] or alike
        if len(mine) == 1:
            return mine[0]
        return Cited(mine[0].doc_id, min(best, _ALONE), f"{mine[0].why}, the first of {len(mine)} documents that fit")

    def _by_identifier(self, entry: str, citing: str) -> list[Cited]:
        for kind, keys in (("DOI", find_dois(entry)), ("arXiv", find_arxiv(entry)), ("number", find_series(entry))):
            # An entry that names several standards is about one of them; which one, its title tells.
            if kind == "number" and len(keys) != 1:
                continue
            rows = dict.fromkeys(n for key in sorted(keys) for n in self._by_id.get((kind, key), ()) if self._all[n].doc_id != citing)
            if rows:
                return [Cited(self._all[n].doc_id, _BOTH, f"{kind} {min(keys)}") for n in rows]
        return []

    def _by_title(self, entry: str, citing: str) -> list[Cited]:
        found: dict[str, Cited] = {}
        for n, title in self._titles.candidates(entry):
            identity = self._all[n]
            match = find_title(title, entry) if identity.doc_id != citing else None
            weight, what = weigh_title(entry, match, identity) if match is not None else (0.0, "")
            if weight and (identity.doc_id not in found or found[identity.doc_id].weight < weight):
                found[identity.doc_id] = Cited(identity.doc_id, weight, f"title “{_shown(title)}”{what}")
        return list(found.values())

    def _by_address(self, entry: str, citing: str) -> list[Cited]:
        for match in _URL.finditer(entry):
            try:
                file = posixpath.basename(unquote(urlsplit(match[0].rstrip(".,;:)]}'")).path)).casefold()
            except ValueError:
                continue
            rows = [n for n in self._by_file.get(file, ()) if self._all[n].doc_id != citing]
            if len(rows) == 1:
                return [Cited(self._all[rows[0]].doc_id, _CANDIDATE, f"address with the file {file}")]
        return []


def weigh_title(entry: str, match: TitleMatch, identity: Identity) -> tuple[float, str]:
    """(weight, what agrees) of an entry with the title of a document; weight 0 where author or year speak against it.

    A title that is short, or not whole, needs the author or the year. A year one off is believed of a long title by the same author only.
    """
    author = _author_agrees(entry[: match.start], identity)
    near = _years_apart(f"{entry[: match.start]} {entry[match.end :]}", identity)
    if author is False or (near is not None and near > 1):
        return 0.0, ""
    long = match.n_words >= _MIN_WORDS and match.n_characters >= _MIN_CHARACTERS
    if near == 1:
        fits = author is True and match.n_words >= _MIN_WORDS_NEXT_YEAR
        return (_ALONE, " and first author, a year apart") if fits else (_CANDIDATE if author or long else 0.0, ", a year apart")
    if author is True and near == 0:
        return _BOTH, ", first author and year"
    if author is True or near == 0:
        # A year alone says little of a short title, or of one that goes on.
        if near == 0 and not (long and match.whole) and not (match.whole and match.n_words == _MIN_WORDS - 1):
            return (_CANDIDATE, " and year") if match.n_words >= 2 and match.whole else (0.0, "")
        return _ONE, " and first author" if author else " and year"
    return (_ALONE, "") if long and match.whole else (0.0, "")


def _author_agrees(head: str, identity: Identity) -> bool | None:
    """Whether the byline of a document holds the first author in front of the title; None where either names none."""
    names = author_names(head)
    if not names or not identity.names:
        return None
    shared = sum(_in_byline(name, identity.names) for name in names)
    return _in_byline(names[0], identity.names) or shared >= 2


def _in_byline(name: str, byline: frozenset[str]) -> bool:
    return name in byline or any(part in byline for part in re.split(r"[-‐'’]", name) if len(part) > 3)


def _years_apart(text: str, identity: Identity) -> int | None:
    years = [int(year[:4]) for year in Entry("", text).years]
    return min((abs(a - b) for a in years for b in identity.years), default=None)


def citation_edges_between(
    identities: Sequence[Identity], tree: pl.DataFrame, paragraphs: pl.DataFrame, features: pl.DataFrame, references: pl.DataFrame
) -> pl.DataFrame:
    """Edges `citation` to documents that entries of reference lists mean.

    identities: of all documents, as `find_identities` gives them. tree: doc_id, node_id, parent_id, preorder. paragraphs: paragraph_id,
    text, and features: doc_id, paragraph_id, citations, of the documents with a reference list at least. references: doc_id,
    paragraph_id, text, path, position, of `reference_paragraphs`.

    From the paragraph of the entry and from each paragraph that mentions it: the weight of the match. From the nodes above them: weight /
    (1 + steps), and from the citing document at least 0.5 x weight.
    """
    if not references.height:
        return edge_frame([])
    known = CitedDocuments(identities)
    of_document: dict[str, tuple[list[Row], dict[Entry, Cited]]] = {}
    for doc_id, rows in lists_by_document(references).items():
        entries = [entry for found in ReferenceLists(rows, {}, {}).lists for entry in found.entries]
        cited = {entry: match for entry in entries if (match := known.find(entry.text, doc_id)) is not None}
        if cited:
            of_document[doc_id] = (rows, cited)
    citing = pl.col("doc_id").is_in(sorted(of_document))
    nodes = tree.filter(citing).sort("doc_id", "preorder").select("doc_id", "node_id", "parent_id")
    texts = features.filter(citing).select("doc_id", "paragraph_id", "citations")
    texts = texts.join(paragraphs.select("paragraph_id", "text"), on="paragraph_id", maintain_order="left")
    mentions = {str(doc_id): rows for (doc_id,), rows in texts.group_by("doc_id", maintain_order=True)}
    edges: list[Edge] = []
    for (doc_id,), mine in nodes.group_by("doc_id", maintain_order=True):
        parents = dict(mine.select("node_id", "parent_id").iter_rows())
        lists = ReferenceLists(of_document[str(doc_id)][0], {node_id: n for n, node_id in enumerate(parents)}, parents)
        edges += _of_document(of_document[str(doc_id)][1], lists, parents, mentions[str(doc_id)])
    return edge_frame(edges)


def _of_document(
    cited: Mapping[Entry, Cited], lists: ReferenceLists, parents: Mapping[str, str | None], texts: pl.DataFrame
) -> Iterable[Edge]:
    mentions = find_mentions(lists, texts.select("paragraph_id", "citations", "text").iter_rows())
    sources: dict[tuple[str, str], tuple[float, str]] = {}
    for entry, match in cited.items():
        _keep(sources, entry.paragraph_id, match, f"entry “{_shown(entry.text)}”: {match.why}")
    for mention in mentions:
        for entry in mention.entries:
            if entry in cited:
                _keep(sources, mention.source_id, cited[entry], f"cites “{_shown(mention.text)}”: {cited[entry].why}")
    above: dict[tuple[str, str], float] = {}
    below: Counter[tuple[str, str]] = Counter()
    for (source, target), (weight, why) in sources.items():
        yield Edge(source, target, "citation", weight, why, "confirmed" if weight > _CANDIDATE else "candidate")
        for steps, scope in enumerate(_ancestors(source, parents), start=1):
            share = _DOCUMENT if parents[scope] is None else 1 / (1 + steps)
            above[scope, target] = max(above.get((scope, target), 0.0), weight * share)
            below[scope, target] += 1
    statuses = {match.doc_id: match.status for match in sorted(cited.values(), key=lambda match: match.weight)}
    for (scope, target), weight in above.items():
        n = below[scope, target]
        yield Edge(scope, target, "citation", weight, f"cited by {n} paragraph{'s' * (n > 1)} below", statuses[target])


def _keep(sources: dict[tuple[str, str], tuple[float, str]], source: str, match: Cited, why: str) -> None:
    if match.weight > sources.get((source, match.doc_id), (0.0, ""))[0]:
        sources[source, match.doc_id] = (match.weight, why)


def _ancestors(node_id: str, parents: Mapping[str, str | None]) -> list[str]:
    found: list[str] = []
    above = parents[node_id]
    while above is not None:
        found.append(above)
        above = parents[above]
    return found


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1].rstrip() + "…"
