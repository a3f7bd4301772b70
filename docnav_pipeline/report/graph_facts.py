"""What a graph report says: counts, distributions, gaps and samples of one snapshot. Text is read of the rows shown, and of no others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from assets_store.schemas import EDGE_KINDS
from assets_store.snapshot import Snapshot
from docnav_pipeline.report.batches import gathered, rows_at
from docnav_pipeline.report.graph_arrays import NODE_KINDS, GraphArrays, Ints
from docnav_pipeline.report.places import Place, places_of

# Kinds that rest on a mention in the text, which can be left unresolved.
MENTIONED = ("citation", "cross_reference")
SAMPLES, HUBS, BROKEN_DOCUMENTS, MENTIONS = 6, 15, 20, 3


@dataclass(frozen=True, slots=True)
class Bin:
    """Nodes with a value of low..high, both counted in. n_in_R: those of them in R_d."""

    low: int
    high: int
    n: int
    n_in_R: int = 0


@dataclass(frozen=True, slots=True)
class EdgeKind:
    """confirmed, candidates, unresolved: edges; an unresolved one is a candidate of weight 0, a mention that nothing answers to.

    mentions: edges that rest on a mention in a paragraph, 0 for kinds that rest on none. degrees: nodes by number of confirmed edges
    of this kind at either end, those without any left out. weight: mean of the confirmed edges. most: largest degree.
    """

    kind: str
    confirmed: int
    candidates: int
    unresolved: int
    mentions: int
    weight: float | None
    nodes: int
    most: int
    degrees: list[Bin]

    @property
    def unresolved_share(self) -> float | None:
        """Share of the mentions that nothing answers to; None where there are none."""
        return self.unresolved / self.mentions if self.mentions else None


@dataclass(frozen=True, slots=True)
class Orphans:
    """Nodes of a kind without any confirmed lateral edge, and without any but those to the next sibling."""

    kind: str
    n: int
    without_any: int
    without_but_adjacent: int


@dataclass(frozen=True, slots=True)
class Broken:
    """A document's mentions that nothing answers to. mentions: the first few of them, as printed."""

    doc: str
    uri: str
    references: int
    broken: int
    mentions: list[str]


@dataclass(frozen=True, slots=True)
class Sample:
    """One edge. target: None for a mention that nothing answers to."""

    kind: str
    source: Place
    target: Place | None
    weight: float
    status: str
    why: str


@dataclass(frozen=True, slots=True)
class Hub:
    place: Place
    degree: int
    by_kind: dict[str, int]


@dataclass(frozen=True, slots=True)
class Entities:
    """top: name, label, mentions. pairs: two names and the paragraphs that hold both."""

    n: int
    pairs_n: int
    top: list[tuple[str, str, int]]
    pairs: list[tuple[str, str, int]]


@dataclass(frozen=True, slots=True)
class GraphFacts:
    """Everything of a report but communities and the tree of a document."""

    snapshot: str
    created: str
    tables: dict[str, int]
    documents: dict[str, int]
    labelled: int
    nodes: dict[str, int]
    depths: dict[str, list[int]]
    scopes: list[Bin]
    edges: list[EdgeKind]
    orphans: list[Orphans]
    broken: list[Broken]
    broken_documents: int
    samples: dict[str, list[Sample]] = field(default_factory=dict)
    hubs: list[Hub] = field(default_factory=list)
    entities: Entities = field(default_factory=lambda: Entities(0, 0, [], []))

    @property
    def in_R_share(self) -> float | None:
        """Share of the documents and sections that are in R_d; None where there are none."""
        n = sum(b.n for b in self.scopes)
        return sum(b.n_in_R for b in self.scopes) / n if n else None

    @property
    def unresolved_share(self) -> float | None:
        """Share of all mentions that nothing answers to; None where there are none."""
        mentions = sum(edge.mentions for edge in self.edges)
        return sum(edge.unresolved for edge in self.edges if edge.mentions) / mentions if mentions else None

    @property
    def orphan_share(self) -> float | None:
        """Share of the paragraphs that no lateral edge but those to the next sibling leads to or from; None where there are none."""
        paragraphs = next(row for row in self.orphans if row.kind == "paragraph")
        return paragraphs.without_but_adjacent / paragraphs.n if paragraphs.n else None


def graph_facts(snapshot: Snapshot, graph: GraphArrays) -> GraphFacts:
    """Facts of a snapshot. The same snapshot gives the same facts: samples stand at even distances in the table, ties go by id."""
    documents = gathered(snapshot, "documents", ["doc_id", "doc", "uri", "status", "access_labels"]).sort("doc_id")
    degrees = {kind: graph.degrees(kind) for kind in EDGE_KINDS}
    broken, broken_documents = _broken(snapshot, graph, documents)
    statuses = documents.group_by("status").len().sort("len", "status", descending=[True, False])
    return GraphFacts(
        snapshot=snapshot.id,
        created=snapshot.manifest["created"],
        tables={name: sum(part["rows"] for part in parts.values()) for name, parts in snapshot.manifest["tables"].items()},
        documents=dict(statuses.iter_rows()),
        labelled=documents.filter(pl.col("access_labels").list.len() > 0).height,
        nodes={kind: graph.nodes.filter(kind=kind).height for kind in NODE_KINDS},
        depths={kind: np.bincount(graph.nodes.filter(kind=kind)["depth"].to_numpy()).tolist() for kind in NODE_KINDS},
        scopes=scope_bins(graph.nodes),
        edges=[_edge_kind(graph, kind, degrees[kind]) for kind in EDGE_KINDS],
        orphans=_orphans(graph.nodes, degrees),
        broken=broken,
        broken_documents=broken_documents,
        samples=_samples(snapshot, graph),
        hubs=_hubs(snapshot, graph, degrees),
        entities=_entities(snapshot),
    )


def bins(values: Ints, in_R: Ints | None = None) -> list[Bin]:
    """Counts of values of at least 1 in bins whose ends double: 1, 2, 3-4, 5-8, ...; of empty bins only those between others are there."""
    kept = values >= 1
    if not kept.any():
        return []
    at = np.ceil(np.log2(values[kept])).astype(np.int64)
    chosen = np.zeros(len(at), np.int64) if in_R is None else in_R[kept]
    counts, marked = np.bincount(at), np.bincount(at, weights=chosen).astype(np.int64)
    lows = [1, *(2 ** (i - 1) + 1 for i in range(1, len(counts)))]
    return [Bin(low, 2**i, int(counts[i]), int(marked[i])) for i, low in enumerate(lows) if i >= at.min()]


def scope_bins(nodes: pl.DataFrame) -> list[Bin]:
    """Documents and sections by the tokens below them; the first bin holds those without text where there are any."""
    scopes = nodes.filter(pl.col("kind") != "paragraph")
    tokens, in_R = scopes["n_tokens"].to_numpy().astype(np.int64), scopes["in_R"].to_numpy().astype(np.int64)
    empty = tokens == 0
    first = [Bin(0, 0, int(empty.sum()), int(in_R[empty].sum()))] if empty.any() else []
    return [*first, *bins(tokens, in_R)]


def _edge_kind(graph: GraphArrays, kind: str, degrees: Ints) -> EdgeKind:
    edges = graph.edges.filter(pl.col("kind") == kind)
    confirmed = edges.filter("confirmed")
    unresolved = edges.filter(~pl.col("confirmed") & (pl.col("weight") == 0)).height
    is_paragraph = (graph.nodes["kind"] == "paragraph").to_numpy()
    sources = edges["source"].to_numpy() if kind in MENTIONED else np.zeros(0, np.int64)
    return EdgeKind(
        kind,
        confirmed.height,
        edges.height - confirmed.height - unresolved,
        unresolved,
        int(is_paragraph[sources[sources >= 0]].sum()),
        float(confirmed["weight"].cast(pl.Float64).mean()) if confirmed.height else None,  # type: ignore[arg-type]
        int((degrees > 0).sum()),
        int(degrees.max(initial=0)),
        bins(degrees),
    )


def _orphans(nodes: pl.DataFrame, degrees: Mapping[str, Ints]) -> list[Orphans]:
    adjacent, total = degrees["adjacent"], np.sum(list(degrees.values()), axis=0)
    found = []
    for kind in NODE_KINDS:
        here = (nodes["kind"] == kind).to_numpy()
        found.append(Orphans(kind, int(here.sum()), int((here & (total == 0)).sum()), int((here & (total == adjacent)).sum())))
    return found


def _broken(snapshot: Snapshot, graph: GraphArrays, documents: pl.DataFrame) -> tuple[list[Broken], int]:
    """Documents with the most mentions that nothing answers to, at most 20, and the number of all such documents."""
    mentioned = graph.edges.with_row_index("position").filter(pl.col("kind").cast(pl.String).is_in(MENTIONED) & (pl.col("source") >= 0))
    ids = graph.nodes["node_id"].gather(mentioned["source"])
    rows = mentioned.with_columns(doc_id=ids.str.split("/").list.first(), broken=~pl.col("confirmed") & (pl.col("weight") == 0))
    # A scope's citation says again what a paragraph below it said.
    rows = rows.filter(ids.str.contains("/p-", literal=True))
    by_document = (
        rows.group_by("doc_id")
        .agg(
            references=pl.len(), broken=pl.col("broken").sum(), positions=pl.col("position").filter(pl.col("broken")).sort().head(MENTIONS)
        )
        .filter(pl.col("broken") > 0)
        .join(documents.select("doc_id", "doc", "uri"), on="doc_id")
        .sort("broken", "doc_id", descending=[True, False])
    )
    shown = by_document.head(BROKEN_DOCUMENTS).to_dicts()
    texts = rows_at(snapshot, "lateral_edges", ["target_id"], [position for row in shown for position in row["positions"]])
    return [
        Broken(row["doc"], row["uri"], row["references"], row["broken"], [str(texts[position][0]) for position in row["positions"]])
        for row in shown
    ], by_document.height


def _samples(snapshot: Snapshot, graph: GraphArrays) -> dict[str, list[Sample]]:
    """Edges of each kind, confirmed ones before candidates, spread evenly over the table."""
    numbered = graph.edges.with_row_index("position")
    chosen: dict[str, list[int]] = {}
    for kind in EDGE_KINDS:
        mine = numbered.filter(pl.col("kind") == kind)
        confirmed, candidates = mine.filter("confirmed")["position"].to_list(), mine.filter(~pl.col("confirmed"))["position"].to_list()
        n_candidates = min(len(candidates), max(SAMPLES // 3, SAMPLES - len(confirmed)))
        chosen[kind] = [*_spread(confirmed, SAMPLES - n_candidates), *_spread(candidates, n_candidates)]
    columns = ["source_id", "target_id", "weight", "status", "why"]
    rows = rows_at(snapshot, "lateral_edges", columns, [position for some in chosen.values() for position in some])
    places = places_of(snapshot, {str(end) for row in rows.values() for end in row[:2]})
    found: dict[str, list[Sample]] = {}
    for kind, positions in chosen.items():
        for source, target, weight, status, why in (rows[position] for position in positions):
            place = places.get(str(source)) or Place.unknown(str(source))
            sample = Sample(kind, place, places.get(str(target)), float(str(weight)), str(status), str(why))
            found.setdefault(kind, []).append(sample)
    return found


def _spread(positions: Sequence[int], n: int) -> list[int]:
    """At most n of them at even distances, the first one among them."""
    return [positions[i * len(positions) // n] for i in range(n)] if len(positions) > n else list(positions)


def _hubs(snapshot: Snapshot, graph: GraphArrays, degrees: Mapping[str, Ints]) -> list[Hub]:
    """Nodes with the most confirmed edges, those to the next sibling left out."""
    total = np.sum([values for kind, values in degrees.items() if kind != "adjacent"], axis=0)
    ranked = pl.DataFrame({"node_id": graph.nodes["node_id"], "degree": total}).with_row_index("row").filter(pl.col("degree") > 0)
    best = ranked.sort("degree", "node_id", descending=[True, False]).head(HUBS)
    places = places_of(snapshot, set(best["node_id"]))
    return [
        Hub(places[node_id], degree, {kind: int(values[row]) for kind, values in degrees.items() if kind != "adjacent" and values[row]})
        for row, node_id, degree in best.select("row", "node_id", "degree").iter_rows()
    ]


def _entities(snapshot: Snapshot) -> Entities:
    rows = gathered(snapshot, "entities", ["entity_id", "name", "label", "n_mentions"])
    pairs = gathered(snapshot, "entity_edges", ["source_id", "target_id", "weight"])
    best = pairs.sort("weight", "source_id", "target_id", descending=[True, False, False]).head(HUBS)
    names = dict(rows.filter(pl.col("entity_id").is_in({*best["source_id"], *best["target_id"]})).select("entity_id", "name").iter_rows())
    top = rows.sort("n_mentions", "entity_id", descending=[True, False]).head(HUBS)
    return Entities(
        rows.height,
        pairs.height,
        [(name, label, n) for name, label, n in top.select("name", "label", "n_mentions").iter_rows()],
        [(names.get(a, a), names.get(b, b), round(w)) for a, b, w in best.iter_rows()],
    )
