"""Sources from a docnav.toml: declared, refreshed, given up; copies of buckets and addresses."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from assets_store.errors import SettingsError, SourceError
from assets_store.settings import load_settings
from assets_store.store import Store
from docnav_agent.cli import run
from docnav_pipeline.corpus import Changes, read_corpus, remove_document, write_listing
from docnav_pipeline.declared import read_declaration
from docnav_pipeline.mirror import mirror_addresses, mirror_bucket
from docnav_pipeline.opening import open_or_create
from docnav_pipeline.roots import read_roots
from docnav_pipeline.sources import SourceFile
from docnav_pipeline.watch import declared_roots, list_declared, shape_of
from tests.object_storage import below, object_storage


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.create(tmp_path / "store", load_settings())


@pytest.fixture
def config(tmp_path: Path) -> Path:
    for name in ("manuals", "notes"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.md").write_text(f"# On {name}\n")
        (tmp_path / name / "draft.txt").write_text("A draft.")
    return tmp_path / "docnav.toml"


MANUALS = '[[source]]\nfolder = "manuals"\nkb = "pumps"\nproduct_version = "2.1"\nlabels = ["staff"]\nexclude = ["draft*"]\n'
NOTES = '[[source]]\nfolder = "notes/notes.md"\n'


def look(store: Store, config: Path) -> Changes:
    listing, faults = list_declared(store, read_declaration(config))
    assert not faults
    write_listing(store, listing)
    return listing.changes


def known(store: Store) -> dict[str, SourceFile]:
    return {s.uri: s for shard in store.shard_keys for s in read_corpus(store, shard).values()}


def test_declared_sources_are_roots_with_all_that_is_said_of_them(store: Store, config: Path) -> None:
    config.write_text(MANUALS + NOTES)
    assert len(look(store, config).added) == 2
    manual = known(store)["manuals.md"]
    assert (manual.kb, manual.product_version, manual.access_labels) == ("pumps", "2.1", ("staff",))
    assert [(root.listed, root.declared) for root in read_roots(store)] == [(("",), str(config)), (("notes.md",), str(config))]
    assert not look(store, config)
    config.write_text(MANUALS.replace("staff", "admin") + NOTES)
    assert [known(store)[d].access_labels for d in ("manuals.md",) if look(store, config).changed] == [("admin",)]


def test_a_source_that_is_no_longer_declared_leaves_with_its_documents(store: Store, config: Path) -> None:
    config.write_text(MANUALS + NOTES)
    look(store, config)
    config.write_text(NOTES)
    assert len(look(store, config).removed) == 1
    assert set(known(store)) == {"notes.md"}
    remove_document(store, "notes.md")
    assert not look(store, config)


def test_a_later_look_follows_the_file_that_declared_and_sees_every_change(store: Store, config: Path) -> None:
    config.write_text(MANUALS)
    look(store, config)
    roots, _ = declared_roots(store)
    before = shape_of(roots, store.location)
    assert shape_of(declared_roots(store)[0], store.location) == before
    document = config.parent / "manuals" / "manuals.md"
    document.write_text(document.read_text().replace("On", "Of"))
    edited = shape_of(declared_roots(store)[0], store.location)
    config.write_text(MANUALS.replace("2.1", "2.2"))
    assert len({before, edited, shape_of(declared_roots(store)[0], store.location)}) == 3
    document.parent.rename(config.parent / "away")
    with pytest.raises(SourceError, match="does not exist"):
        declared_roots(store)
    assert set(known(store)) == {"manuals.md"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[source]]\nkb = "x"\n', "exactly one of folder, bucket, urls, url_list, found none"),
        ('[[source]]\nfolder = "a"\nbucket = "s3://b"\n', "found folder and bucket"),
        ('[[source]]\nfolder = "a"\ncolour = "red"\n', "source.0.colour"),
        ('[[source]]\nurls = ["ftp://x"]\n', "source.0.urls.0"),
        ("", "declares no source"),
    ],
)
def test_a_wrong_declaration_says_what_is_wrong(config: Path, text: str, said: str) -> None:
    config.write_text(text)
    with pytest.raises(SettingsError, match=said):
        read_declaration(config)


def test_sources_in_each_other_are_refused(store: Store, config: Path) -> None:
    config.write_text(NOTES.replace("/notes.md", "") + '[[source]]\nfolder = "."\n')
    with pytest.raises(SourceError, match="overlap"):
        list_declared(store, read_declaration(config))


def test_a_bucket_is_copied_and_followed(tmp_path: Path, store: Store, config: Path) -> None:
    from pyarrow import fs

    target = config.parent / "copies"
    with object_storage() as bucket:
        storage, root = fs.FileSystem.from_uri(below(bucket, "docs"))
        for name, text in {"a.md": "# A\n", "deep/b.md": "# B\n", "deep/.hidden": "x"}.items():
            with storage.open_output_stream(f"{root}/{name}") as stream:
                stream.write(text.encode())
        config.write_text(f'[[source]]\nbucket = "{below(bucket, "docs")}"\nmirror = "copies"\n')
        assert len(look(store, config).added) == 2
        written = (target / "a.md").stat().st_mtime_ns
        storage.delete_file(f"{root}/deep/b.md")
        assert len(look(store, config).removed) == 1
        assert (target / "a.md").stat().st_mtime_ns == written
    with pytest.raises(SourceError, match="cannot list"):
        mirror_bucket(below(bucket, "docs"), target)
    assert set(known(store)) == {"a.md"}


@pytest.fixture
def site() -> Iterator[tuple[str, dict[str, tuple[int, str]], list[int]]]:
    """Address of a web server, its pages (path -> status, text; may be changed) and the statuses of its replies."""
    pages: dict[str, tuple[int, str]] = {"/a.md": (200, "# A\n"), "/b.md": (200, "# B\n")}
    replies: list[int] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, text = pages.get(self.path, (404, ""))
            mark = f'"{hash(text)}"'
            status = 304 if status == 200 and self.headers.get("If-None-Match") == mark else status
            replies.append(status)
            self.send_response(status)
            self.send_header("ETag", mark)
            body = b"" if status == 304 else text.encode()
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", pages, replies
        server.shutdown()


def test_addresses_are_fetched_once_and_kept_through_faults(
    site: tuple[str, dict[str, tuple[int, str]], list[int]], tmp_path: Path
) -> None:
    address, pages, replies = site
    both = [f"{address}/a.md", f"{address}/b.md"]
    assert mirror_addresses(both, tmp_path, 1000) == []
    (a, b) = sorted(tmp_path.rglob("*.md"))
    assert (a.read_text(), b.read_text()) == ("# A\n", "# B\n")
    assert mirror_addresses(both, tmp_path, 1000) == []
    assert replies[-2:] == [304, 304]
    pages["/a.md"], pages["/b.md"] = (500, ""), (200, "# B again\n")
    (fault,) = mirror_addresses(both, tmp_path, 1000)
    assert "500" in fault
    assert (a.read_text(), b.read_text()) == ("# A\n", "# B again\n")
    pages["/b.md"] = (404, "")
    assert len(mirror_addresses(both, tmp_path, 1000)) == 1
    assert (a.exists(), b.exists()) == (True, False)
    pages["/a.md"] = (200, "# A\n" * 1000)
    with pytest.raises(SourceError, match="larger than 1000 bytes"):
        mirror_addresses(both[:1], tmp_path, 1000)
    assert a.read_text() == "# A\n"


def test_index_without_paths_takes_the_file_of_the_folder_and_refuses_what_does_not_go_with_it(
    config: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(config.parent)
    place = ["--store", str(config.parent / "store"), "--plan", "--json"]
    assert run(["index", *place]) == 2
    assert "expected PATHs, --config, or a docnav.toml" in capsys.readouterr().err
    config.write_text(f"shards = 3\n{MANUALS}")
    assert run(["index", *place]) == 0
    assert json.loads(capsys.readouterr().out)["added"] == 1
    assert run(["index", "manuals", "--config", str(config), *place]) == 2
    assert "do not go with the sources of" in capsys.readouterr().err
    made = open_or_create(place[1], settings=read_declaration(config))
    assert (made.settings.shards, made.settings.source) == (3, ())
    config.write_text(f"shards = 3\n[paragraphs]\nmax_tokens = 300\n{MANUALS}")
    assert run(["index", *place[:2]]) == 2
    assert "sets paragraphs otherwise than" in capsys.readouterr().err
