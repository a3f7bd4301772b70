"""Reuse: only what changed is built, gone documents leave nothing, nothing to do touches nothing."""

from collections.abc import Mapping

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assets_store.schemas import ROUTING_PROFILES
from assets_store.settings import load_settings
from assets_store.store import Store
from docnav_pipeline.reuse import Refreshed, refresh_part


class Builder:
    """Makes one row per document and remembers what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, doc_ids: list[str]) -> Mapping[str, pl.DataFrame]:
        self.asked += doc_ids
        rows = [
            {
                "doc_id": d,
                "node_id": f"{d}/s-1",
                "summary": d,
                "key_concepts": ["pump"],
                "subtopics": ["valve"],
                "made_by": "extractive",
                "model": "",
                "prompt_version": "",
                "prompt_tokens": 0,
                "completion_tokens": 0,
            }
            for d in doc_ids
            if not d.startswith("empty")
        ]
        return {"routing_profiles": pl.DataFrame(rows)} if rows else {}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store.create(tmp_path_factory.mktemp("reuse") / "store", load_settings())


def refresh(store: Store, part: str, wanted: Mapping[str, str], retry: tuple[str, ...] = ()) -> tuple[Refreshed, list[str]]:
    build = Builder()
    return refresh_part(store, [ROUTING_PROFILES], part, wanted, build, {"stage": "made up"}, retry), build.asked


def test_only_changed_documents_are_built(store: Store) -> None:
    _, first = refresh(store, "00", {"a": "1", "b": "1", "empty": "1"})
    done, second = refresh(store, "00", {"a": "1", "b": "2", "c": "1", "empty": "1"})
    assert (first, second) == (["a", "b", "empty"], ["b", "c"])
    assert (done.reused, done.recomputed, done.deleted) == (2, 2, 0)
    assert dict(store.read("routing_profiles", ["00"]).select("doc_id", "doc_version").iter_rows()) == {"a": "1", "b": "2", "c": "1"}


def test_nothing_to_do_builds_and_writes_nothing(store: Store) -> None:
    refresh(store, "01", {"a": "1", "empty": "1"})
    head = store.head("routing_profiles", "01")
    done, asked = refresh(store, "01", {"a": "1", "empty": "1"})
    assert (asked, done.reused, store.head("routing_profiles", "01")) == ([], 2, head)


def test_a_deleted_document_leaves_no_row_and_builds_nothing(store: Store) -> None:
    refresh(store, "02", {"a": "1", "b": "1"})
    done, asked = refresh(store, "02", {"b": "1"})
    assert (asked, done.deleted) == ([], 1)
    assert store.read("routing_profiles", ["02"])["doc_id"].to_list() == ["b"]


def test_a_failed_document_is_tried_again_though_its_key_is_the_same(store: Store) -> None:
    refresh(store, "03", {"a": "1", "b": "1"})
    assert refresh(store, "03", {"a": "1", "b": "1"}, retry=("b",))[1] == ["b"]


@given(st.lists(st.dictionaries(st.sampled_from("abcde"), st.sampled_from("123")), min_size=1, max_size=5))
@settings(max_examples=25, deadline=None)
def test_any_history_ends_in_the_rows_of_a_clean_build(store: Store, history: list[dict[str, str]]) -> None:
    for wanted in history:
        refresh(store, "04", wanted)
    refresh(store, "05", {"x": "0"})
    refresh(store, "05", history[-1])
    assert store.read("routing_profiles", ["04"]).equals(store.read("routing_profiles", ["05"]))
