"""Code versions of assets: what a change of code or of a setting makes stale in the Dagster UI.

Dagster compares the version that an asset was made with with the one of the definitions, asset by asset. A version here covers the stages
before too, so that all that hangs on a setting is stale at once and nothing else, as the keys of `stages` have it.
"""

from __future__ import annotations

import json
from typing import Any

from assets_store.errors import ModelError
from assets_store.ids import content_hash
from assets_store.settings import Settings
from docnav_pipeline.parsing.media import SUPPORTED
from docnav_pipeline.parsing.parse import parser_fingerprint
from docnav_pipeline.stages import CORPUS_STAGES, SEARCH_INDEXES, SHARD_STAGES, CorpusStage, ShardStage


def code_versions(settings: Settings) -> dict[str, str]:
    """Asset -> hash of code, settings and models of its stage and of all stages before it."""
    versions: dict[str, str] = {}
    for stage in (*SHARD_STAGES, *CORPUS_STAGES, SEARCH_INDEXES):
        own = json.dumps([_maker(stage, settings), *(versions[name] for name in stage.before)], sort_keys=True)
        versions |= dict.fromkeys([spec.name for spec in stage.tables] or [stage.name], content_hash(own, length=16))
    versions["snapshot"] = content_hash(*versions.values(), length=16)
    versions["graph_report"] = versions["snapshot"]
    return versions


def _maker(stage: ShardStage | CorpusStage, settings: Settings) -> Any:
    if stage.name == "documents":  # each document's key holds the parser of its media type
        return [stage.code, *(parser_fingerprint(media_type, settings.parsing) for media_type in sorted(SUPPORTED))]
    if isinstance(stage, ShardStage) and not stage.is_on(settings):
        return [stage.code, "off"]
    try:
        return stage.maker(settings)
    except ModelError:  # definitions load without their models; only runs need them
        return [stage.code, settings.embeddings.model, settings.features.ner_model]
