"""Tests of the parser's entry: every outcome has a true status and reason."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from assets_store.settings import ParsingSettings
from docnav_pipeline.parsing import media
from docnav_pipeline.parsing.block import BlockType, DocumentStatus, ParsedDocument
from docnav_pipeline.parsing.parse import parse_source, parser_fingerprint
from docnav_pipeline.parsing.pool import parse_many
from docnav_pipeline.parsing.process import Crashed, OutOfMemory, ParserProcess, TimedOut
from tests.parsing.samples import BODY, TOPICS, write_docx, write_manual, write_scan

SETTINGS = ParsingSettings(window_pages=2)


@pytest.fixture(scope="module")
def process() -> Iterator[ParserProcess]:
    with ParserProcess(memory_mb=2048) as running:
        yield running


def parse(path: Path, process: ParserProcess, settings: ParsingSettings = SETTINGS) -> ParsedDocument:
    ((fragment, document),) = parse_source(path, settings, process=process)
    assert fragment is None
    return document


def test_a_pdf_is_parsed_in_windows_with_bookmarks_pages_and_typography(tmp_path: Path, process: ParserProcess) -> None:
    document = parse(write_manual(tmp_path / "manual.pdf", n_pages=3), process)
    assert (document.status, document.reason, document.n_pages, document.title) == (DocumentStatus.OK, "", 3, "Pump Manual")
    assert document.parser.startswith("mineru-flash 4.")
    assert [block.type for block in document.blocks[:6]] == [BlockType.OUTLINE] * 6
    titles = [block for block in document.blocks if block.type is BlockType.TITLE]
    assert [(block.text, block.page, block.size_pt, block.weight) for block in titles] == [
        (f"{number} {TOPICS[number % 3]}", number, 18.0, 700) for number in (1, 2, 3)
    ]
    words = [word for block in document.blocks if block.type is BlockType.TEXT for word in block.text.split()]
    assert sorted(words) == sorted(" ".join(BODY).split() * 12)


def test_a_word_file_keeps_its_heading_levels_and_table(tmp_path: Path, process: ParserProcess) -> None:
    document = parse(write_docx(tmp_path / "a.docx"), process)
    assert document.status is DocumentStatus.OK
    assert [(block.level, block.text) for block in document.blocks if block.type is BlockType.TITLE] == [(1, "Use"), (2, "Safety")]
    assert [block.text for block in document.blocks if block.type is BlockType.TABLE] == ["Bolt | 5 Nm"]


def test_pages_without_text_are_named_and_a_file_of_them_needs_ocr(tmp_path: Path, process: ParserProcess) -> None:
    scan = parse(write_scan(tmp_path / "scan.pdf", n_pages=3), process)
    assert (scan.status, scan.pages_without_text) == (DocumentStatus.NEEDS_OCR, (1, 2, 3))
    assert "3 of 3 pages" in scan.reason
    mixed = parse(write_scan(tmp_path / "mixed.pdf", n_pages=1, text_pages=1), process)
    assert (mixed.status, mixed.pages_without_text) == (DocumentStatus.OK, (2,))


def test_locked_broken_and_empty_files_say_so(tmp_path: Path, process: ParserProcess) -> None:
    locked = parse(write_manual(tmp_path / "locked.pdf", password="secret"), process)
    assert locked.status is DocumentStatus.ENCRYPTED
    whole = write_manual(tmp_path / "whole.pdf").read_bytes()
    (tmp_path / "broken.pdf").write_bytes(whole[:40] + b"\x00" * 200)
    broken = parse(tmp_path / "broken.pdf", process)
    assert broken.status is DocumentStatus.CORRUPT
    assert broken.reason.startswith("broken.pdf: ")
    (tmp_path / "zero.pdf").write_bytes(b"")
    assert parse(tmp_path / "zero.pdf", process).status is DocumentStatus.EMPTY
    (tmp_path / "blank.md").write_text(" \n\t\n", encoding="utf-8")
    assert parse(tmp_path / "blank.md", process).status is DocumentStatus.EMPTY
    (tmp_path / "cut.docx").write_bytes(b"PK\x03\x04 and nothing more")
    assert parse(tmp_path / "cut.docx", process).status is DocumentStatus.CORRUPT


def test_a_file_that_reads_well_but_has_no_words_is_empty(tmp_path: Path, process: ParserProcess) -> None:
    (tmp_path / "a.md").write_text("---\ntitle: T\n---\n\n<!-- nothing -->\n", encoding="utf-8")
    document = parse(tmp_path / "a.md", process)
    assert (document.status, document.title) == (DocumentStatus.EMPTY, "T")


def test_unsupported_files_and_pictures_say_what_to_do(tmp_path: Path, process: ParserProcess) -> None:
    (tmp_path / "a.json").write_text('{"a": 1}', encoding="utf-8")
    assert parse(tmp_path / "a.json", process).status is DocumentStatus.UNSUPPORTED
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\x00" * 30)
    picture = parse(tmp_path / "a.png", process)
    assert picture.status is DocumentStatus.NEEDS_OCR
    assert "parsing.tier" in picture.reason


def test_files_past_a_limit_name_the_limit(tmp_path: Path, process: ParserProcess) -> None:
    (tmp_path / "big.txt").write_text("word " * 300_000, encoding="utf-8")
    big = parse(tmp_path / "big.txt", process, ParsingSettings(max_file_mb=1))
    assert big.status is DocumentStatus.TOO_LARGE
    assert "parsing.max_file_mb" in big.reason
    with zipfile.ZipFile(tmp_path / "bomb.docx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", b"0" * 5 * 1024 * 1024)
    bomb = parse(tmp_path / "bomb.docx", process, ParsingSettings(max_file_mb=1))
    assert bomb.status is DocumentStatus.TOO_LARGE


def test_a_file_that_vanished_is_failed_not_raised(tmp_path: Path, process: ParserProcess) -> None:
    assert parse(tmp_path / "gone.md", process).status is DocumentStatus.FAILED


def test_large_files_of_our_own_readers_go_through_the_process(tmp_path: Path, process: ParserProcess) -> None:
    (tmp_path / "large.md").write_text("# Title\n\n" + "Some words of text.\n\n" * 15_000, encoding="utf-8")
    document = parse(tmp_path / "large.md", process)
    assert document.status is DocumentStatus.OK
    assert len(document.blocks) == 15_001


def test_a_request_past_its_time_ends_the_process_and_the_next_one_works(tmp_path: Path) -> None:
    path = write_manual(tmp_path / "manual.pdf", n_pages=1)
    info = {"operation": "pdf_info", "path": str(path)}
    with ParserProcess(memory_mb=2048) as process:
        assert "ok" in process.request(info, 60)
        with pytest.raises(TimedOut, match="timeout_s"):
            process.request({"operation": "pdf_window", "path": str(path), "first": 1, "last": 1, **WINDOW}, 0.05)
        assert "ok" in process.request(info, 60)
        assert process.n_starts == 2


WINDOW = {"tier": "flash", "server_url": "", "min_page_characters": 16}


def test_a_process_past_its_memory_is_ended(tmp_path: Path) -> None:
    path = write_manual(tmp_path / "manual.pdf", n_pages=1)
    with ParserProcess(memory_mb=1) as process, pytest.raises(OutOfMemory, match="memory_mb"):
        process.request({"operation": "pdf_window", "path": str(path), "first": 1, "last": 1, **WINDOW}, 60)


def test_a_process_that_dies_is_reported_with_its_signal(tmp_path: Path) -> None:
    path = write_manual(tmp_path / "manual.pdf", n_pages=1)
    known = {child.pid for child in psutil.Process().children()}

    def kill() -> None:
        for _ in range(200):
            for child in psutil.Process().children():
                if child.pid not in known:
                    os.kill(child.pid, signal.SIGSEGV)
                    return
            time.sleep(0.01)

    with ParserProcess(memory_mb=2048) as process:
        killer = threading.Thread(target=kill)
        killer.start()
        with pytest.raises(Crashed, match="SIGSEGV"):
            process.request({"operation": "pdf_window", "path": str(path), "first": 1, "last": 1, **WINDOW}, 60)
        killer.join()


def test_many_files_are_parsed_and_none_is_lost(tmp_path: Path) -> None:
    paths = []
    for number in range(6):
        path = tmp_path / f"{number}.md"
        path.write_text(f"# Title {number}\n\ntext\n", encoding="utf-8")
        paths.append(path)
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(json.dumps({"id": f"d{number}", "text": "words"}) + "\n" for number in range(4)), encoding="utf-8")
    results = list(parse_many([*paths, (rows, {"d1", "d2"})], SETTINGS, workers=2))
    assert sorted((path.name, fragment) for path, fragment, _ in results if fragment is None) == [(f"{n}.md", None) for n in range(6)]
    assert sorted(fragment for _, fragment, _ in results if fragment) == ["d1", "d2"]
    assert all(document.status is DocumentStatus.OK for _, _, document in results)


def test_stopping_early_ends_the_threads(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number}.md").write_text("text\n", encoding="utf-8")
    results = parse_many(sorted(tmp_path.iterdir()), SETTINGS, workers=2)
    next(results)
    results.close()  # type: ignore[attr-defined]
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("parser-")]


def test_the_fingerprint_names_what_changes_the_result() -> None:
    plain = parser_fingerprint(media.PDF, ParsingSettings())
    assert plain == parser_fingerprint(media.PDF, ParsingSettings(timeout_s=5, memory_mb=512))
    assert plain != parser_fingerprint(media.PDF, ParsingSettings(tier="basic"))
    assert plain != parser_fingerprint(media.PDF, ParsingSettings(min_page_characters=0))
    assert parser_fingerprint(media.MARKDOWN, ParsingSettings()) == parser_fingerprint(media.MARKDOWN, ParsingSettings(tier="basic"))
