"""Features of paragraphs: entities, keywords, citation mentions and cross-references."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from assets_store.models.entities import Entity, EntityRecognizer
from assets_store.rows import empty_rows
from assets_store.schemas import FEATURES
from assets_store.settings import FeatureSettings
from docnav_pipeline.transforms.citations import find_citations
from docnav_pipeline.transforms.identifiers import acronym_name, count_acronyms, find_acronyms, find_identifiers
from docnav_pipeline.transforms.keywords import count_keywords, stop_words
from docnav_pipeline.transforms.references import find_cross_references, is_unit_name

_SCHEMA = empty_rows(FEATURES, without=["doc_version"]).schema
# Characters of one paragraph that are looked at; paragraphs stay far below, a hostile table must not take minutes.
_MAX_CHARACTERS = 50_000
_ANY_LANGUAGE = "xx"


def build_features(
    paragraphs: pl.DataFrame,
    languages: Mapping[str, str | None],
    recognizer: EntityRecognizer | None,
    settings: FeatureSettings,
    progress: Callable[[int], None] | None = None,
) -> pl.DataFrame:
    """Rows of `features` (without doc_version), one per paragraph, in the order given.

    paragraphs: doc_id, paragraph_id, kind, text; all paragraphs of a document together, because an acronym that one of them
        explains is looked for in all of them.
    languages: doc_id -> ISO 639-1 code, None where unknown. Texts in another language than the recognizer's get no `ner` entities.
    recognizer: None leaves out `ner` entities.
    progress: called with the number of paragraphs finished since its last call.

    Of a paragraph over 50,000 characters only the beginning is looked at.
    """
    doc_ids: list[str] = paragraphs["doc_id"].to_list()
    texts = [text[:_MAX_CHARACTERS] for text in paragraphs["text"]]
    recognised = _recognise(texts, [languages.get(doc_id) for doc_id in doc_ids], recognizer, progress)
    acronyms: dict[str, dict[str, str]] = {}
    for doc_id, text in zip(doc_ids, texts, strict=True):
        known = acronyms.setdefault(doc_id, {})
        for short, long in find_acronyms(text).items():
            known.setdefault(short, long)
    rows: list[dict[str, Any]] = []
    for doc_id, paragraph_id, kind, text, entities in zip(
        doc_ids, paragraphs["paragraph_id"], paragraphs["kind"], texts, recognised, strict=True
    ):
        is_code = kind == "code"
        rows.append(
            {
                "doc_id": doc_id,
                "paragraph_id": paragraph_id,
                "entities": merge_entities(entities, find_identifiers(text), acronyms[doc_id], text)[: settings.max_entities],
                "keywords": [
                    {"term": term, "count": count} for term, count in count_keywords(text, languages.get(doc_id), settings.max_keywords)
                ],
                # Brackets in a listing index an array.
                "citations": [] if is_code else find_citations(text),
                "cross_references": [
                    {"text": found.text, "kind": found.kind, "target": found.target} for found in find_cross_references(text) if not is_code
                ],
            }
        )
    return pl.DataFrame(rows, schema=_SCHEMA)


def merge_entities(
    recognised: Sequence[Entity], identifiers: Counter[tuple[str, str]], acronyms: Mapping[str, str], text: str
) -> list[dict[str, Any]]:
    """Entities of one text from all sources, most mentions first, then by name, each name once.

    A name that is both recognised and an identifier is an identifier; "Fig" and "Table 3" are no names. The short and the long form of an
    explained acronym become one entity "Long form (SHORT)", which keeps a recognised label.
    """
    merged: dict[str, dict[str, Any]] = {}

    def add(name: str, label: str, source: str, count: int) -> None:
        entity = merged.setdefault(name.casefold(), {"text": name, "label": label, "source": source, "count": count})
        entity["count"] = max(entity["count"], count)

    forms: dict[str, str] = {}
    counts = count_acronyms(text, acronyms.items())
    for short, long in acronyms.items():
        forms[short.casefold()] = forms[long.casefold()] = acronym_name(short, long)
    labels = {forms[e.text.casefold()]: e.label for e in reversed(recognised) if e.text.casefold() in forms}
    for name, count in counts.items():
        add(name, labels.get(name, "ACRONYM"), "acronym", count)
    for (name, label), count in identifiers.items():
        if forms.get(name.casefold()) not in counts:
            add(name, label, "identifier", count)
    for entity in recognised:
        name = entity.text
        named = any(c.isalpha() for c in name) and not is_unit_name(name) and (name.isupper() or name.casefold() not in stop_words(None))
        if named and forms.get(entity.text.casefold()) not in counts:
            add(entity.text, entity.label, "ner", entity.count)
    return sorted(merged.values(), key=lambda e: (-e["count"], e["text"]))


def _recognise(
    texts: Sequence[str], languages: Sequence[str | None], recognizer: EntityRecognizer | None, progress: Callable[[int], None] | None
) -> list[list[Entity]]:
    """Entities of each text; equal texts are read once."""
    if recognizer is None:
        read = [False] * len(texts)
    elif recognizer.language == _ANY_LANGUAGE:
        read = [True] * len(texts)
    else:
        read = [_base(code) in (None, recognizer.language) for code in languages]
    wanted = list(dict.fromkeys(text for text, is_read in zip(texts, read, strict=True) if is_read))
    found = dict(zip(wanted, recognizer.recognize(wanted, progress), strict=True)) if recognizer is not None and wanted else {}
    if progress is not None and len(wanted) < len(texts):
        progress(len(texts) - len(wanted))
    return [found[text] if is_read else [] for text, is_read in zip(texts, read, strict=True)]


def _base(language: str | None) -> str | None:
    return language.replace("_", "-").partition("-")[0].lower() if language else None
