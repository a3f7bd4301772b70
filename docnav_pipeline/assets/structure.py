"""Assets `tree` and `paragraphs`: headings recovered, text cut into evidence units. One step makes both: a paragraph is a node."""

from collections import Counter
from collections.abc import Iterable, Mapping

import dagster as dg
import polars as pl

from assets_store import schemas
from assets_store.store import Store
from docnav_pipeline.assets.common import OWNERS, by_document, catalogue, result
from docnav_pipeline.hierarchy.overrides import parse_overrides
from docnav_pipeline.hierarchy.recover import recover
from docnav_pipeline.partitions import SHARDS
from docnav_pipeline.progress import Reporter
from docnav_pipeline.resources import StoreResource
from docnav_pipeline.reuse import Refreshed, refresh_part
from docnav_pipeline.stages import STRUCTURE, wanted_structure
from docnav_pipeline.transforms.layout import read_blocks
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
    ],
    partitions_def=SHARDS,
    backfill_policy=dg.BackfillPolicy.single_run(),
    name="build_structure",
)
def build_structure(context: dg.AssetExecutionContext, store: StoreResource) -> Iterable[dg.MaterializeResult[None]]:
    """Recover the heading tree and cut paragraphs."""
    opened = store.open()
    total, evidence = refresh_structure(opened, context.partition_keys, store.reporter(context))
    yield result(opened, schemas.TREE, total, {f"headings by {name}": n for name, n in sorted(evidence.items())})
    yield result(opened, schemas.PARAGRAPHS, total)


def refresh_structure(store: Store, shards: Iterable[str], reporter: Reporter) -> tuple[Refreshed, Counter[str]]:
    """Bring `tree` and `paragraphs` of some shards up to date. Returns also the new headings by their strongest evidence."""
    total, evidence = Refreshed(), Counter[str]()
    keys = {shard: wanted_structure(store, shard) for shard in shards}
    with reporter.task("recovering structure", len(keys)) as advance:
        for shard, wanted in keys.items():

            def build(doc_ids: list[str], shard: str = shard) -> Mapping[str, pl.DataFrame]:
                rows, counts = structure_rows(store, shard, doc_ids)
                evidence.update(counts)
                return rows

            total += refresh_part(store, STRUCTURE.tables, shard, wanted, build, STRUCTURE.maker(store.settings))
            advance(1)
    return total, evidence


def structure_rows(store: Store, shard: str, doc_ids: list[str]) -> tuple[dict[str, pl.DataFrame], Counter[str]]:
    """Rows of `tree` and `paragraphs` of some documents of a shard, and their headings by evidence."""
    documents = by_document(store.read("documents", [shard], ["doc_id", "title", "overrides", "doc"]), doc_ids)
    layout = by_document(store.read("layout", [shard]), doc_ids).partition_by("doc_id", as_dict=True)
    evidence: Counter[str] = Counter()
    trees, units = [], []
    for row in documents.to_dicts():
        blocks = read_blocks(layout[(row["doc_id"],)])
        overrides = parse_overrides(row["overrides"], f"{row['doc']}.docnav.toml") if row["overrides"] else None
        recovered = recover(blocks, store.settings.hierarchy, overrides)
        evidence.update(recovered.report.by_evidence)
        tree, paragraphs = build_tree(row["doc_id"], row["title"], recovered, store.settings.paragraphs, store.settings.profiles)
        trees.append(tree)
        units.append(paragraphs)
    return {"tree": pl.concat(trees), "paragraphs": pl.concat(units)}, evidence
