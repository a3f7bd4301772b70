"""Stages: what each table is made from, and the key that says whether it is still good.

A stage by shard gives each document a key, the hash of stage, code version, settings and the keys of the stages before; a
corpus stage compares the files it read. `code` is raised by hand whenever the code gives other rows for the same input; it is
the Dagster code version too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from assets_store import schemas
from assets_store.ids import content_hash
from assets_store.schemas import TableSpec
from assets_store.settings import Settings
from assets_store.store import CORPUS_PART, Store
from docnav_pipeline.corpus import read_corpus
from docnav_pipeline.hierarchy.llm_levels import PROMPT_VERSION
from docnav_pipeline.parsing.parse import parser_fingerprint
from docnav_pipeline.reuse import is_up_to_date, stale_documents
from docnav_pipeline.sources import SourceFile
from docnav_pipeline.transforms.documents import RETRIED
from docnav_pipeline.transforms.routing_profiles_input import PROMPT_VERSION as PROFILE_PROMPT_VERSION
from docnav_pipeline.transforms.routing_profiles_input import UNFINISHED


@dataclass(frozen=True, slots=True)
class ShardStage:
    """A stage whose tables are kept by shard. before: tables whose keys go into its own. is_on: whether its tables are filled at all."""

    name: str
    tables: tuple[TableSpec, ...]
    code: str
    settings: Callable[[Settings], Any]
    before: tuple[str, ...]
    is_on: Callable[[Settings], bool] = lambda settings: True

    def maker(self, settings: Settings) -> dict[str, Any]:
        """What is written into the provenance of a part."""
        return {"stage": self.name, "code": self.code, "settings": self.settings(settings)}

    def keys(self, store: Store, shard: str) -> dict[str, str]:
        """doc_id -> key of every document that the stage's tables should hold."""
        if not self.is_on(store.settings):
            return {}
        own = json.dumps(self.maker(store.settings), sort_keys=True)
        inputs = [store.provenance(table, shard).inputs for table in self.before]
        return {
            doc_id: content_hash(own, *(i[doc_id] for i in inputs), length=16) for doc_id in inputs[0] if all(doc_id in i for i in inputs)
        }


@dataclass(frozen=True, slots=True)
class CorpusStage:
    """A stage that reads whole tables. before: the tables it reads."""

    name: str
    tables: tuple[TableSpec, ...]
    code: str
    settings: Callable[[Settings], Any]
    before: tuple[str, ...]

    def maker(self, settings: Settings) -> dict[str, Any]:
        return {"stage": self.name, "code": self.code, "settings": self.settings(settings)}

    def inputs(self, store: Store, shard: str | None = None) -> dict[str, str]:
        """ "table/part" -> file of everything it reads, of one shard or of all, and its own maker."""
        files = {f"{t}/{part.name}": part.file for t in self.before for part in store.heads(t) if shard is None or part.name == shard}
        return {**files, "maker": content_hash(json.dumps(self.maker(store.settings), sort_keys=True), length=16)}

    def is_stale(self, store: Store) -> bool:
        """Whether a whole-corpus part of its tables was made from other files, code or settings."""
        wanted = self.inputs(store)
        return any(store.provenance(spec.name, CORPUS_PART).inputs != wanted for spec in self.tables)


def _encoder(settings: Settings) -> Any:
    from assets_store.models.encoder import encoder_id

    return encoder_id(settings.embeddings.model)


def _recognizer(settings: Settings) -> Any:
    from assets_store.models.entities import recognizer_id

    return recognizer_id(settings.features.ner_model)


def _recovery(settings: Settings) -> list[Any]:
    """What decides headings: the language model only where it is asked."""
    hierarchy = settings.hierarchy
    if hierarchy.llm_levels:
        return [hierarchy.model_dump(), settings.llm.model, PROMPT_VERSION]
    return [hierarchy.model_dump(exclude={"llm_levels", "llm_below"})]


def _routing(settings: Settings) -> list[Any]:
    """What decides routing profiles: the language model only where it is asked; what a run may spend decides no profile."""
    profiles = settings.profiles
    model = [settings.llm.model, PROFILE_PROMPT_VERSION, profiles.input_tokens, profiles.output_tokens]
    return [profiles.summary_sentences, *(model if profiles.routing == "llm" else [])]


DOCUMENTS = ShardStage("documents", (schemas.DOCUMENTS, schemas.LAYOUT), "1", lambda s: None, ())
STRUCTURE = ShardStage(
    "structure",
    (schemas.TREE, schemas.PARAGRAPHS, schemas.PARSE_QUALITY),
    "8",
    lambda s: [*_recovery(s), s.paragraphs.model_dump()],
    ("layout",),
)
FEATURES = ShardStage(
    "features",
    (schemas.FEATURES,),
    "2",
    lambda s: [s.features.model_dump(exclude={"ner_batch_size", "ner_model"}), _recognizer(s)],
    ("paragraphs",),
)
EMBEDDINGS = ShardStage("embeddings", (schemas.EMBEDDINGS,), "1", _encoder, ("paragraphs",))
PROFILES = ShardStage(
    "profiles",
    (schemas.PROFILES,),
    "2",
    lambda s: [s.profiles.pooling, s.profiles.max_terms, s.profiles.tau_h, s.profiles.tau_l],
    ("tree", "features", "embeddings"),
)
ROUTING_PROFILES = ShardStage("routing_profiles", (schemas.ROUTING_PROFILES,), "2", _routing, ("profiles",))
SUMMARIES = ShardStage(
    "summaries", (schemas.SUMMARIES,), "1", lambda s: [s.profiles.summary_sentences], ("profiles",), is_on=lambda s: s.graph.summaries
)
SHARD_STAGES = (DOCUMENTS, STRUCTURE, FEATURES, EMBEDDINGS, PROFILES, ROUTING_PROFILES, SUMMARIES)

LATERAL_EDGES = CorpusStage(
    "lateral_edges",
    (schemas.LATERAL_EDGES,),
    "4",
    lambda s: s.edges.model_dump(),
    ("documents", "layout", "tree", "paragraphs", "features", "profiles"),
)
ENTITIES = CorpusStage("entities", (schemas.ENTITIES,), "1", lambda s: None, ("features",))
ENTITY_EDGES = CorpusStage("entity_edges", (schemas.ENTITY_EDGES,), "1", lambda s: None, ("entities",))
COMMUNITIES = CorpusStage(
    "communities", (schemas.COMMUNITIES,), "3", lambda s: s.communities.model_dump(), ("documents", "tree", "profiles", "lateral_edges")
)
SEARCH_INDEXES = CorpusStage(
    "search_indexes",
    (),
    "6",
    lambda s: s.search.model_dump(include={"bm25_k1", "bm25_b", "ann_rows"}),
    ("documents", "tree", "paragraphs", "embeddings", "profiles", "routing_profiles", "lateral_edges", "communities"),
)
CORPUS_STAGES = (LATERAL_EDGES, ENTITIES, ENTITY_EDGES, COMMUNITIES)


def document_key(source: SourceFile, store: Store) -> str:
    """Key of a source file: its identity, content, and the parser that reads it. Looks at no file."""
    parser = parser_fingerprint(source.media_type, store.settings.parsing)
    identity = (source.doc, source.uri, source.root, source.kb, source.product_version, *source.access_labels)
    content = (source.sha256, parser, source.overrides, source.fault)
    return content_hash(DOCUMENTS.name, DOCUMENTS.code, *content, *identity, length=16)


def wanted_documents(store: Store, shard: str) -> dict[str, str]:
    """doc_id -> key of every source file of a shard.

    A file that cannot be reached now, because its disk is away, keeps the key and so the rows that it has: only a listing of
    its root says that it is gone.
    """
    held = store.provenance("documents", shard).inputs
    keys = {doc_id: (document_key(source, store), source) for doc_id, source in read_corpus(store, shard).items()}
    return {d: held[d] if d in held and held[d] != key and not source.path.exists() else key for d, (key, source) in keys.items()}


def wanted_structure(store: Store, shard: str) -> dict[str, str]:
    """doc_id -> key of every document of a shard that has text."""
    rows = store.read("documents", [shard], ["doc_id", "status"])
    good = set(rows.filter(pl.col("status") == "ok")["doc_id"])
    return {doc_id: key for doc_id, key in STRUCTURE.keys(store, shard).items() if doc_id in good}


def wanted(stage: ShardStage, store: Store, shard: str) -> dict[str, str]:
    """doc_id -> key of what a stage should hold for a shard."""
    special: Mapping[str, Callable[[Store, str], dict[str, str]]] = {"documents": wanted_documents, "structure": wanted_structure}
    return special[stage.name](store, shard) if stage.name in special else stage.keys(store, shard)


def retried_documents(store: Store, shard: str) -> set[str]:
    """Documents of a shard that failed for a reason that a second try may not meet, and whose file can be reached."""
    rows = store.read("documents", [shard], ["doc_id", "status"])
    failed = set(rows.filter(pl.col("status").is_in(RETRIED))["doc_id"])
    return (
        {doc_id for doc_id, source in read_corpus(store, shard).items() if doc_id in failed and source.path.exists()} if failed else set()
    )


def unfinished_documents(store: Store, shard: str) -> set[str]:
    """Documents of a shard with routing profiles that the budget of a run has left for a later one."""
    if store.settings.profiles.routing != "llm":
        return set()
    rows = store.read("routing_profiles", [shard], ["doc_id", "made_by"])
    return set(rows.filter(pl.col("made_by") == UNFINISHED)["doc_id"])


def stale_shards(store: Store) -> list[str]:
    """Shards of which some stage must run, in order."""
    found = []
    for shard in store.shard_keys:
        if retried_documents(store, shard) or unfinished_documents(store, shard):
            found.append(shard)
            continue
        for stage in SHARD_STAGES:
            todo, gone = stale_documents(store, stage.tables, shard, wanted(stage, store, shard))
            if todo or gone or not is_up_to_date(store, stage.tables, shard, stage.maker(store.settings)):
                found.append(shard)
                break
    return found


def lagging(store: Store) -> list[str]:
    """Tables and shards that do not fit the tables before them, as `table/shard` or `table`: with them there is no consistent version."""
    shards = [
        f"{stage.name}/{shard}"
        for stage in SHARD_STAGES[1:]
        for shard in store.shard_keys
        if any(stale_documents(store, stage.tables, shard, wanted(stage, store, shard)))
    ]
    return [*shards, *(stage.name for stage in CORPUS_STAGES if stage.is_stale(store))]


def is_corpus_stale(store: Store) -> bool:
    """Whether a corpus stage, the search indexes or the snapshot lag behind the tables by shard."""
    if any(stage.is_stale(store) for stage in CORPUS_STAGES):
        return True
    current = store.log.current_id()
    return current is None or not store.matches(store.log.open(current))


def index_name(store: Store) -> str:
    """Name of the folder of search indexes that fit the working state."""
    return content_hash(json.dumps(SEARCH_INDEXES.inputs(store), sort_keys=True), length=32)
