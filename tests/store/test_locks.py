"""The right to write on object storage: kept through faults that pass, noticed as lost through those that do not."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assets_store import locks
from assets_store.errors import StoreError
from assets_store.settings import load_settings
from assets_store.store import Store
from tests.object_storage import below, object_storage
from tests.store.test_store import write


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    with object_storage() as address:
        yield address


@pytest.fixture
def store(bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    for name, seconds in {"_HEARTBEAT_S": 0.1, "_RETRY_S": 0.1, "_SETTLE_S": 0.1}.items():
        monkeypatch.setattr(locks, name, seconds)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return Store.create(below(bucket, tmp_path.name), load_settings())


def break_storage(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Signs of life go to a bucket that does not exist, so that the storage itself refuses them."""
    good = store.files.write

    def write(path: str, data: bytes | memoryview) -> None:
        if path.endswith(".alive"):
            with store.files._fs.open_output_stream("no-such-bucket/x") as stream:
                stream.write(b"")
        good(path, data)

    monkeypatch.setattr(store.files, "write", write)


def test_a_writer_whose_ticket_was_taken_away_commits_nothing(store: Store) -> None:
    with store.writing():
        write(store, "a")
        (ticket,) = [name for name in store.files.names("locks") if name.endswith(".ticket")]
        store.files.delete(f"locks/{ticket}")
        with pytest.raises(StoreError, match=r"right to write .* was lost.*run this again"):
            store.commit("index", {}, {})
    assert store.log.current_id() is None


def test_signs_of_life_that_fail_for_a_while_are_tried_again(store: Store) -> None:
    with store.writing():
        with pytest.MonkeyPatch.context() as patch:
            break_storage(store, patch)
            time.sleep(0.5)
        time.sleep(0.5)
        write(store, "a")
        assert store.commit("index", {}, {})[1]


def test_a_writer_that_can_show_no_sign_of_life_stops_writing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "_GIVE_UP_S", 0.5)
    with store.writing():
        break_storage(store, monkeypatch)
        time.sleep(1.0)
        with pytest.raises(StoreError, match="right to write"):
            write(store, "a")
    other = Store.open(store.location)
    with other.writing(timeout_s=5):
        write(other, "a")
