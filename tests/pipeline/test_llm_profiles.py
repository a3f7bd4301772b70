"""Routing profiles by a language model through the whole pipeline, against a real server on loopback."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from assets_store.errors import ModelError, UnknownNode
from assets_store.ids import shard_key, shard_of
from assets_store.models.usage import Usage
from assets_store.schemas import DOCUMENTS
from assets_store.store import Store
from docnav_agent.actions import DIRECTIONS, LEVELS, Expand, Locate, Navigate
from docnav_agent.cli import run
from docnav_agent.environment import Environment
from docnav_agent.graph import Graph
from docnav_agent.search import Search
from docnav_pipeline.assets.routing_profiles import Asked, refresh_routing_profiles
from docnav_pipeline.assets.search_indexes import refresh_search_indexes
from docnav_pipeline.assets.snapshot import commit_snapshot
from docnav_pipeline.progress import LogReporter
from docnav_pipeline.stages import stale_shards
from docnav_pipeline.transforms.profiles import with_scopes
from tests.endpoint import Endpoint, scripted_endpoint
from tests.pipeline.fast import FAST, start_index

# Three scopes each: the document and its two chapters. Of the four, the first is longest.
NAMES = ("wells", "pumps", "bells", "lamps")


def guide(name: str, sentences: int = 3) -> str:
    text = f"The {name} are looked after by the night watch. " * sentences
    return f"# On {name}\n\n## Care of {name}\n\n### Oil\n\n{text}\n\n### Rust\n\n{text}\n\n## Sale of {name}\n\n### Price\n\n{text}\n"


def _scopes(store: Store) -> pl.DataFrame:
    """Tree rows of the nodes in R_d."""
    return with_scopes(store.read("tree"), store.read("profiles", columns=["node_id", "in_R"])).filter("in_R")


def written(request: dict[str, Any]) -> str:
    scope = request["messages"][1]["content"].splitlines()[1].removeprefix("scope: ")
    return json.dumps({"summary": f"Written about {scope}.", "key_concepts": [scope.split()[-1]], "subtopics": ["Oil"]})


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with documents `docs` and their store `store`, with extractive profiles."""
    folder = tmp_path_factory.mktemp("profiles")
    (folder / "docs").mkdir()
    for number, name in enumerate(NAMES):
        (folder / "docs" / f"{name}.md").write_text(guide(name, 9 - number))
    with pytest.MonkeyPatch.context() as patch:
        for variable, value in {**FAST, "DOCNAV_SHARDS": "3"}.items():
            patch.setenv(variable, value)
        assert run(["index", str(folder / "docs"), "--store", str(folder / "store")]) == 0
    return folder


@pytest.fixture
def place(indexed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the store, and settings that ask a language model for profiles."""
    for variable, value in {**FAST, "DOCNAV_SHARDS": "3", "DOCNAV_PROFILES__ROUTING": "llm", "DOCNAV_LLM__MODEL": "made-up"}.items():
        monkeypatch.setenv(variable, value)
    monkeypatch.setenv("DOCNAV_LLM__MAX_RETRIES", "0")
    shutil.copytree(indexed / "store", tmp_path / "store")
    return tmp_path / "store"


@contextmanager
def answering(monkeypatch: pytest.MonkeyPatch, script: Any = written) -> Iterator[Endpoint]:
    with scripted_endpoint(script) as endpoint:
        monkeypatch.setenv("DOCNAV_LLM__BASE_URL", endpoint.base_url)
        yield endpoint


def refresh(place: Path) -> Asked:
    store = Store.open(place)
    return refresh_routing_profiles(store, store.shard_keys, LogReporter(lambda text: None))[1]


def made_by(place: Path) -> dict[str, int]:
    rows = Store.open(place).read("routing_profiles", columns=["made_by"])["made_by"].value_counts()
    return dict(rows.iter_rows())


def test_all_scopes_are_written_once_and_a_second_run_asks_nothing(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(monkeypatch) as endpoint:
        assert refresh(place) == Asked(endpoint_usage(endpoint), 12, 0, 0.0)
        assert (len(endpoint.requests), made_by(place)) == (12, {"llm": 12})
        rows = Store.open(place).read("routing_profiles")
        assert refresh(place) == Asked()
        assert Store.open(place).read("routing_profiles").equals(rows)
        assert len(endpoint.requests) == 12
    assert rows.select(pl.sum("prompt_tokens", "completion_tokens")).row(0) == (1200, 120)
    assert set(rows["model"]) == {"made-up"}


def endpoint_usage(endpoint: Endpoint) -> Usage:
    return Usage(len(endpoint.requests), 100 * len(endpoint.requests), 10 * len(endpoint.requests))


def test_a_run_that_breaks_goes_on_without_repeating_a_call(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = count()
    said = pytest.raises(ModelError, match=r"llm\.base_url.*DOCNAV_API_KEY")
    with answering(monkeypatch, lambda request: written(request) if next(numbers) < 7 else 500) as broken, said:
        refresh(place)
    done = {request["messages"][1]["content"] for request in broken.requests[:7]}
    with answering(monkeypatch) as endpoint:
        asked = refresh(place)
    assert (asked.usage.llm_calls, made_by(place)) == (5, {"llm": 12})
    assert not done & {request["messages"][1]["content"] for request in endpoint.requests}


def test_an_edit_asks_about_the_scopes_above_it_and_a_clean_build_is_the_same(
    place: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for name in NAMES[:2]:
        (docs / f"{name}.md").write_text(guide(name))
    with answering(monkeypatch) as endpoint:
        assert run(["index", str(docs), "--store", str(tmp_path / "grown")]) == 0
        assert len(endpoint.requests) == 6
        (docs / "wells.md").write_text(guide("wells").replace("### Price\n\nThe wells", "### Price\n\nThe deep wells"))
        assert run(["index", str(docs), "--store", str(tmp_path / "grown")]) == 0
        assert [request["messages"][1]["content"].splitlines()[1] for request in endpoint.requests[6:]] == [
            "scope: Sale of wells",
            "scope: On wells",
        ]
        assert run(["index", str(docs), "--store", str(tmp_path / "clean")]) == 0
    one, other = (Store.open(tmp_path / name).snapshot().read("routing_profiles") for name in ("grown", "clean"))
    assert one.equals(other)


def test_a_cap_is_spent_on_most_text_first_over_all_shards_and_a_later_run_goes_on_there(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOCNAV_PROFILES__MAX_TOKENS", "2600")
    shards = {shard_key(shard_of(d, 3)) for d in Store.open(place).read("documents")["doc_id"]}
    assert len(shards) > 1
    sizes = _scopes(Store.open(place)).sort("n_tokens", "node_id", descending=[True, False])["node_id"].to_list()
    rounds = []
    with answering(monkeypatch) as endpoint:
        while stale_shards(Store.open(place)):
            before = len(endpoint.requests)
            asked = refresh(place)
            assert asked.usage.tokens <= 2600
            assert len(endpoint.requests) > before
            rows = Store.open(place).read("routing_profiles", columns=["node_id", "made_by"])
            rounds.append(set(rows.filter(made_by="llm")["node_id"]))
    assert len(rounds) > 1
    assert all(done == set(sizes[: len(done)]) for done in rounds)
    assert (len(endpoint.requests), made_by(place)) == (12, {"llm": 12})


def test_a_cap_in_money_leaves_what_is_over_it_marked(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCNAV_LLM__PROMPT_PRICE", "1000")
    monkeypatch.setenv("DOCNAV_PROFILES__MAX_COST", "1")
    with answering(monkeypatch) as endpoint:
        asked = refresh(place)
        assert 0 < asked.cost <= 1
        assert made_by(place) == {"llm": len(endpoint.requests), "extractive:over_budget": 12 - len(endpoint.requests)}
        monkeypatch.setenv("DOCNAV_PROFILES__MAX_COST", "0")
        assert refresh(place).scopes == 12 - asked.scopes
    assert made_by(place) == {"llm": 12}


def test_a_scope_without_a_usable_reply_is_left_extractive_and_not_asked_again(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def script(request: dict[str, Any]) -> str:
        return "no idea" if "Care of bells" in request["messages"][1]["content"].splitlines()[1] else written(request)

    with answering(monkeypatch, script) as endpoint:
        refresh(place)
        assert made_by(place) == {"llm": 11, "extractive:invalid_reply": 1}
        calls = len(endpoint.requests)
        refresh(place)
        assert len(endpoint.requests) == calls == 13


def test_an_endpoint_that_is_down_is_said_and_the_next_index_goes_on(
    place: Path, indexed: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    index = ["index", str(indexed / "docs"), "--store", str(place)]
    before = Store.open(place).snapshot().id
    monkeypatch.setenv("DOCNAV_LLM__BASE_URL", "http://127.0.0.1:9/v1")
    assert run(index) == 2
    assert "llm.base_url = http://127.0.0.1:9/v1 did not answer" in capsys.readouterr().err
    assert Store.open(place).snapshot().id == before
    with answering(monkeypatch) as endpoint:
        assert run([*index, "--plan", "--json"]) == 0
        plan = json.loads(capsys.readouterr().out)
        assert (plan["profiles"], plan["llm_calls"]) == (12, 12)
        assert run([*index, "--json"]) == 0
        done = json.loads(capsys.readouterr().out)
        assert (done["work"]["llm_calls"], done["work"]["encoded"], len(endpoint.requests)) == (12, 0, 12)
        assert run(["status", "--store", str(place), "--json"]) == 0
        routing = json.loads(capsys.readouterr().out)["routing_profiles"]
        assert routing == {"made_by": {"llm": 12}, "prompt_tokens": 1200, "completion_tokens": 120}
        assert run([*index, "--plan", "--json"]) == 0
        plan = json.loads(capsys.readouterr().out)
        assert (plan["profiles"], plan["llm_calls"], plan["stages"]) == (0, 0, [])
    assert run(["status", "--store", str(place)]) == 0
    assert "routing profiles: 12 llm; 1200 tokens read and 120 written" in capsys.readouterr().out


def test_new_text_without_an_endpoint_is_refused_before_anything_is_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DOCNAV_PROFILES__ROUTING", "llm")
    (tmp_path / "a.md").write_text("# A\n\nText.")
    assert run(["index", str(tmp_path / "a.md"), "--store", str(tmp_path / "store")]) == 2
    assert 'llm.base_url is not set, but profiles.routing = "llm" asks for a language model' in capsys.readouterr().err
    assert not (tmp_path / "store" / "parts").exists()


def test_killed_while_it_asks_it_goes_on_without_repeating_a_call(place: Path, indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCNAV_LLM__CONCURRENCY", "1")
    victim: list[subprocess.Popen[str]] = []
    numbers = count()

    def script(request: dict[str, Any]) -> str:
        # The reply before has been kept when the next call comes, because calls follow one another.
        if next(numbers) == 4:
            victim[0].kill()
        return written(request)

    with answering(monkeypatch, script) as endpoint:
        victim.append(start_index([indexed / "docs"], place))
        victim[0].communicate()
        assert victim[0].returncode < 0
        first = [request["messages"][1]["content"] for request in endpoint.requests]
        assert len(first) == 5
        asked = refresh(place)
        again = [request["messages"][1]["content"] for request in endpoint.requests[5:]]
    assert (asked.usage.llm_calls, asked.cached, made_by(place)) == (8, 4, {"llm": 12})
    assert not set(first[:4]) & set(again)


def test_no_profile_tells_a_reader_of_a_document_that_is_hidden_from_him(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with answering(monkeypatch) as endpoint:
        refresh(place)
    # A scope lies within one document: what is sent about it names no other one.
    assert {sum(name in request["messages"][1]["content"] for name in NAMES) for request in endpoint.requests} == {1}
    store = Store.open(place)
    for part in store.heads("documents"):
        rows = store.read("documents", [part.name])
        labels = pl.when(pl.col("doc") == "bells.md").then(pl.lit(["staff"])).otherwise(pl.col("access_labels"))
        store.write(DOCUMENTS, part.name, rows.with_columns(access_labels=labels), store.provenance("documents", part.name))
    refresh_search_indexes(store)
    commit_snapshot(store)
    hidden = _scopes(store).filter(pl.col("doc_id").str.starts_with("bells"))["node_id"]
    assert all(
        "bells" in row["summary"] for row in store.read("routing_profiles").filter(pl.col("node_id").is_in(hidden.to_list())).to_dicts()
    )
    assert "bells" in told(Graph.open(store, labels=["staff"]))
    outsider = Graph.open(store)
    assert "bells" not in told(outsider)
    for node_id in hidden:
        with pytest.raises(UnknownNode):
            outsider.profile(node_id)


def told(graph: Graph) -> str:
    """All that a reader is shown who looks for the text of a profile at every level and walks on, with the profiles he may read."""
    environment = Environment(graph, Search(graph))
    shown: dict[str, str] = {}
    for level in LEVELS:
        found = environment.perform(Locate(query="Written about Care of bells and pumps", level=level, k=50)).cards
        for card in found:
            moves = [Navigate(node_id=card.node_id, direction=d) for d in DIRECTIONS] + [Expand(node_ids=(card.node_id,))]
            for other in (card, *(c for move in moves for c in environment.perform(move).cards)):
                shown[other.node_id] = f"{other.row()} {graph.profile(other.node_id)}"
    assert len(shown) > 20
    assert any("Written about" in text for text in shown.values())
    return " ".join(shown.values())
