"""Sources and corpus: what is listed, what changed, and that a failed listing removes nothing."""

import os
from pathlib import Path

import pytest

from assets_store.errors import SourceError, UnknownDocument
from assets_store.settings import load_settings
from assets_store.store import Store
from docnav_pipeline.corpus import Changes, read_corpus, refresh_corpus, remove_document
from docnav_pipeline.sources import SourceFile


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.create(tmp_path / "store", load_settings())


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    (folder / "guides").mkdir(parents=True)
    (folder / "a.md").write_text("# A\n\nText of a.")
    (folder / "guides" / "b.txt").write_text("Text of b.")
    return folder


def refresh(store: Store, *paths: Path, include: list[str] | None = None, exclude: list[str] | None = None) -> Changes:
    return refresh_corpus(store, paths, "default", "", include, exclude)


def known(store: Store) -> dict[str, SourceFile]:
    return {s.uri: s for shard in store.shard_keys for s in read_corpus(store, shard).values()}


def test_new_changed_and_vanished_files_are_told_apart_by_content(store: Store, docs: Path) -> None:
    assert len(refresh(store, docs).added) == 2
    (docs / "a.md").touch()
    assert not refresh(store, docs)
    (docs / "a.md").write_text("# A\n\nOther text.")
    (docs / "guides" / "b.txt").unlink()
    (docs / "c.md").write_text("# C")
    changes = refresh(store, docs)
    assert [len(part) for part in (changes.added, changes.changed, changes.removed)] == [1, 1, 1]
    assert set(known(store)) == {"a.md", "c.md"}


def test_a_path_that_does_not_exist_removes_nothing(store: Store, docs: Path) -> None:
    refresh(store, docs)
    with pytest.raises(SourceError, match="does not exist"):
        refresh(store, docs / "gone")
    assert len(known(store)) == 2


def test_a_folder_below_a_root_belongs_to_it_and_leaves_the_rest_alone(store: Store, docs: Path) -> None:
    refresh(store, docs)
    before = known(store)
    (docs / "a.md").unlink()
    assert not refresh(store, docs / "guides")
    assert known(store) == before


def test_a_folder_above_a_root_takes_it_in(store: Store, docs: Path) -> None:
    refresh(store, docs / "guides")
    refresh(store, docs)
    assert set(known(store)) == {"a.md", "guides/b.txt"}


def test_hidden_files_the_store_and_excluded_files_are_left_out(docs: Path) -> None:
    store = Store.create(docs / "store", load_settings())
    (docs / ".git").mkdir()
    (docs / ".git" / "config").write_text("x")
    (docs / ".hidden.md").write_text("x")
    refresh(store, docs, exclude=["guides/*"])
    assert set(known(store)) == {"a.md"}
    refresh(store, docs, include=["*.txt"], exclude=[])
    assert set(known(store)) == {"guides/b.txt"}
    refresh(store, docs, include=[])
    assert set(known(store)) == {"a.md", "guides/b.txt"}


def test_every_line_of_a_jsonl_file_is_a_document(store: Store, docs: Path) -> None:
    (docs / "rows.jsonl").write_text('{"id": "r1", "title": "One", "text": "First."}\n{"id": "r2", "text": "Second."}\n')
    refresh(store, docs)
    rows = known(store)
    assert rows["rows.jsonl#r1"].doc == "r1"
    assert rows["rows.jsonl#r1"].path == docs / "rows.jsonl"
    (docs / "rows.jsonl").write_text('{"id": "r2", "text": "Second."}\n')
    changes = refresh(store, docs)
    assert (len(changes.removed), len(changes.changed)) == (1, 0)


def test_equal_paths_of_two_roots_are_two_documents(store: Store, docs: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.md").write_text("# A\n\nAnother a.")
    refresh(store, docs, other)
    assert sorted(s.root for shard in store.shard_keys for s in read_corpus(store, shard).values() if s.uri == "a.md") == sorted(
        [str(docs), str(other)]
    )
    assert not refresh(store, docs, other)


def test_a_removed_document_stays_away_until_it_is_asked_for_by_name(store: Store, docs: Path) -> None:
    refresh(store, docs)
    remove_document(store, "a")
    assert set(known(store)) == {"guides/b.txt"}
    assert not refresh(store, docs)
    refresh(store, docs / "a.md")
    assert set(known(store)) == {"a.md", "guides/b.txt"}


def test_removing_an_unknown_document_names_the_nearest(store: Store, docs: Path) -> None:
    refresh(store, docs)
    with pytest.raises(UnknownDocument, match=r"a\.md"):
        remove_document(store, "a.mdx")


def test_overrides_travel_with_their_document(store: Store, docs: Path) -> None:
    refresh(store, docs)
    (docs / "a.md.docnav.toml").write_text('[[remove]]\ntitle = "A"\n')
    assert len(refresh(store, docs).changed) == 1
    assert "remove" in known(store)["a.md"].overrides
    assert set(known(store)) == {"a.md", "guides/b.txt"}


def test_a_file_above_a_root_leaves_the_documents_of_the_root_alone(store: Store, docs: Path) -> None:
    refresh(store, docs / "guides")
    changes = refresh(store, docs / "a.md")
    assert (len(changes.added), changes.removed) == (1, ())
    assert len(known(store)) == 2


def test_what_was_removed_from_a_root_stays_away_when_a_folder_above_takes_it_in(store: Store, docs: Path) -> None:
    refresh(store, docs / "guides")
    remove_document(store, "b.txt")
    refresh(store, docs)
    assert set(known(store)) == {"a.md"}


def test_globs_for_a_part_of_a_root_are_refused(store: Store, docs: Path) -> None:
    refresh(store, docs)
    with pytest.raises(SourceError, match="hold for a whole root"):
        refresh(store, docs / "guides", include=["*.md"])
    assert not refresh(store, docs)


@pytest.mark.parametrize("order", [["guides", "."], [".", "guides"], [".", "."]])
def test_nested_paths_of_one_call_are_one_listing(store: Store, docs: Path, order: list[str]) -> None:
    paths = [docs / part for part in order]
    assert len(refresh(store, *paths).added) == 2
    assert not refresh(store, *paths)


def test_hidden_paths_and_the_store_are_refused_when_named(docs: Path) -> None:
    store = Store.create(docs / "store", load_settings())
    (docs / ".git").mkdir()
    (docs / ".git" / "config").write_text("x")
    (docs / ".secret.md").write_text("x")
    for path in (docs / ".git", docs / ".secret.md", docs / "store", docs / "store" / "store.json"):
        with pytest.raises(SourceError, match="never indexed"):
            refresh(store, path)
    refresh(store, docs)
    with pytest.raises(SourceError, match="hidden folder"):
        refresh(store, docs / ".git" / "config")
    assert set(known(store)) == {"a.md", "guides/b.txt"}


def test_a_file_that_cannot_be_read_has_a_fault_and_stops_nothing(store: Store, docs: Path) -> None:
    (docs / "c.md").write_text("Text.")
    (docs / "c.md.docnav.toml").write_bytes(b"\xff")
    Path(os.fsdecode(os.fsencode(docs) + b"/caf\xe9.md")).write_text("Text.")
    (docs / ("l" * 250 + ".md")).write_text("A name that leaves no room for overrides.")
    refresh(store, docs)
    found = known(store)
    assert "overrides" not in found["a.md"].fault
    assert "c.md.docnav.toml cannot be read" in found["c.md"].fault
    assert "is no UTF-8" in found["caf\\xe9.md"].fault
    assert found["l" * 250 + ".md"].fault == ""
    assert not refresh(store, docs)


def test_a_lone_surrogate_in_a_line_is_the_fault_of_that_line(store: Store, docs: Path) -> None:
    (docs / "rows.jsonl").write_text('{"id": "a\\ud800", "text": "x"}\n{"id": "b", "text": "y"}\n')
    refresh(store, docs)
    assert {"rows.jsonl#line-1", "rows.jsonl#b"} < set(known(store))


def test_a_number_sign_in_a_file_name_is_not_a_line_of_a_jsonl_file(store: Store, docs: Path) -> None:
    (docs / "a.jsonl").write_text('{"id": "x", "text": "First."}\n')
    (docs / "a.jsonl#x").write_text("Another file.")
    (docs / "C# guide.md").write_text("Guide.")
    refresh(store, docs)
    assert {"a.jsonl#x", "a.jsonl%23x", "C%23 guide.md"} < set(known(store))
    assert known(store)["C%23 guide.md"].path == docs / "C# guide.md"
    assert [s.doc for s in remove_document(store, "C# guide")] == ["C# guide.md"]
    refresh(store, docs / "C# guide.md")
    assert "C%23 guide.md" in known(store)


def test_a_name_that_means_several_files_removes_none(store: Store, docs: Path) -> None:
    (docs / "guides" / "a.md").write_text("Another a.")
    refresh(store, docs)
    with pytest.raises(SourceError, match="matches 2 documents"):
        remove_document(store, "a")
    assert len(known(store)) == 3


def test_links_out_of_the_folder_are_not_followed(store: Store, docs: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("Nobody meant this one.")
    (docs / "out.txt").symlink_to(tmp_path / "secret.txt")
    (docs / "inside.txt").symlink_to(docs / "guides" / "b.txt")
    refresh(store, docs)
    assert set(known(store)) == {"a.md", "guides/b.txt", "inside.txt"}
