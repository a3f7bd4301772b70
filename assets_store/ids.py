"""Ids: how documents, sections, paragraphs and communities are named, and how a name is taken apart.

An id never holds a running number, so an inserted paragraph renames nothing else:

    document   slug-<10 hex>              hash of kb, product version, path relative to the registered root
    section    <doc_id>/s-<12 hex>        hash of document, title path, n-th twin
    paragraph  <doc_id>/p-<12 hex>        hash of section, text, n-th twin
    community  community/<10 hex>         hash of its member ids
    entity     entity/<12 hex>            hash of its normalised name

A twin is an equal thing met before in reading order: the second section with the same title path has n = 1.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path, PurePath, PurePosixPath

_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_SLUG_LENGTH = 40
_SURROGATE = re.compile("[\ud800-\udfff]")
_PIECE = 1 << 20


def content_hash(*parts: object, length: int = 64) -> str:
    """Hex SHA-256 over parts, each written as text with its length in front, so that no two lists collide."""
    digest = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.hexdigest()[:length]


def file_hash(path: Path, length: int = 64) -> str:
    """What `content_hash` gives for the content of a file, which is read in pieces."""
    digest = hashlib.sha256(b"%d:" % path.stat().st_size)
    with path.open("rb") as stream:
        while piece := stream.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()[:length]


def slug(name: str) -> str:
    """ASCII letters, digits and hyphens of a name, at most 40 characters; "document" where nothing is left."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return _NOT_SLUG.sub("-", plain).strip("-")[:_SLUG_LENGTH].strip("-") or "document"


def is_encodable(text: str) -> bool:
    """Whether a text can be written as UTF-8: it holds no lone surrogate."""
    return text.isascii() or _SURROGATE.search(text) is None


def file_uri(relative: PurePath) -> str:
    """URI of a file: its POSIX path relative to the root with `#` as `%23`, because `#` parts file and JSONL id, and `%` as `%25`."""
    return relative.as_posix().replace("%", "%25").replace("#", "%23")


def split_uri(uri: str) -> tuple[str, str | None]:
    """(path relative to the root, id of the JSONL line or None) of a document's uri."""
    path, mark, fragment = uri.partition("#")
    return path.replace("%23", "#").replace("%25", "%"), fragment if mark else None


def document_id(kb: str, product_version: str, uri: str) -> str:
    """Id of a document. uri: as `file_uri` makes it, with `#id` for a line of a JSONL file."""
    path, fragment = split_uri(uri)
    return f"{slug(fragment or PurePosixPath(path).stem)}-{content_hash(kb, product_version, uri, length=10)}"


def section_id(doc_id: str, title_path: Iterable[str], twin: int) -> str:
    """Id of a section node. title_path: titles from the top section down to this one; twin: from 0."""
    return f"{doc_id}/s-{content_hash(doc_id, *title_path, twin, length=12)}"


def paragraph_id(parent_id: str, text: str, twin: int) -> str:
    """Id of a paragraph node. parent_id: section or document that holds it; twin: from 0 among equal texts there."""
    return f"{doc_of(parent_id)}/p-{content_hash(parent_id, text, twin, length=12)}"


def community_id(central_member: str, level: int) -> str:
    """Id of a community: its most central member and its level, so that it stays the same while members at its edge come and go."""
    return f"community/{content_hash(level, central_member, length=10)}"


def entity_id(name: str) -> str:
    """Id of an entity. name: in the form in which names are compared (`transforms.entities.normal_name`)."""
    return f"entity/{content_hash(name, length=12)}"


def doc_of(node_id: str) -> str:
    """doc_id of a document, section or paragraph node."""
    return node_id.partition("/")[0]


def level_of(node_id: str) -> str:
    """ "community", "document", "section" or "paragraph", read from the form of the id."""
    head, _, rest = node_id.partition("/")
    if head == "community" and rest:
        return "community"
    if not rest:
        return "document"
    return {"s-": "section", "p-": "paragraph"}.get(rest[:2], "unknown")


def shard_of(doc_id: str, shards: int) -> int:
    """Shard number 0..shards-1 of a document: stable hash, the same on every machine."""
    return int(content_hash(doc_id, length=8), 16) % shards


def shard_key(shard: int) -> str:
    """Name of a shard as partition key and in file names: "00", "01", ..."""
    return f"{shard:02d}"
