"""Snapshots that readers hold: collection leaves them alone until the last reader has ended."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assets_store import leases
from assets_store.collect import collect
from assets_store.errors import StoreError, UnknownSnapshot
from assets_store.settings import load_settings
from assets_store.store import Store
from tests.object_storage import below, object_storage
from tests.store.test_store import write


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    with object_storage() as address:
        yield address


@pytest.fixture(params=["folder", "object storage"])
def store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    if request.param == "folder":
        return Store.create(tmp_path / "store", load_settings())
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return Store.create(below(request.getfixturevalue("bucket"), tmp_path.name), load_settings())


def two_snapshots(store: Store) -> tuple[str, str]:
    write(store, "a")
    first = store.commit("index", {}, {})[0].id
    write(store, "b")
    return first, store.commit("index", {}, {})[0].id


def test_an_open_snapshot_is_collected_only_after_its_last_reader_ended(store: Store) -> None:
    first, _ = two_snapshots(store)
    readers = [Store.open(store.location).snapshot(first) for _ in range(2)]
    assert collect(store, keep=1).snapshots == ()
    readers.pop()
    assert collect(store, keep=1).snapshots == ()
    assert readers[0].read("communities")["node_id"].to_list() == ["a"]
    readers.pop()
    assert collect(store, keep=1).snapshots == (first,)
    with pytest.raises(UnknownSnapshot):
        store.snapshot(first)


def test_a_snapshot_that_is_gone_cannot_be_held(store: Store) -> None:
    first, _ = two_snapshots(store)
    store.files.delete(f"snapshots/{first}.json")
    assert leases.hold(store.files, f"snapshots/{first}.json") is None


def test_a_current_snapshot_that_is_lost_is_named_with_the_way_out(store: Store) -> None:
    two_snapshots(store)
    store.files.write("CURRENT", b"../../etc/passwd")
    with pytest.raises(StoreError, match=r"names snapshot .* not there; there are: 000001.*doctor --repair"):
        store.snapshot()


def test_a_lease_that_is_not_renewed_is_void(bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(leases, "_VOID_S", 1.0)
    store = Store.create(below(bucket, tmp_path.name), load_settings())
    first, _ = two_snapshots(store)
    reader = store.snapshot(first)
    (lease,) = store.files.names("leases")
    while collect(store, keep=1).snapshots != (first,):  # the storage's clock shows whole seconds
        pass
    assert lease not in store.files.names("leases")
    assert reader.id == first
