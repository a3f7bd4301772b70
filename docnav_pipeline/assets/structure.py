"""Assets `tree`, `paragraphs` and `parse_quality`: headings recovered, text cut into evidence units, and how well that went.

One step makes them: a paragraph is a node, and only recovery knows what it repaired.
"""

from collections.abc import Iterable, Mapping

import dagster as dg
import polars as pl

from assets_store import schemas
from assets_store.models.language_model import LanguageModel
from assets_store.store import Store
from docnav_pipeline.assets.common import OWNERS, catalogue, result
from docnav_pipeline.hierarchy.llm_levels import level_model
from docnav_pipeline.hierarchy.overrides import parse_overrides
from docnav_pipeline.hierarchy.recover import recover
from docnav_pipeline.partitions import RUNS_OVER_SHARDS, SHARDS
from docnav_pipeline.progress import Reporter
from docnav_pipeline.resources import StoreResource
from docnav_pipeline.reuse import Refreshed, refresh_part
from docnav_pipeline.stages import STRUCTURE, wanted_structure
from docnav_pipeline.transforms.layout import read_blocks
from docnav_pipeline.transforms.parse_quality import build_parse_quality, doubtful_documents, quality_totals
from docnav_pipeline.transforms.tree import build_tree


@dg.multi_asset(
    specs=[
        dg.AssetSpec(
            "tree",
            deps=["documents", "layout"],
            group_name="structure",
            kinds={"parquet"},
            owners=OWNERS,
            description=schemas.TREE.doc,
            metadata=catalogue(schemas.TREE),
        ),
        dg.AssetSpec(
            "paragraphs",
            deps=["documents", "layout"],
            group_name="text",
            kinds={"parquet"},
            owners=OWNERS,
            description=schemas.PARAGRAPHS.doc,
            metadata=catalogue(schemas.PARAGRAPHS),
        ),
        dg.AssetSpec(
            "parse_quality",
            deps=["documents", "layout"],
            group_name="structure",
            kinds={"parquet"},
            owners=OWNERS,
            description=schemas.PARSE_QUALITY.doc,
            metadata=catalogue(schemas.PARSE_QUALITY),
        ),
    ],
    partitions_def=SHARDS,
    backfill_policy=RUNS_OVER_SHARDS,
    name="build_structure",
)
def build_structure(context: dg.AssetExecutionContext, store: StoreResource) -> Iterable[dg.MaterializeResult[None]]:
    """Recover the heading tree and cut paragraphs."""
    opened = store.open()
    total, llm_calls = refresh_structure(opened, context.partition_keys, store.reporter(context))
    yield result(opened, schemas.TREE, total)
    yield result(opened, schemas.PARAGRAPHS, total)
    quality = opened.read("parse_quality")
    doubtful = dg.MetadataValue.md(doubtful_documents(quality))
    more = {**quality_totals(quality), "most doubtful": doubtful, "llm_calls": llm_calls}
    yield result(opened, schemas.PARSE_QUALITY, total, more)


def refresh_structure(store: Store, shards: Iterable[str], reporter: Reporter) -> tuple[Refreshed, int]:
    """Bring `tree`, `paragraphs` and `parse_quality` of some shards up to date. Returns also the calls of a language model."""
    total, llm_calls = Refreshed(), 0
    keys = {shard: wanted_structure(store, shard) for shard in shards}
    model = level_model(store.settings, store.files)
    with reporter.task("recovering structure", len(keys)) as advance:
        for shard, wanted in keys.items():

            def build(doc_ids: list[str], shard: str = shard) -> Mapping[str, pl.DataFrame]:
                nonlocal llm_calls
                rows = structure_rows(store, shard, model, doc_ids)
                llm_calls += int(rows["parse_quality"]["llm_calls"].sum())
                return rows

            total += refresh_part(store, STRUCTURE.tables, shard, wanted, build, STRUCTURE.maker(store.settings))
            advance(1)
    return total, llm_calls


def structure_rows(store: Store, shard: str, model: LanguageModel | None, doc_ids: list[str]) -> Mapping[str, pl.DataFrame]:
    """Rows of the three tables for some documents of a shard. model: see `recover`."""
    columns = ["doc_id", "title", "overrides", "doc", "n_pages", "pages_without_text"]
    documents = store.read("documents", [shard], columns, doc_ids)
    layout = store.read("layout", [shard], documents=doc_ids).partition_by("doc_id", as_dict=True)
    rows: dict[str, list[pl.DataFrame]] = {"tree": [], "paragraphs": [], "parse_quality": []}
    for row in documents.to_dicts():
        blocks = read_blocks(layout[(row["doc_id"],)])
        overrides = parse_overrides(row["overrides"], f"{row['doc']}.docnav.toml") if row["overrides"] else None
        recovered = recover(blocks, store.settings.hierarchy, overrides, model)
        tree, paragraphs = build_tree(row["doc_id"], row["title"], recovered, store.settings.paragraphs)
        rows["tree"].append(tree)
        rows["paragraphs"].append(paragraphs)
        rows["parse_quality"].append(build_parse_quality(row, recovered, tree))
    return {name: pl.concat(made) for name, made in rows.items()}
