"""End to end through Dagster, with real parsers and models: index, no-op, edit, delete, failures, and what readers see."""

import json
from pathlib import Path

import dagster as dg
import polars as pl
import pytest

from assets_store.ids import level_of
from assets_store.schemas import TABLES
from assets_store.store import Store
from docnav_agent.cli import run as docnav
from docnav_pipeline.checks import FINDERS
from docnav_pipeline.run import dagster_home

MANUAL = """# Pump manual

The pump moves water from the tank to the valves.

## 1 Safety

Switch the pump off before you open the housing. See section 2.1 for the cover.

## 2 Maintenance

### 2.1 Cover

Loosen the four screws of the cover. The torque of each screw is 2.4 Nm.

| code | meaning |
| --- | --- |
| E12 | the filter is clogged |
| E19 | the pump runs dry |
"""
BULLETIN = "<html><head><title>Bulletin</title></head><body><h1>Bulletin 7</h1><p>Code E19 was renamed to E21.</p></body></html>"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "manual.md").write_text(MANUAL)
    (folder / "bulletin.html").write_text(BULLETIN)
    (folder / "rows.jsonl").write_text('{"id": "FR-1", "title": "Report", "text": "The pump of zone 4 ran dry on Monday."}\n')
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing of a document")
    (folder / "nothing.txt").write_text("")
    (folder / "program.exe").write_bytes(b"MZ\x90\x00" + bytes(range(256)))
    return folder


@pytest.fixture(scope="module")
def store(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("store") / "store")


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, object]]:
    code = docnav([*arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_a_first_index_gives_every_file_a_true_status(corpus: Path, store: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, done = call(capsys, "index", str(corpus), "--store", store)
    assert (code, done["added"], done["failed_checks"]) == (1, 6, [])
    code, status = call(capsys, "status", "--store", store)
    documents = status["documents"]
    assert isinstance(documents, list)
    assert {d["uri"]: d["status"] for d in documents} == {
        "manual.md": "ok",
        "bulletin.html": "ok",
        "rows.jsonl#FR-1": "ok",
        "broken.pdf": "corrupt",
        "nothing.txt": "empty",
        "program.exe": "unsupported",
    }
    assert all(d["reason"] for d in documents if d["status"] != "ok")
    assert all(d["paragraphs"] > 0 for d in documents if d["status"] == "ok")


def test_status_tells_how_well_each_document_was_read(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, status = call(capsys, "status", "--store", store)
    documents = status["documents"]
    assert isinstance(documents, list)
    quality = {d["doc"]: d["quality"] for d in documents}
    assert quality["manual.md"]["evidence"] == {"source_level": 3}
    assert quality["broken.pdf"] is None
    assert docnav(["status", "--store", store, "--verbose"]) == 0
    assert "headings by 3 source_level" in " ".join(capsys.readouterr().out.split())


def test_every_table_loads_in_polars_and_every_check_holds(store: str) -> None:
    opened = Store.open(store)
    for name, spec in TABLES.items():
        files = opened.snapshot().files(name)
        assert pl.read_parquet(files).columns == list(spec.names)
    assert {name: find(opened) for name, (_, find) in FINDERS.items()} == {name: [] for name in FINDERS}


def test_the_tree_of_the_manual_is_what_it_prints(store: str) -> None:
    tree = Store.open(store).snapshot().read("tree")
    sections = tree.filter((pl.col("kind") == "section") & pl.col("doc_id").str.starts_with("manual-"))
    assert sections.select("title", "depth").rows() == [("1 Safety", 1), ("2 Maintenance", 1), ("2.1 Cover", 2)]
    assert set(tree["node_id"].map_elements(level_of, return_dtype=pl.String)) == {"document", "section", "paragraph"}


def test_a_cross_reference_leads_to_its_section(store: str) -> None:
    snapshot = Store.open(store).snapshot()
    cover = snapshot.read("tree").filter(title="2.1 Cover")["node_id"].item()
    edges = snapshot.read("lateral_edges").filter(kind="cross_reference", status="confirmed", target_id=cover)
    assert edges.height >= 1


def test_indexing_twice_changes_nothing(corpus: Path, store: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = Store.open(store).snapshot().id
    code, done = call(capsys, "index", str(corpus), "--store", store)
    assert (code, done["is_new"], done["snapshot"]) == (1, False, before)


def test_an_edit_touches_its_document_only(corpus: Path, store: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = Store.open(store).snapshot().read("embeddings")
    (corpus / "manual.md").write_text(MANUAL.replace("2.4 Nm", "3.1 Nm"))
    call(capsys, "index", str(corpus), "--store", store)
    after = Store.open(store).snapshot().read("embeddings")
    new = after.join(before, on="text_hash", how="anti")
    assert new.height == 1
    kept = after.join(before, on=["doc_id", "doc_version"], how="semi")["doc_id"].unique()
    assert all(not name.startswith("manual-") for name in kept)
    assert len(kept) == 2


def test_a_mended_file_becomes_good_and_a_vanished_one_leaves_nothing(corpus: Path, store: str, capsys: pytest.CaptureFixture[str]) -> None:
    (corpus / "nothing.txt").write_text("The spare filter lies in the lid.")
    (corpus / "bulletin.html").unlink()
    (corpus / "broken.pdf").unlink()
    code, done = call(capsys, "index", str(corpus), "--store", store)
    assert (code, done["removed"], done["changed"], done["failed"]) == (0, 2, 1, [])
    snapshot = Store.open(store).snapshot()
    for table in TABLES:
        rows = snapshot.read(table)
        assert not any("bulletin-" in str(value) for row in rows.iter_rows() for value in row), table


def test_runs_show_in_the_instance_of_the_store(store: str) -> None:
    with dg.DagsterInstance.from_config(str(dagster_home(Store.open(store)))) as instance:
        assert all(run.status == dg.DagsterRunStatus.SUCCESS for run in instance.get_runs())
        event = instance.get_latest_materialization_event(dg.AssetKey("paragraphs"))
        assert event is not None
        materialization = event.asset_materialization
        assert materialization is not None
        assert {"dagster/row_count", "reused", "recomputed", "deleted", "seconds", "bytes", "sample"} <= materialization.metadata.keys()


def test_a_document_can_be_taken_out_and_an_old_snapshot_brought_back(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = Store.open(store).snapshot().id
    code, done = call(capsys, "remove", "manual", "--store", store)
    assert code == 0
    assert isinstance(done["removed"], list)
    assert [d["doc"] for d in done["removed"]] == ["manual.md"]
    assert docnav(["rollback", before, "--store", store]) == 0
    assert "manual.md" in Store.open(store).snapshot().read("documents")["doc"].to_list()


def test_a_damaged_file_is_found(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert docnav(["doctor", "--store", store]) == 0
    opened = Store.open(store)
    part = opened.heads("tree")[0]
    path = Path(store) / "parts" / "tree" / part.file
    good = path.read_bytes()
    path.write_bytes(good[:-1] + b"x")
    assert docnav(["doctor", "--store", store]) == 1
    assert "is damaged" in capsys.readouterr().out
    path.write_bytes(good)


def test_a_path_that_does_not_exist_is_wrong_use(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert docnav(["index", "no/such/folder", "--store", store]) == 2
    assert "nothing removed" in capsys.readouterr().err
