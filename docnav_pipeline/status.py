"""Status of a store: every document with what became of it, counts, and the current snapshot."""

from __future__ import annotations

from typing import Any

import polars as pl

from assets_store.schemas import PARSE_QUALITY
from assets_store.snapshot import Snapshot
from assets_store.store import Store
from docnav_pipeline.transforms.documents import FAILED

_SHOWN = (
    "doc_id",
    "doc",
    "uri",
    "root",
    "kb",
    "product_version",
    "title",
    "language",
    "media_type",
    "status",
    "reason",
    "bytes",
    "parser",
    "warnings",
)


def status_of(store: Store) -> dict[str, Any]:
    """`{"documents", "counts", "routing_profiles", "snapshot", "store"}` of the current snapshot; NoStore before the first one."""
    snapshot = store.snapshot()
    documents = snapshot.read("documents")
    units = snapshot.read("paragraphs", ["doc_id"]).group_by("doc_id").len("paragraphs")
    sections = snapshot.read("tree", ["doc_id", "kind"]).filter(pl.col("kind") == "section").group_by("doc_id").len("sections")
    rows = documents.join(units, on="doc_id", how="left").join(sections, on="doc_id", how="left").sort("root", "uri")
    quality = {row["doc_id"]: _quality(row) for row in snapshot.read("parse_quality").to_dicts()}
    return {
        "documents": [
            {
                **{name: row[name] for name in _SHOWN},
                "pages": row["n_pages"],
                "pages_without_text": row["pages_without_text"],
                "paragraphs": row["paragraphs"] or 0,
                "sections": row["sections"] or 0,
                "quality": quality.get(row["doc_id"]),
            }
            for row in rows.to_dicts()
        ],
        "counts": {row["status"]: row["count"] for row in documents["status"].value_counts().sort("status").to_dicts()},
        "routing_profiles": _routing(snapshot),
        "snapshot": {key: snapshot.manifest[key] for key in ("id", "parent", "created", "counts", "models")},
        "store": {"location": store.location, "profile": store.settings.profile, "shards": store.settings.shards, **_counter(store)},
    }


def failed_documents(status: dict[str, Any]) -> list[dict[str, str]]:
    """Documents that people must hear of: everything but `ok` and `unsupported`."""
    return [{k: d[k] for k in ("doc", "uri", "status", "reason")} for d in status["documents"] if d["status"] in FAILED]


def _quality(row: dict[str, Any]) -> dict[str, Any]:
    """The parse-quality report of one document: its row without ids, headings by evidence as an object."""
    values = {name: row[name] for name in PARSE_QUALITY.names if name not in ("doc_id", "doc_version", "n_pages", "pages_without_text")}
    return {**values, "evidence": {entry["kind"]: entry["count"] for entry in row["evidence"]}}


def _routing(snapshot: Snapshot) -> dict[str, Any]:
    """How the routing profiles were made: counts by `made_by`, and the tokens that the language model took for them."""
    rows = snapshot.read("routing_profiles", ["made_by", "prompt_tokens", "completion_tokens"])
    made_by = {row["made_by"]: row["count"] for row in rows["made_by"].value_counts().sort("made_by").to_dicts()}
    return {"made_by": made_by, **{name: int(rows[name].sum()) for name in ("prompt_tokens", "completion_tokens")}}


def _counter(store: Store) -> dict[str, Any]:
    return {"token_counter": store.facts["token_counter"], "schema_version": store.facts["schema_version"]}
