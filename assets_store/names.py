"""Names of documents as people write them: file name, stem, relative path, or doc_id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import PurePosixPath

from assets_store.errors import UnknownDocument
from assets_store.ids import split_uri


def document_names(doc_id: str, doc: str, uri: str) -> set[str]:
    """All names of one document.

    The id of a JSONL line is a name as a whole ("paper-1.2" has no suffix ".2"), and its file names all its lines.
    """
    path, fragment = split_uri(uri)
    file = PurePosixPath(path)
    return {doc_id, doc, uri, path, file.name, file.stem, *(() if fragment is not None else (str(file.with_suffix("")),))}


def name_index(documents: Iterable[tuple[str, str, str]]) -> dict[str, list[str]]:
    """name -> doc_ids, for (doc_id, doc, uri) triples; names as written and without case."""
    index: dict[str, list[str]] = {}
    for doc_id, doc, uri in documents:
        names = document_names(doc_id, doc, uri)
        for name in names | {n.casefold() for n in names}:
            index.setdefault(name, []).append(doc_id)
    return index


def find_documents(index: Mapping[str, list[str]], name: str, place: str) -> list[str]:
    """doc_ids of all documents that a name matches, exact before without case.

    place: where was looked, for the message. Raises UnknownDocument naming the nearest.
    """
    wanted = name.removesuffix("/").removeprefix("./")
    found = index.get(wanted) or index.get(wanted.casefold())
    if not found:
        near = get_close_matches(name, index, n=3, cutoff=0.5)
        hint = f"nearest: {', '.join(map(repr, near))}" if near else f"{len(set().union(*index.values()))} documents are there"
        raise UnknownDocument(f"no document {name!r} in {place} ({hint}). `docnav status` lists the documents.")
    return found
