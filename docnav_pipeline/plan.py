"""What the next `docnav index` would do and cost, found without doing it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from assets_store.models.usage import Spending, Usage
from assets_store.settings import Settings
from assets_store.store import Store
from docnav_pipeline.corpus import Listing
from docnav_pipeline.hierarchy.llm_levels import BATCH
from docnav_pipeline.plan_profiles import planned_profiles
from docnav_pipeline.stages import SHARD_STAGES, ShardStage, document_key, retried_documents, unfinished_documents, wanted
from docnav_pipeline.transforms.documents import RETRIED

# Bytes of a source file per paragraph, where no document of its media type is known yet: about 300 tokens of plain text.
_BYTES_PER_PARAGRAPH = 1500.0
_HEADINGS_PER_PARAGRAPH = 0.3
# Tokens that one heading takes in a prompt and in a reply, and those of the instructions, as `assets_store.tokens` counts.
_PROMPT_PER_HEADING, _REPLY_PER_HEADING, _INSTRUCTIONS = 20, 10, 220


@dataclass(frozen=True, slots=True)
class StagePlan:
    """What one stage would make anew. paragraphs: of those documents, counted where they are known and estimated where not."""

    stage: str
    documents: int
    paragraphs: int


@dataclass(frozen=True, slots=True)
class Plan:
    """added, changed, removed: documents. stages: those with something to do. estimated: documents whose paragraphs are a guess.

    encode: paragraphs that the encoder would read at most; texts that stay as they are keep their vectors. profiles: scopes that a
    language model would be asked about: at most in known documents, estimated in new ones. llm_calls, prompt_tokens,
    completion_tokens: of a language model, estimated, under the caps of `profiles`. cost: in the currency of the prices in `llm`.
    """

    added: int
    changed: int
    removed: int
    stages: tuple[StagePlan, ...]
    estimated: int
    encode: int
    profiles: int
    llm_calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def make_plan(store: Store, listing: Listing) -> Plan:
    """The plan for a corpus as it was just listed. Reads keys and counts only, no text and no vector."""
    sizes = _paragraph_counts(store)
    guesses = _Guess(store, listing, sizes)
    totals: dict[str, tuple[int, int]] = {}
    stale_of: dict[str, set[str]] = {}
    for stage in SHARD_STAGES:
        stale = _stale(store, listing, stage, stale_of)
        stale_of[stage.name] = stale
        totals[stage.name] = (len(stale), round(sum(guesses.paragraphs(doc_id) for doc_id in stale)))
    stages = tuple(StagePlan(name, *counts) for name, counts in totals.items() if counts[0])
    calls, headings = _asked(store, stale_of["structure"], guesses)
    levels = Usage(calls, headings * _PROMPT_PER_HEADING + calls * _INSTRUCTIONS, headings * _REPLY_PER_HEADING)
    scopes, written = planned_profiles(store, stale_of["routing_profiles"], stale_of["structure"], guesses.paragraphs)
    asked = levels + written
    return Plan(
        len(listing.changes.added),
        len(listing.changes.changed),
        len(listing.changes.removed),
        stages,
        guesses.n_guessed,
        totals["embeddings"][1],
        scopes,
        asked.llm_calls,
        asked.prompt_tokens,
        asked.completion_tokens,
        round(_price(asked, store.settings), 4),
    )


def _price(usage: Usage, settings: Settings) -> float:
    return Spending(prompt_price=settings.llm.prompt_price, completion_price=settings.llm.completion_price).cost(usage)


def _stale(store: Store, listing: Listing, stage: ShardStage, stale_of: dict[str, set[str]]) -> set[str]:
    """Documents that a stage would build: those that a stage before builds, and those whose own key is another one."""
    found: set[str] = set()
    if not stage.is_on(store.settings):
        return found
    if stage.name == "documents":
        held = {d: key for shard in store.shard_keys for d, key in store.provenance("documents", shard).inputs.items()}
        other = {d: source for d, source in listing.sources.items() if held.get(d) != document_key(source, store)}
        # As `wanted_documents` has it: what cannot be reached now keeps the rows that it has.
        found = {d for d, source in other.items() if d not in held or source.path.exists()}
        return found | {d for shard in store.shard_keys for d in retried_documents(store, shard)} & listing.sources.keys()
    makers = {spec.name: made.name for made in SHARD_STAGES for spec in made.tables}
    for table in stage.before:
        found |= stale_of[makers[table]]
    for shard in store.shard_keys:
        keys = wanted(stage, store, shard)
        held_keys = [store.provenance(spec.name, shard).inputs for spec in stage.tables]
        found |= {d for d, key in keys.items() if any(inputs.get(d) != key for inputs in held_keys)}
        if stage.name == "routing_profiles":
            found |= unfinished_documents(store, shard)
    unusable = _unusable(store) - stale_of["documents"]
    return {d for d in found if d in listing.sources and d not in unusable}


def _unusable(store: Store) -> set[str]:
    """Documents without text: later stages have nothing to do with them unless they are parsed anew."""
    rows = store.read("documents", columns=["doc_id", "status"])
    return set(rows.filter((pl.col("status") != "ok") & ~pl.col("status").is_in(RETRIED))["doc_id"])


def _paragraph_counts(store: Store) -> dict[str, int]:
    return dict(store.read("paragraphs", columns=["doc_id"]).group_by("doc_id").len().iter_rows())


class _Guess:
    """Paragraphs of a document: as many as it has now, or as many as its size and kind let expect. n_guessed: new or changed ones."""

    def __init__(self, store: Store, listing: Listing, sizes: dict[str, int]) -> None:
        known = store.read("documents", columns=["doc_id", "media_type", "bytes"])
        known = known.join(
            pl.DataFrame({"doc_id": list(sizes), "n": list(sizes.values())}, schema={"doc_id": pl.String, "n": pl.Int64}), on="doc_id"
        )
        rates = known.group_by("media_type").agg(rate=pl.col("bytes").sum() / pl.col("n").sum())
        self._rates: dict[str, float] = dict(rates.iter_rows())
        self._sizes, self._sources = sizes, listing.sources
        self.n_guessed = len(listing.changes.added) + len(listing.changes.changed)

    def paragraphs(self, doc_id: str) -> float:
        if doc_id in self._sizes:
            return self._sizes[doc_id]
        source = self._sources[doc_id]
        return max(1.0, source.bytes / self._rates.get(source.media_type, _BYTES_PER_PARAGRAPH))


def _asked(store: Store, stale: set[str], guesses: _Guess) -> tuple[int, int]:
    """Calls and headings for the levels of doubtful documents; none where `hierarchy.llm_levels` is off."""
    settings: Settings = store.settings
    if not settings.hierarchy.llm_levels:
        return 0, 0
    quality = store.read("parse_quality", columns=["doc_id", "n_headings", "confidence"])
    known = {doc_id: (n, confidence) for doc_id, n, confidence in quality.iter_rows()}
    calls = headings = 0
    for doc_id in sorted(stale):
        n, confidence = known.get(doc_id, (round(guesses.paragraphs(doc_id) * _HEADINGS_PER_PARAGRAPH), 0.0))
        if n and (confidence or 0.0) < settings.hierarchy.llm_below:
            calls += -(-n // BATCH)
            headings += n
    return calls, headings
