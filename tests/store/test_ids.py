"""Ids: stable, without running numbers, and readable back."""

from pathlib import PurePosixPath

from hypothesis import given
from hypothesis import strategies as st

from assets_store.ids import (
    community_id,
    content_hash,
    doc_of,
    document_id,
    file_uri,
    level_of,
    paragraph_id,
    section_id,
    shard_of,
    slug,
    split_uri,
)


def test_the_level_of_a_node_is_read_from_its_id() -> None:
    doc = document_id("kb", "1.0", "guides/Pump Manual.pdf")
    section = section_id(doc, ["1 Safety"], 0)
    assert doc.startswith("pump-manual-")
    assert [level_of(i) for i in (doc, section, paragraph_id(section, "text", 0), community_id(doc, 0))] == [
        "document",
        "section",
        "paragraph",
        "community",
    ]
    assert doc_of(paragraph_id(section, "text", 0)) == doc


def test_knowledge_base_version_and_path_tell_documents_apart() -> None:
    ids = {document_id(kb, v, uri) for kb in ("a", "b") for v in ("", "2") for uri in ("x.md", "y/x.md", "x.jsonl#1")}
    assert len(ids) == 12


def test_twins_differ_and_a_title_with_a_separator_is_no_path() -> None:
    assert section_id("d", ["A"], 0) != section_id("d", ["A"], 1)
    assert section_id("d", ["24/7 Support"], 0) != section_id("d", ["24", "7 Support"], 0)


@given(st.lists(st.text()), st.lists(st.text()))
def test_hashes_of_different_lists_differ(a: list[str], b: list[str]) -> None:
    assert (content_hash(*a) == content_hash(*b)) == (a == b)


@given(st.text())
def test_a_slug_is_short_ascii_and_never_empty(name: str) -> None:
    found = slug(name)
    assert 0 < len(found) <= 40
    assert found.isascii()
    assert "/" not in found


@given(st.text(min_size=1), st.integers(1, 99))
def test_every_document_has_one_shard(doc_id: str, shards: int) -> None:
    assert 0 <= shard_of(doc_id, shards) < shards


@given(st.text())
def test_communities_of_several_levels_around_one_member_have_ids_of_their_own(member: str) -> None:
    assert community_id(member, 0) != community_id(member, 1)


@given(st.lists(st.text(alphabet="ab#%23. ", min_size=1).filter(lambda part: part.strip(".")), min_size=1).map("/".join))
def test_a_path_is_read_back_from_its_uri(path: str) -> None:
    assert split_uri(file_uri(PurePosixPath(path))) == (str(PurePosixPath(path)), None)
    assert split_uri(file_uri(PurePosixPath(path)) + "#x#y") == (str(PurePosixPath(path)), "x#y")
