"""Store and snapshots: checked rows, immutable files, readers undisturbed, roll back and collection."""

import json
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest

from assets_store import locks
from assets_store.collect import collect
from assets_store.errors import NoStore, SchemaError, StoreError, StoreVersionError, UnknownSnapshot
from assets_store.models.language_model import REPLIES
from assets_store.rows import Provenance
from assets_store.schemas import COMMUNITIES
from assets_store.settings import load_settings
from assets_store.store import CORPUS_PART, Store
from tests.object_storage import below, object_storage


def members(*names: str) -> pl.DataFrame:
    row = {"community_id": "c", "level": 0, "size": 1, "label_terms": ["pump"], "unit": "document"}
    return pl.DataFrame([{**row, "node_id": name} for name in names])


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    with object_storage() as address:
        yield address


@pytest.fixture(params=["folder", "object storage"])
def store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """The same store in a folder and on object storage, whose local cache is a folder of the test."""
    if request.param == "folder":
        return Store.create(tmp_path / "store", load_settings())
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return Store.create(below(request.getfixturevalue("bucket"), tmp_path.name), load_settings())


def write(store: Store, *names: str) -> None:
    store.write(COMMUNITIES, CORPUS_PART, members(*names), Provenance({"tree/00": "x"}, {"stage": "communities"}))


def test_rows_come_back_sorted_with_their_provenance(store: Store) -> None:
    write(store, "b", "a")
    assert store.read("communities")["node_id"].to_list() == ["a", "b"]
    assert store.provenance("communities", CORPUS_PART) == Provenance({"tree/00": "x"}, {"stage": "communities"})


def test_equal_rows_make_the_same_file(store: Store) -> None:
    write(store, "a", "b")
    first = store.head("communities", CORPUS_PART)
    write(store, "b", "a")
    assert store.head("communities", CORPUS_PART) == first


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (members("a", "a"), "must be unique"),
        (members("a").with_columns(node_id=pl.lit(None, pl.String)), "must have a value"),
        (members("a").drop("unit"), r"missing \['unit'\]"),
        (members("a").with_columns(surplus=1), r"unknown \['surplus'\]"),
        (members("a").with_columns(level=pl.lit("deep")), "do not fit the schema"),
    ],
)
def test_rows_that_break_a_promise_are_refused(store: Store, rows: pl.DataFrame, message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        store.write(COMMUNITIES, CORPUS_PART, rows, Provenance())
    assert store.head("communities", CORPUS_PART) is None


def test_a_reader_keeps_its_snapshot_while_a_writer_goes_on(store: Store) -> None:
    write(store, "a")
    before, _ = store.commit("index", {}, {})
    write(store, "a", "b")
    assert store.snapshot().read("communities").height == 1
    after, is_new = store.commit("index", {}, {})
    assert is_new
    assert (before.read("communities").height, after.read("communities").height) == (1, 2)
    assert store.snapshot(before.id).read("communities").height == 1


def test_committing_the_same_state_twice_makes_one_snapshot(store: Store) -> None:
    write(store, "a")
    first, _ = store.commit("index", {}, {})
    second, is_new = store.commit("index", {}, {})
    assert (second.id, is_new) == (first.id, False)


def test_rollback_brings_tables_and_working_state_back(store: Store) -> None:
    write(store, "a")
    old, _ = store.commit("index", {}, {})
    write(store, "b")
    store.commit("index", {}, {})
    store.rollback(old.id)
    assert store.snapshot().id == old.id
    assert store.read("communities")["node_id"].to_list() == ["a"]
    assert store.matches(store.snapshot())


def test_collection_keeps_what_kept_snapshots_need(store: Store) -> None:
    write(store, "a")
    old = store.commit("index", {}, {})[0].id
    write(store, "b")
    new, _ = store.commit("index", {}, {})
    store.files.write("indexes/old/paragraph/matrix.npy", b"12345")
    done = collect(store, keep=1)
    assert (done.snapshots, done.files) == ((old,), 2)
    assert not store.files.exists("indexes/old")
    assert collect(store, keep=1).files == 0
    assert new.read("communities")["node_id"].to_list() == ["b"]
    with pytest.raises(UnknownSnapshot, match=new.id):
        store.snapshot(old)


def test_collection_removes_replies_of_language_models_only_when_asked_to(store: Store) -> None:
    store.files.write(f"{REPLIES}/aa.json", b"{}")
    assert collect(store, keep=1).files == 0
    assert collect(store, keep=1, replies=True).files == 1
    assert store.files.names(REPLIES) == []


def test_a_place_without_a_store_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(NoStore, match="docnav index PATH"):
        Store.open(tmp_path)
    store = Store.create(tmp_path, load_settings())
    with pytest.raises(NoStore, match="no snapshot yet"):
        store.snapshot()


def test_a_store_of_a_newer_version_is_refused(store: Store) -> None:
    store.files.write("store.json", json.dumps({**store.facts, "format": 99}).encode())
    with pytest.raises(StoreVersionError, match="newer docnav"):
        Store.open(store.location)


def test_the_number_of_shards_cannot_be_changed(store: Store) -> None:
    store.files.write("docnav.toml", b"shards = 8\n")
    with pytest.raises(StoreError, match="made with 16 shards"):
        Store.open(store.location)


@pytest.mark.parametrize("content", [b"\xff", b"{", b"[" * 100_000])
def test_a_damaged_file_of_the_store_is_named(store: Store, content: bytes) -> None:
    write(store, "a")
    store.commit("index", {}, {})
    store.files.write(f"heads/communities/{CORPUS_PART}.json", content)
    with pytest.raises(StoreError, match="damaged"):
        store.heads("communities")


def test_a_damaged_table_is_named(store: Store) -> None:
    write(store, "a")
    head = store.head("communities", CORPUS_PART)
    assert head is not None
    store.files.write(f"parts/communities/{head.file}", b"garbage")
    with pytest.raises(StoreError, match="lost or damaged"):
        Store.open(store.location).read("communities")


def test_one_process_writes_at_a_time(store: Store) -> None:
    with store.writing(), pytest.raises(StoreError, match="another process"), Store.open(store.location).writing():
        pass


def test_an_unfinished_file_is_not_seen(store: Store) -> None:
    write(store, "a")
    store.files.write("heads/communities/.corpus.json.123.unfinished", b"{")
    assert [part.name for part in store.heads("communities")] == [CORPUS_PART]


def test_a_file_says_who_made_it(store: Store) -> None:
    write(store, "a")
    head = store.head("communities", CORPUS_PART)
    assert head is not None
    metadata = pq.read_metadata(store.files.local(f"parts/communities/{head.file}")).metadata
    assert json.loads(metadata[b"docnav"])["maker"] == {"stage": "communities"}


def test_a_snapshot_from_before_a_table_existed_reads_it_as_empty(store: Store) -> None:
    write(store, "a")
    snapshot, _ = store.commit("index", {}, {})
    manifest = store.files.read_json(f"snapshots/{snapshot.id}.json")
    del manifest["tables"]["parse_quality"]
    store.files.write(f"snapshots/{snapshot.id}.json", json.dumps(manifest).encode())
    opened = Store.open(store.location)
    assert opened.snapshot().read("parse_quality").is_empty()
    assert opened.snapshot().files("parse_quality") == []
    assert not opened.matches(opened.snapshot())


def test_the_next_writer_gets_the_lock_when_the_one_before_it_ends(store: Store) -> None:
    waited: list[str] = []
    with store.writing(timeout_s=5):
        pass
    with store.writing(timeout_s=5, on_wait=lambda: waited.append("")):
        assert not waited
    assert not [name for name in store.files.names("locks") if name.endswith(".ticket")]


def test_a_head_that_is_written_again_within_the_same_second_is_read_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assets_store.store._SETTLED_S", 1.5)
    write(store, "a")
    reader = Store.open(store.location)
    for name in ("b", "c", "d"):
        assert reader.head("communities", CORPUS_PART) == store.head("communities", CORPUS_PART)
        write(store, name)
        assert reader.head("communities", CORPUS_PART) == store.head("communities", CORPUS_PART)
    time.sleep(1.6)  # long enough for an answer kept from before to be taken for settled
    assert reader.read("communities")["node_id"].to_list() == ["d"]


@pytest.mark.parametrize("is_remote", [False, True], ids=["folder", "object storage"])
def test_writers_of_different_shards_go_side_by_side_and_nobody_beside_one_of_everything(
    is_remote: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "_SETTLE_S", 1.1)  # times on object storage are whole seconds
    with object_storage() if is_remote else nullcontext(str(tmp_path)) as address:
        place = below(address, "store") if is_remote else f"{address}/store"
        one, other = Store.create(place, load_settings()), Store.open(place)
        with one.writing(shards=["01", "02"]):
            with other.writing(shards=["03"]):
                pass
            for shards in (["02", "03"], None):
                with pytest.raises(StoreError, match="another process"), other.writing(shards=shards):
                    pass
        with one.writing(), pytest.raises(StoreError, match="another process"), other.writing(shards=["03"]):
            pass
