"""Parse quality: one row per document that says how far its tree can be trusted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import polars as pl

from assets_store.rows import empty_rows
from assets_store.schemas import PARSE_QUALITY
from docnav_pipeline.hierarchy.recover import RecoveredHierarchy
from docnav_pipeline.parsing.block import BlockType

_SCHEMA = empty_rows(PARSE_QUALITY, without=["doc_version"]).schema
# Of headings that recovery gives less than this, about a third are wrong (measured where bookmarks are complete).
DOUBTFUL = 0.75
_SUMMED = (
    "n_headings",
    "n_doubtful",
    "n_repaired",
    "n_rejected",
    "n_empty_sections",
    "pages_without_text",
    "n_furniture",
    "n_footnotes",
    "llm_calls",
    "llm_faults",
)


def build_parse_quality(document: Mapping[str, Any], recovered: RecoveredHierarchy, tree: pl.DataFrame) -> pl.DataFrame:
    """Row of `parse_quality` (without doc_version) of one document.

    document: `doc_id`, `n_pages` and `pages_without_text` of its row in `documents`. tree: its rows in `tree`.
    """
    report = recovered.report
    sections = tree.filter(pl.col("kind") == "section")
    root = tree.filter(pl.col("kind") == "document")
    orphans = tree.filter((pl.col("kind") == "paragraph") & pl.col("parent_id").is_in(root["node_id"].implode()))
    total = int(root["n_tokens"].sum())
    types = Counter(block.type for block in recovered.blocks)
    row = {
        "doc_id": document["doc_id"],
        "n_headings": sections.height,
        "n_levels": sections["depth"].n_unique(),
        "evidence": counted(report.by_evidence),
        "confidence": sections["confidence"].mean(),
        "n_doubtful": sections.filter(pl.col("confidence") < DOUBTFUL).height,
        "n_repaired": report.repaired,
        "n_rejected": report.rejected,
        "contents_entries": report.contents_entries,
        "contents_matched": report.contents_matched,
        "n_empty_sections": sections.filter(pl.col("n_tokens") == 0).height,
        "orphan_share": int(orphans["n_tokens"].sum()) / total if total else 0.0,
        "n_pages": document["n_pages"],
        "pages_without_text": len(document["pages_without_text"]),
        "n_furniture": types[BlockType.FURNITURE],
        "n_footnotes": types[BlockType.FOOTNOTE],
        "llm_calls": report.llm_calls,
        "prompt_tokens": report.prompt_tokens,
        "completion_tokens": report.completion_tokens,
        "llm_faults": len(report.llm_faults),
        "unmatched_overrides": list(report.unmatched_overrides),
    }
    return pl.DataFrame([row], schema=_SCHEMA)


def counted(counts: Mapping[str, int]) -> list[dict[str, Any]]:
    """Counts as rows, most first, equal ones by name."""
    return [{"kind": kind, "count": n} for kind, n in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


def quality_totals(quality: pl.DataFrame) -> dict[str, Any]:
    """What Dagster shows of `parse_quality`: sums over its documents, and headings by evidence."""
    evidence: Counter[str] = Counter()
    for counts in quality["evidence"].to_list():
        evidence.update({entry["kind"]: entry["count"] for entry in counts})
    named = [(name.removeprefix("n_").replace("_", " "), int(quality[name].sum())) for name in _SUMMED]
    return {
        **dict(named),
        **{f"headings by {kind}": n for kind, n in sorted(evidence.items())},
        "documents without headings": quality.filter(pl.col("n_headings") == 0).height,
    }


def doubtful_documents(quality: pl.DataFrame, n: int = 10) -> str:
    """The documents to look at first, as a Markdown table: lowest confidence, then most text outside sections. Ids only, no text."""
    columns = ("doc_id", "n_headings", "confidence", "orphan_share", "pages_without_text")
    rows = quality.sort(pl.col("confidence").fill_null(0.0), pl.col("orphan_share"), "doc_id", descending=[False, True, False])
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    for doc_id, headings, confidence, orphans, pages in rows.head(n).select(columns).iter_rows():
        lines.append(f"| {doc_id} | {headings} | {'' if confidence is None else f'{confidence:.2f}'} | {orphans:.0%} | {pages} |")
    return "\n".join(lines)
