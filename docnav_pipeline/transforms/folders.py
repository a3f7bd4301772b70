"""Folders as the levels above documents: their titles, from their index pages or their names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

import polars as pl

from assets_store.ids import split_uri

# Stems of the file that speaks for its folder, best first.
INDEX_STEMS = ("index", "_index", "readme", "default")

Place = tuple[str, str, str, str]
"""root, kb, product version, path of a folder below the root ("" for the root itself)."""


def with_folders(documents: pl.DataFrame) -> pl.DataFrame:
    """Documents with the column `folders`: titles of the folders that hold each, from the registered root down.

    documents: uri, root, kb, product_version, title. A folder has the title of its index page (`index.md`, `README.md`, ...), or
    else its name. An index page stands for its folder, so that this is not among its own folders.
    """
    rows = list(documents.select("uri", "root", "kb", "product_version", "title").iter_rows())
    titles = folder_titles(((root, kb, version), uri, title) for uri, root, kb, version, title in rows)
    folders = [_above(titles, (root, kb, version), split_uri(uri)[0]) for uri, root, kb, version, _ in rows]
    return documents.with_columns(pl.Series("folders", folders, dtype=pl.List(pl.String)))


def folder_titles(documents: Iterable[tuple[tuple[str, str, str], str, str]]) -> Mapping[Place, str]:
    """Title of each folder that has an index page. documents: ((root, kb, product version), uri, title)."""
    best: dict[Place, tuple[int, str, str]] = {}
    for home, uri, title in documents:
        path, fragment = split_uri(uri)
        stem = PurePosixPath(path).stem.lower()
        if stem not in INDEX_STEMS or fragment or not title.strip() or title.lower() == stem:
            continue
        place = (*home, _folder_of(path))
        rank = (INDEX_STEMS.index(stem), uri, title)
        if place not in best or rank < best[place]:
            best[place] = rank
    return {place: " ".join(title.split()) for place, (_, _, title) in best.items()}


def is_index_page(path: str) -> bool:
    """Whether a file speaks for the folder it is in."""
    return PurePosixPath(path).stem.lower() in INDEX_STEMS


def _above(titles: Mapping[Place, str], home: tuple[str, str, str], path: str) -> list[str]:
    parts = PurePosixPath(path).parts[:-1]
    shown = parts[:-1] if is_index_page(path) and (*home, _folder_of(path)) in titles else parts
    return [titles.get((*home, "/".join(parts[: n + 1])), name) for n, name in enumerate(shown)]


def _folder_of(path: str) -> str:
    folder = PurePosixPath(path).parent.as_posix()
    return "" if folder == "." else folder
